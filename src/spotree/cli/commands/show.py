"""Commands `show` and `report`."""

from pathlib import Path
from typing import Annotated

import typer

from spotree.cli.output import AsJson, check_writable, show_json
from spotree.cli.run_argument import SavedRun, with_run
from spotree.cli.solution_output import show_solution
from spotree.common.sanitize import LONGEST_LINE, shown


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


@with_run
def report(
    run: SavedRun,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page; RUN with the suffix .html if not given.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The data instead of the page: printed, or written to --out.")
    ] = False,
) -> None:
    """Write one page of HTML: the tree, how good it is, where it differs from the best policy, what was solved.

    The page needs no network and no other file: mail it, open it in a browser. The model is opened as the run
    says; if it is not there any more, give it exactly as it was given to `spotree solve`, with the same options.

    Example: spotree solve tiger_vs_antelope -d 3 -t 10 -o run.json && spotree report run.json
    """
    import json

    from spotree.common.atomic_file import whole_file
    from spotree.report.data import report_data
    from spotree.report.page import page

    path = out if out is not None or as_json else run.path.with_suffix(".html")
    check_writable(path)
    run.check_apart(path, "report")
    data = report_data(run.solution(), run.mdp("report"))
    if path is None:
        show_json("report", data)
        return
    content = (json.dumps(data, indent=1) + "\n" if as_json else page(data)).encode()
    with whole_file(path) as stream:
        stream.write(content)
    print(f"{shown(str(path), LONGEST_LINE)} ({len(content) / 1000:,.0f} kB)")
