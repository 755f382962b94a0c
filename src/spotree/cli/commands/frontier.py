"""`spotree frontier MODEL`: what each number of leaves can return."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.commands.solve import FreeDepth, Seconds, Seed, Start, Threads
from spotree.cli.model_argument import with_model
from spotree.cli.output import AsJson, check_writable, show_facts, show_json, show_table
from spotree.cli.solution_output import exit_as, hand_over
from spotree.cli.stdio import complain
from spotree.common.atomic_file import UnwrittenError
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import SpotreeError

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.results.frontier import Frontier
    from spotree.results.solution import Solution

WIDEST, LEAST = 30, 6  # signs a bar may take, however wide the terminal; below the second there is none


@with_model
def frontier(
    mdp: "MDP",
    max_leaves: Annotated[
        int, typer.Option("--max-leaves", "-k", help="The largest tree of interest.", min=1)
    ] = 32,
    depth: FreeDepth = None,
    time_limit: Seconds = 60.0,
    seed: Seed = 0,
    threads: Threads = None,
    start: Start = None,
    leaves: Annotated[
        int | None,
        typer.Option(
            "--leaves", help="The tree to show and to save: the best with so many; the knee's if not given.", min=1
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw value against leaves: .png, .svg, .pdf (extra `plot`).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Save that tree as JSON; its report shows the whole table.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the best return for each number of leaves, all in one run, to choose a size by.

    A number of leaves that brings nothing over a smaller one is left out. The bar shows how far a tree is on the way
    from the first one to the best policy. Ctrl-C stops the search and shows what was found so far.

    Example: spotree frontier frozenlake_4x4 --max-leaves 8 --time 5
    """
    from dataclasses import replace

    from spotree.api.frontier import frontier as run
    from spotree.cli.progress_line import LiveLine
    from spotree.results.solution import Solution
    from spotree.trees.text import leaves_text

    tree_file, picture = check_writable(out), check_writable(plot, "--plot")
    if picture is not None and picture == tree_file:
        raise SpotreeError(
            f"--out and --plot are the same file, {shown(str(out), LONGEST_LINE)}; give each its own"
        )
    if plot is not None:
        from spotree.plot._axes import check_picture

        check_picture(plot)
    with LiveLine(quiet=as_json, sense=mdp.sense) as live:
        found = run(
            mdp,
            max_leaves,
            depth=depth,
            time_limit=time_limit,
            seed=seed,
            threads=threads,
            start=None if start is None else Solution.load(start),
            progress=live.show,
        )
    least = found.points[0].policy.num_leaves
    chosen = found.knee if leaves is None else found.at(max(leaves, least))
    if leaves is not None and leaves < least:
        complain(f"--leaves {leaves}: no tree found is so small; the one with {leaves_text(least)} takes its place")

    def tell(solution: "Solution", as_json: bool) -> None:
        if as_json:
            told = tuple(solution if point is chosen else point for point in found.points)
            show_json("frontier", replace(found, points=told).document())
        else:
            _show(found, solution)

    hand_over(chosen, out, as_json, _drawn(found, plot), tell)
    if plot is not None and not as_json:
        print(f"drawn in {shown(str(plot), LONGEST_LINE)}")
    exit_as(found)


def _drawn(found: "Frontier", plot: Path | None) -> list[SpotreeError]:
    """Draw the picture that is asked for; returns what went wrong."""
    if plot is None:
        return []
    from spotree.plot._axes import save_picture
    from spotree.plot.run_plots import frontier as draw

    try:
        save_picture(draw(found), plot)
    except UnwrittenError as error:
        return [error]
    return []


def _show(found: "Frontier", chosen: "Solution") -> None:
    """Print the chosen tree, the table, and what it comes to."""
    from textwrap import wrap

    from spotree.results.metrics import aim_text
    from spotree.trees.text import leaves_text

    least = found.least_leaves
    needed = [("proved", f"an optimal tree has at least {least} leaves")] if least > 1 else []
    columns = shutil.get_terminal_size().columns
    print(chosen.policy)
    print()
    show_facts(
        [
            ("model", f"{shown(chosen.model)} (discount {chosen.discount:g}, missing actions: {chosen.missing})"),
            ("aim", aim_text(chosen.sense, chosen.notes)),
            ("best policy", chosen.figures.text(chosen.optimum)),
            ("random", chosen.figures.text(chosen.random_value)),
            *needed,
            ("status", f"{found.status} ({found.max_leaves} leaves at most, {found.seconds:.1f} s)"),
        ]
    )
    print()
    rows = _table(found.points)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    header, *cells = [[cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    room = min(WIDEST, columns - sum(widths) - 2 * len(widths))
    bars = ["█" * max(1, round(room * found.share(point))) if room >= LEAST else "" for point in found.points]
    show_table([*header, ""], [[*row, bar] for row, bar in zip(cells, bars, strict=True)])
    print()
    for line in wrap(f"{found.words}. The tree above has {leaves_text(chosen.policy.num_leaves)}.", columns):
        print(line)


def _table(points: "Sequence[Solution]") -> list[tuple[str, ...]]:
    """Leaves, return or cost, that beside the best policy's, and what another tree may have more; header first."""
    from spotree.results.metrics import part_text, percent_text

    figures = [point.figures for point in points]
    if all(one.of_optimum is not None for one in figures):
        beside, word = [part_text(one.of_optimum or 0.0) for one in figures], "of best"
    elif all(one.above_best is not None for one in figures):
        beside = [percent_text(one.above_best or 0.0) for one in figures]
        word = "over best" if points[0].sense == "min" else "below best"
    else:
        beside, word = [f"{point.loss:.6g}" for point in points], "loss"
    leaves = [str(point.policy.num_leaves) for point in points]
    values = [point.figures.text(point.value) for point in points]
    gaps = [
        "proved" if point.proved_optimal else one.gap_text.removeprefix("gap ").removeprefix("of ")
        for point, one in zip(points, figures, strict=True)
    ]
    header = ("leaves", figures[0].word, word, "gap")
    return [header, *zip(leaves, values, beside, gaps, strict=True)]
