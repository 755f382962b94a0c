"""`spotree compare MODEL`: several methods side by side."""

from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.answer import exit_as
from spotree.cli.model import with_model
from spotree.cli.output import AsJson, show_json, show_table
from spotree.cli.solve import Depth, MaxLeaves, Seconds, Seed, Threads

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.methods.solution import Solution


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
    as_json: AsJson = False,
) -> None:
    """Run several methods with the same time each and show their trees' returns in one table.

    Ctrl-C ends the comparison and shows what there is.
    """
    from spotree.cli.live import LiveLine
    from spotree.methods.named import METHODS
    from spotree.methods.solution import SolveStatus
    from spotree.methods.solve import solve as run

    chosen = [name.strip() for name in methods.split(",") if name.strip()]
    for name in chosen or [methods]:
        if name not in METHODS:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(METHODS)}", param_hint="--methods")
    solutions = []
    for name in chosen:
        with LiveLine(quiet=as_json) as live:
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
    if as_json:
        show_json("comparison", {"model": mdp.name, "solutions": [solution.document() for solution in solutions]})
    else:
        _show(solutions)
    exit_as(solutions[-1])


def _show(solutions: "list[Solution]") -> None:
    show_table(
        ["method", "return", "of optimum", "over random", "bound", "leaves", "seconds", "status"],
        [
            [
                one.method,
                f"{one.value:.6f}",
                f"{one.of_optimum:.6f}",
                f"{one.over_random:.6f}",
                f"{one.bound:.6f}",
                str(one.policy.num_leaves),
                f"{one.seconds:.1f}",
                str(one.status).split(";")[0],
            ]
            for one in solutions
        ],
    )
