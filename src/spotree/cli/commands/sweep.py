"""`spotree sweep MODELS`: many runs, one table."""

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.commands.solve import MaxLeaves, Threads
from spotree.cli.model_argument import with_reading
from spotree.cli.options import ClusterName, method_names, model_names
from spotree.cli.output import AsJson, show_json, show_table
from spotree.cli.solution_output import INTERRUPTED
from spotree.cli.stdio import complain
from spotree.common.sanitize import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.sweeps.sweep import Sweep, SweepProgress

_MODELS = inspect.Parameter(
    "model",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODELS...",
            help="Shipped models or model files; none with --resume.",
            autocompletion=model_names,
        ),
    ],
)
_SHORT = {"s": 1, "min": 60, "h": 3600}


def _sweep(
    depths: Annotated[
        str | None, typer.Option("--depths", "-d", help="As in `1-5` or `2,4`; 1-3 if not given.")
    ] = None,
    seeds: Annotated[
        str | None, typer.Option("--seeds", help="How many, or which, as in `0,7`; 1 if not given.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time", "-t", help="Seconds for each cell; 60 if not given.", min=0.0)
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", help="neighbourhood, spot, spot+ws, omdt or viper.", autocompletion=method_names
        ),
    ] = None,
    max_leaves: MaxLeaves = None,
    threads: Threads = None,
    cluster: ClusterName = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for the table and all solutions, kept up to date.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Go on with the sweep of this folder where it stopped.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run cells that failed again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run every model, depth and seed, each for the same time, and show one table.

    With --out every cell is on disk as soon as it is done: after Ctrl-C, a crash or a power cut `--resume FOLDER` runs
    the cells that are missing, and no other. A cell that fails has its error in the table.

    Example: spotree sweep xor frozenlake_4x4 --depths 1-3 --seeds 5 --time 10 --out table
    """


def _run(model: list[str] | None, reading: dict[str, Any], given: dict[str, Any]) -> None:
    from spotree.cli.progress_line import LiveLine
    from spotree.sweeps.sweep import sweep as run

    as_json, depths, seeds = given.pop("as_json"), given.pop("depths"), given.pop("seeds")
    if not model and given["resume"] is None:
        raise typer.BadParameter("give at least one, or --resume FOLDER", param_hint="MODELS")
    with LiveLine(quiet=as_json) as live:
        done = run(
            model or (),
            None if depths is None else numbers(depths, "--depths"),
            None if seeds is None else int(seeds) if seeds.isdecimal() else numbers(seeds, "--seeds"),
            reading=reading,
            progress=lambda moment: live.say(in_one_line(moment)),
            tell=complain,
            **given,
        )
    _hand_over(done, given["resume"] or given["out"], as_json)


def _hand_over(done: "Sweep", folder: Path | None, as_json: bool) -> None:
    from dataclasses import asdict

    from spotree.sweeps.table import COLUMNS, OVER_SEEDS, contradiction, rows

    if as_json:
        entries = {"plan": done.plan.plain, "cells": [asdict(cell) for cell in done.cells]}
        show_json("sweep", entries | {"missing": len(done.missing), "interrupted": done.interrupted})
    else:
        several = len({cell.seed for cell in done.cells}) > 1
        shown_ones = [k for k, name in enumerate(COLUMNS) if several or name not in OVER_SEEDS]
        table = [COLUMNS, *rows(done.cells)]
        header, *lines = [[row[k] for k in shown_ones] for row in table]
        show_table(header, lines)
        failed = f", {len(done.failed)} of them failed" * bool(done.failed)
        print(f"\n{len(done.cells)} of {len(done.plan.keys)} cells{failed}")
        if folder is not None and not done.unwritten:
            name = shown(str(folder), LONGEST_LINE)
            print(f"saved in {name}" + f"; to go on: spotree sweep --resume {name}" * bool(done.missing))
    if sentence := contradiction(done.cells):
        complain(sentence)
    for error in done.unwritten[:3]:
        complain(error)
    if done.unwritten:
        raise typer.Exit(3)
    if done.interrupted:
        raise typer.Exit(INTERRUPTED)


def numbers(text: str, option: str) -> list[int]:
    """`1-3,5` as 1, 2, 3, 5."""
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part)
        if ends is None or int(ends[2] or ends[1]) < int(ends[1]) or int(ends[2] or ends[1]) - int(ends[1]) > 10**6:
            raise typer.BadParameter(f"{part!r} is no number and no range such as 1-5", param_hint=option)
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return found


def in_one_line(moment: "SweepProgress") -> str:
    """Where the sweep stands, for a line that is rewritten."""
    failed = f", {moment.failed} failed" * bool(moment.failed)
    value = "" if moment.line is None else f"  {moment.line.value:.6g} <= {moment.line.bound:.6g}"
    return (
        f"{moment.done} of {moment.total} cells{failed}  {duration(moment.seconds)}, about {duration(moment.left)} left"
        f"  {shown(str(moment.cell), 60)}{value}"
    )


def duration(seconds: float) -> str:
    """As a person says it."""
    if not seconds < 10**7:
        return "?"
    unit = "h" if seconds >= 5400 else "min" if seconds >= 90 else "s"
    return f"{seconds / _SHORT[unit]:.{int(unit == 'h')}f} {unit}"


_sweep.__name__ = "sweep"
sweep = with_reading(_sweep, _run, (), [_MODELS])
