"""Which files are read, and by whom."""

# suffix -> the module of spotree.readers and its function; a module is imported when its first file is read
READERS: dict[str, tuple[str, str]] = {
    ".npz": ("npz", "read_npz"),
    ".umb": ("umb", "read_umb"),
    ".umb.gz": ("umb", "read_umb"),
    ".umb.xz": ("umb", "read_umb"),
    ".tar": ("umb", "read_umb"),
    ".prism": ("storm", "read_prism"),
    ".nm": ("storm", "read_prism"),
    ".pm": ("storm", "read_prism"),
    ".sm": ("storm", "read_prism"),
    ".jani": ("storm", "read_jani"),
    ".drn": ("storm", "read_drn"),
}
