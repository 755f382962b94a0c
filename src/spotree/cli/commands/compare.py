"""`spotree compare MODEL`: several methods side by side."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.commands.solve import Depth, MaxLeaves, Seconds, Seed, Threads
from spotree.cli.model_argument import with_model
from spotree.cli.output import AsJson, check_writable, show_json, show_table
from spotree.cli.solution_output import exit_as

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.results.solution import Solution

IF_ROOM = ("status", "bound", "leaves", "seconds", "over random")  # columns, the most important one first


@with_model
def compare(
    mdp: "MDP",
    methods: Annotated[
        str, typer.Option("--methods", help="Separated by commas.")
    ] = "neighbourhood,spot,viper,omdt",
    depth: Depth = 3,
    time_limit: Seconds = 60.0,
    max_leaves: MaxLeaves = None,
    seed: Seed = 0,
    threads: Threads = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the comparison: a .png, .svg or .pdf file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run several methods with the same time each and show their trees' returns in one table.

    Ctrl-C ends the comparison and shows what there is.

    Example: spotree compare frozenlake_4x4 --methods spot,viper --time 5 --plot comparison.png
    """
    from spotree.api.solve import solve as run
    from spotree.cli.progress_line import LiveLine
    from spotree.methods.registry import METHODS
    from spotree.results.solution import SolveStatus

    chosen = [name.strip() for name in methods.split(",") if name.strip()]
    for name in chosen or [methods]:
        if name not in METHODS:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(METHODS)}", param_hint="--methods")
    if plot is not None:
        from spotree.plot._axes import check_picture

        check_writable(plot, "--plot")
        check_picture(plot)
    solutions = []
    for name in chosen:
        with LiveLine(quiet=as_json, sense=mdp.sense) as live:
            solutions.append(
                run(
                    mdp,
                    depth,
                    max_leaves=max_leaves,
                    method=name,
                    time_limit=time_limit,
                    seed=seed,
                    threads=threads,
                    progress=live.show,
                )
            )
        if solutions[-1].status is SolveStatus.INTERRUPTED:
            break
    if plot is not None:
        from spotree.plot._axes import save_picture
        from spotree.plot.run_plots import comparison

        save_picture(comparison(solutions), plot)
    if as_json:
        show_json("comparison", {"model": mdp.name, "solutions": [solution.document() for solution in solutions]})
    else:
        show_comparison(solutions)
    exit_as(solutions[-1])


def show_comparison(solutions: "Sequence[Solution]") -> None:
    """Print one line a solution, as many columns as the terminal is wide, and the figures as bars."""
    from spotree.cli.bars import show_bars

    if not solutions:
        return
    figures = solutions[0].figures
    rows = [_row(one) for one in solutions]
    columns = [name for name in rows[0] if any(row[name] for row in rows)]
    table = {name: [row[name] or "-" for row in rows] for name in columns}
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10**6
    widths = {name: 2 + max(map(len, (name, *cells))) for name, cells in table.items()}
    kept = [name for name in table if name not in IF_ROOM]
    for name in IF_ROOM:
        if name in table and sum(widths[other] for other in (*kept, name)) - 2 <= room:
            kept.append(name)
    columns = [name for name in table if name in kept]
    show_table(columns, list(zip(*(table[name] for name in columns), strict=True)))
    print()
    trees = [(one.method, figures.shown(one.value)) for one in solutions]
    best, *_, random = figures.marks
    show_bars(figures, [best, *trees, random])


def _row(one: "Solution") -> dict[str, str]:
    from spotree.results.metrics import percent_text

    figures = one.figures
    share, above, over = figures.of_optimum, figures.above_best, figures.over_random
    return {
        "method": one.method,
        figures.word: figures.text(one.value),
        "of optimum": "" if share is None else f"{share:.6f}",
        "from best": "" if above is None else percent_text(above),
        "over random": "" if over is None else f"{over:z.6f}",
        "bound": figures.text(one.bound),
        "leaves": str(one.policy.num_leaves),
        "seconds": f"{one.seconds:.1f}",
        "status": str(one.status).split(";")[0],
    }
