"""A model written in the form that the ending of its path names."""

import os
from pathlib import Path

from spotree.errors import ReadError
from spotree.mdp import MDP
from spotree.readers.drn.writer import MODEL, write_drn
from spotree.readers.npz import write_npz
from spotree.readers.umb.writer import write_umb

ENDINGS = (".npz", ".umb", ".umb.gz", ".umb.xz", f"/{MODEL}")


def write(mdp: MDP, path: str | os.PathLike[str]) -> None:
    """Write .npz and .umb files, or the folder of a `model.drn`."""
    there = Path(path)
    match there.name.lower():
        case name if name.endswith(".npz"):
            write_npz(mdp, there)
        case name if name.endswith((".umb", ".umb.gz", ".umb.xz")):
            write_umb(mdp, there, name.rpartition(".")[2] if not name.endswith(".umb") else "")
        case name if name == MODEL:
            write_drn(mdp, there.parent)
        case name if name.endswith(".drn"):
            raise ReadError(f"{there}: a DRN model is a folder of several files; give FOLDER/{MODEL}")
        case _:
            raise ReadError(f"{there}: unknown kind of file; a model is saved as {', '.join(ENDINGS)}")
