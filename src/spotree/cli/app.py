"""The table of commands; each stands in a file of its own."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from spotree.cli.commands.certify import certify
from spotree.cli.commands.check import check
from spotree.cli.commands.compare import compare
from spotree.cli.commands.diff import diff
from spotree.cli.commands.evaluate import evaluate
from spotree.cli.commands.export import export
from spotree.cli.commands.frontier import frontier
from spotree.cli.commands.improve import improve
from spotree.cli.commands.info import info, models
from spotree.cli.commands.show import report, show
from spotree.cli.commands.simplify import simplify
from spotree.cli.commands.simulate import simulate
from spotree.cli.commands.smallest import smallest
from spotree.cli.commands.solve import solve
from spotree.cli.commands.sweep import sweep
from spotree.cli.model_argument import refuse_properties
from spotree.readers.registry import READERS

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


class Command(TyperCommand):
    """A command that answers a file of properties after MODEL."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        typed = list(args)
        try:
            return super().parse_args(ctx, args)
        except TyperException:
            for word in typed:
                refuse_properties(word)
            raise


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
    app.command(cls=Command)(command)
