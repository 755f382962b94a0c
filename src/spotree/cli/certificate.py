"""The option of commands that write a proof."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from spotree.cli.output import check_writable
from spotree.errors import SpotreeError
from spotree.shown import LONGEST_LINE, shown

CertificateFile = Annotated[
    Path | None, typer.Option("--certificate", "-c", help="Write the proof, for `spotree check`.")
]


def check_files(out: Path | None, certificate: Path | None) -> "Target":
    """Refuse files that cannot be written, or one file for both, before any work is done; where the proof goes."""
    solution_file, proof_file = check_writable(out), check_writable(certificate, "--certificate")
    if proof_file is not None and proof_file == solution_file:
        raise SpotreeError(
            f"--out and --certificate are the same file, {shown(str(out), LONGEST_LINE)}; give each its own"
        )
    return Target(certificate)


class Target:
    """Where a proof is to go, and what was there before."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.before = path, _stamp(path)

    def say(self, as_json: bool) -> None:
        """Where the proof is and how to check it, or that there is none."""
        if self.path is None or as_json:
            return
        name = shown(shlex.quote(str(self.path)), LONGEST_LINE)
        if _stamp(self.path) == self.before:
            print(f"no certificate: the time was up before a proof could begin; {name} is as it was")
        else:
            print(f"certificate in {name}; to check it: spotree check {name} MODEL")


def _stamp(path: Path | None) -> tuple[int, int] | None:
    """Tells a file from one that takes its place."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_mtime_ns)
