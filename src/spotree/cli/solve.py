"""`spotree solve MODEL`: the best tree policy in the time given."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spotree.cli.model import with_model
from spotree.cli.output import AsJson, check_writable, show_facts, show_json

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.solve.solution import Solution

Depth = Annotated[int, typer.Option("--depth", "-d", help="Most splits on a path.", min=0)]
Seconds = Annotated[float, typer.Option("--time", "-t", help="Wall-clock seconds.", min=0.0)]
MaxLeaves = Annotated[int | None, typer.Option("--max-leaves", help="Most leaves (2^depth if not given).", min=1)]
Seed = Annotated[int, typer.Option("--seed", help="The same seed and threads make the same rounds.")]
Threads = Annotated[int | None, typer.Option("--threads", help="All cores if not given.", min=1)]


@with_model
def solve(
    mdp: "MDP",
    depth: Depth = 3,
    time_limit: Seconds = 60.0,
    method: Annotated[
        str, typer.Option("--method", "-m", help="neighbourhood, spot, spot+ws, omdt or viper.")
    ] = "neighbourhood",
    max_leaves: MaxLeaves = None,
    seed: Seed = 0,
    threads: Threads = None,
    start: Annotated[Path | None, typer.Option("--start", help="Begin with the tree of a saved solution.")] = None,
    preset: Annotated[str | None, typer.Option("--preset", help="`paper`: SPOT's settings in the paper.")] = None,
    prove: Annotated[
        float | None, typer.Option("--prove", help="Then spend so many seconds on a proof.", min=0.0)
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Save the solution as JSON.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find a decision-tree policy, show it, its return and what no tree of its size can exceed.

    Ctrl-C stops the search and shows the best tree found so far.
    """
    from spotree.cli.live import LiveLine
    from spotree.solve.solution import Solution, SolveStatus
    from spotree.solve.solve import solve as run

    check_writable(out)
    settings = {} if preset is None else {"preset": preset}
    with LiveLine(mdp, quiet=as_json) as live:
        solution = run(
            mdp,
            depth,
            max_leaves=max_leaves,
            method=method,
            time_limit=time_limit,
            seed=seed,
            threads=threads,
            start=None if start is None else Solution.load(start),
            progress=live.show,
            **settings,
        )
        if prove is not None and not solution.proved_optimal and solution.status is not SolveStatus.INTERRUPTED:
            from spotree.certify.certify import certify

            solution = certify(
                mdp,
                depth,
                start=solution,
                max_leaves=max_leaves,
                time_limit=prove,
                threads=threads,
                progress=live.show,
            )
    if out is not None:
        solution.save(out)
    if as_json:
        show_json(solution.as_dict())
        return
    show_solution(solution)
    if out is not None:
        print(f"saved to {out}")


def show_solution(solution: "Solution") -> None:
    """Print the tree and the facts about it."""
    from spotree.tree.text import size_text

    print(solution.policy)
    print()
    most = "" if solution.max_leaves is None else f", at most {solution.max_leaves} leaves"
    above = f"gap {solution.gap:.2%}"
    if solution.proved_optimal:
        above = f"no tree of the size is better by more than {solution.bound - solution.value:.1e}"
    show_facts(
        [
            ("model", f"{solution.model} (discount {solution.discount:g}, missing actions: {solution.missing})"),
            ("tree", f"{size_text(solution.policy.tree)}; asked: depth {solution.depth}{most}"),
            ("return", f"{solution.value:.6f}"),
            ("of optimum", f"{solution.of_optimum:.6f}   (optimum {solution.optimum:.6f})"),
            ("over random", f"{solution.over_random:.6f}   (random {solution.random_value:.6f})"),
            ("bound", f"{solution.bound:.6f}   ({above})"),
            *(
                [("error", f"{solution.error:.1e} at most in each of these numbers")]
                if solution.error > 5e-7
                else []
            ),
            ("status", f"{solution.status} ({solution.method}, {solution.seconds:.1f} s)"),
        ]
    )
