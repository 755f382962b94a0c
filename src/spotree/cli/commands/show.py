"""`spotree show RUN`: a saved solution as `solve` printed it."""

from pathlib import Path
from typing import Annotated

import typer

from spotree.cli.output import AsJson, show_json
from spotree.cli.solution_output import show_solution


def show(
    run: Annotated[Path, typer.Argument(help="A file that `--out` of `solve` or `certify` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Print a saved solution: its tree, its return and what was proved, as when it was found.

    Example: spotree solve frozenlake_4x4 --depth 2 --out run.json && spotree show run.json
    """
    from spotree.results.solution import Solution

    solution = Solution.load(run)
    if as_json:
        show_json("solution", solution.document())
    else:
        show_solution(solution)
