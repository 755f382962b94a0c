"""The table of commands; each stands in a file of its own."""

from typing import Annotated

import typer

from spotree.cli.certify import certify
from spotree.cli.check import check
from spotree.cli.compare import compare
from spotree.cli.diff import diff
from spotree.cli.evaluate import evaluate
from spotree.cli.export import export
from spotree.cli.frontier import frontier
from spotree.cli.improve import improve
from spotree.cli.info import info
from spotree.cli.models import models
from spotree.cli.report import report
from spotree.cli.show import show
from spotree.cli.simplify import simplify
from spotree.cli.simulate import simulate
from spotree.cli.smallest import smallest
from spotree.cli.solve import solve
from spotree.cli.sweep import sweep
from spotree.readers.suffixes import READERS

app = typer.Typer(
    name="spotree",
    help="Small decision-tree policies for Markov decision processes, and how good they provably are.",
    epilog=f"A model is the name of a shipped one (`spotree models`), a file ({' '.join(READERS)}) or the id of a"
    " gymnasium environment. Exit codes: 0 an answer; 1 rejected, or nobody reads the output; 2 bad input; 3 something"
    " cannot be written; 10 not proved (only with --exit-code); 130 interrupted (the best tree is still shown and"
    " saved).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(asked: bool) -> None:
    if asked:
        import spotree

        print(f"spotree {spotree.__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


COMMANDS = (
    solve,
    smallest,
    frontier,
    simplify,
    certify,
    check,
    show,
    report,
    export,
    evaluate,
    simulate,
    diff,
    compare,
    sweep,
    info,
    models,
    improve,
)
for command in COMMANDS:
    app.command()(command)
