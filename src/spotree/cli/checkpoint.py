"""The options of commands that keep checkpoints, and what is said about them at the end."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.streams import complain
from spotree.errors import SpotreeError
from spotree.files import UnwrittenError, check_target
from spotree.shown import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.checkpoint import Keeper

CheckpointFile = Annotated[
    Path | None, typer.Option("--checkpoint", help="Keep what is found in this file, for --resume.")
]
CheckpointEvery = Annotated[
    float, typer.Option("--checkpoint-every", help="Seconds between two checkpoints.", min=0.0)
]


def keeper_for(checkpoint: Path | None, every: float, *others: Path | None) -> "Keeper | None":
    """Who writes the checkpoints; refuses a file that cannot be written, or that something else goes to."""
    from spotree.checkpoint import Keeper

    if checkpoint is None:
        return None
    try:
        final = check_target(checkpoint)
        for other in others:
            if final is not None and other is not None and check_target(other) == final:
                raise SpotreeError(
                    f"--checkpoint and another option name the same file, {shown(str(checkpoint), LONGEST_LINE)};"
                    " give each its own"
                )
    except UnwrittenError as error:
        raise SpotreeError(f"--checkpoint {error}") from error
    return Keeper(checkpoint, every, tell=complain)


def failure_of(keeper: "Keeper | None") -> list[SpotreeError]:
    """Why the last checkpoint is not there, to be said at the end."""
    return [] if keeper is None or keeper.failure is None else [keeper.failure]


def say_checkpoint(keeper: "Keeper | None", resume: Path | None, as_json: bool) -> None:
    """Where the checkpoint is, and what a resumed run took on trust."""
    if as_json:
        return
    if keeper is not None and keeper.written:
        name = shown(shlex.quote(str(keeper.path)), LONGEST_LINE)
        print(f"checkpoint in {name}; to go on from it: --checkpoint {name} --resume {name}")
    if resume is not None:
        name = shown(shlex.quote(str(resume)), LONGEST_LINE)
        print(f"a bound that {name} holds was taken on trust; the tree was evaluated anew")
