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


def check_files(out: Path | None, certificate: Path | None) -> None:
    """Refuse files that cannot be written, or one file for both, before any work is done."""
    solution_file, proof_file = check_writable(out), check_writable(certificate, "--certificate")
    if proof_file is not None and proof_file == solution_file:
        raise SpotreeError(
            f"--out and --certificate are the same file, {shown(str(out), LONGEST_LINE)}; give each its own"
        )


def say_certificate(certificate: Path | None, as_json: bool) -> None:
    """Where the proof is, and how to check it."""
    if certificate is not None and not as_json:
        name = shown(shlex.quote(str(certificate)), LONGEST_LINE)
        print(f"certificate in {name}; to check it: spotree check {name} MODEL")
