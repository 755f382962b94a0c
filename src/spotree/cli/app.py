"""The table of commands; each stands in a file of its own."""

import typer

from spotree.cli.certify import certify
from spotree.cli.check import check
from spotree.cli.compare import compare
from spotree.cli.export import export
from spotree.cli.improve import improve
from spotree.cli.info import info
from spotree.cli.models import models
from spotree.cli.report import report
from spotree.cli.solve import solve
from spotree.readers.suffixes import READERS

app = typer.Typer(
    name="spotree",
    help="Small decision-tree policies for Markov decision processes, and how good they provably are.",
    epilog=f"A model is the name of a shipped one (`spotree models`), a file ({' '.join(READERS)}) or the id of a"
    " gymnasium environment.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (solve, certify, check, report, export, compare, info, models, improve):
    app.command()(command)
