"""Registry of readers by file suffix."""

# suffix -> the module of spotree.readers and its function; a module is imported when its first file is read
READERS: dict[str, tuple[str, str]] = {
    ".npz": ("npz", "read_npz"),
    ".umb": ("umb.reader", "read_umb"),
    ".umb.gz": ("umb.reader", "read_umb"),
    ".umb.xz": ("umb.reader", "read_umb"),
    ".tar": ("umb.reader", "read_umb"),
    ".prism": ("storm.reader", "read_prism"),
    ".nm": ("storm.reader", "read_prism"),
    ".pm": ("storm.reader", "read_prism"),
    ".sm": ("storm.reader", "read_prism"),
    ".jani": ("storm.reader", "read_jani"),
    ".drn": ("storm.reader", "read_drn"),
}
