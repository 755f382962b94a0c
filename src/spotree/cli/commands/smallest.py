"""`spotree smallest MODEL`: the fewest leaves that are good enough."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.commands.solve import FreeDepth, Out, Seconds, Seed, Start, Threads
from spotree.cli.model_argument import with_model
from spotree.cli.output import AsJson, check_writable, show_json
from spotree.cli.solution_output import exit_as, hand_over

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.results.smallest import Smallest
    from spotree.results.solution import Solution

OnlySmallest = Annotated[
    bool, typer.Option("--exit-code", help="Exit with 10 if no proof says that no smaller tree is good enough.")
]


@with_model
def smallest(
    mdp: "MDP",
    tolerance: Annotated[
        float,
        typer.Option("--within", "-w", help="How much less than the best is good enough: 0.01 is 1 %.", min=0.0),
    ] = 0.0,
    of: Annotated[
        str,
        typer.Option("--of", help="1 % of what: `optimum`, the best return; `random`, what it gains over random."),
    ] = "optimum",
    value: Annotated[
        float | None, typer.Option("--return", help="In place of --within: the return to reach; costs as costs.")
    ] = None,
    depth: FreeDepth = None,
    time_limit: Seconds = 60.0,
    seed: Seed = 0,
    threads: Threads = None,
    start: Start = None,
    only_smallest: OnlySmallest = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Find the smallest tree whose return is good enough, and how many leaves such a tree needs at least.

    Without --within the tree must be exactly optimal, up to rounding. That is another target than --within 1e-6, which
    may take half the leaves. The search ends when no smaller tree is possible, at --time, or at Ctrl-C, with the
    smallest tree found.

    Example: spotree smallest frozenlake_4x4 --within 0.05 --time 5
    """
    from spotree.api.smallest import smallest as run
    from spotree.cli.progress_line import LiveLine
    from spotree.results.solution import Solution

    check_writable(out)
    if value is not None and (tolerance != 0 or of != "optimum"):
        raise typer.BadParameter("it goes without --within and --of", param_hint="--return")
    if value is not None and mdp.sense == "min":
        value = -value
    with LiveLine(quiet=as_json, sense=mdp.sense) as live:
        found = run(
            mdp,
            tolerance,
            of=of,  # type: ignore[arg-type]
            value=value,
            depth=depth,
            time_limit=time_limit,
            seed=seed,
            threads=threads,
            start=None if start is None else Solution.load(start),
            progress=live.show,
        )
    hand_over_smallest(found, out, as_json, only_smallest)


def hand_over_smallest(found: "Smallest", out: Out, as_json: bool, only_smallest: bool) -> None:
    """Save and print the answer, and end as it says."""
    from dataclasses import replace

    from spotree.cli.solution_output import show_solution

    def tell(solution: "Solution", as_json: bool) -> None:
        if as_json:
            show_json("smallest", replace(found, solution=solution).document())
        else:
            show_solution(solution)

    def save(solution: "Solution", path: Path) -> None:
        replace(found, solution=solution).save(path)

    hand_over(found.solution, out, as_json, tell=tell, save=save)
    exit_as(found, only_smallest)
