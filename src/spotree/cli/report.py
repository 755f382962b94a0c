"""`spotree report RUN [MODEL]`: one page that shows a saved answer and all that is known of it."""

import inspect
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.model import READING, with_model
from spotree.cli.output import check_writable, show_json
from spotree.errors import ReadError, SpotreeError
from spotree.shown import LONGEST_LINE, shown

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.methods.solution import Solution

Run = Annotated[
    Path, typer.Argument(help="A solution that `spotree solve --out` or `spotree certify --out` saved.")
]
Model = Annotated[
    str | None,
    typer.Argument(help="The model that was solved, as it was given then; a shipped one is found by its name."),
]


def _run_first(command: Callable[..., None]) -> Callable[..., None]:
    """Put the argument RUN before MODEL, which may then be left out."""

    def parse(run: Path, model: str | None, **rest: Any) -> None:
        from spotree.methods.solution import Solution

        solution = Solution.load(run)
        command(model=model or _shipped(solution, run), solution=solution, run=run, **rest)

    own = {name: p for name, p in inspect.signature(command).parameters.items() if name != "solution"}
    own["model"] = own["model"].replace(annotation=Model, default=None)
    parameters = [own.pop("run"), own.pop("model"), *own.values()]
    parse.__name__, parse.__doc__ = command.__name__, command.__doc__
    parse.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    parse.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return parse


def _shipped(solution: "Solution", run: Path) -> str:
    from spotree.models import names

    if solution.model in names():
        return solution.model
    typed = _model_words(solution.notes.get("command", ""))
    model = shlex.join(typed) if typed else "MODEL, with the model and the reading options of the run"
    raise ReadError(f"{solution.model} is no shipped model; type: spotree report {shlex.quote(str(run))} {model}")


def _model_words(command: str) -> list[str]:
    """MODEL and the reading options of a command line, as they were typed; none if it cannot be told."""
    from typer.main import get_command

    from spotree.cli.app import app

    options = [option for verb in get_command(app).commands.values() for option in verb.params]  # type: ignore[attr-defined]
    reading = {
        name for option in options if getattr(option, "rich_help_panel", None) == READING for name in option.opts
    }
    switches = {name for option in options if getattr(option, "is_flag", False) for name in option.opts}
    switches |= {name for option in options for name in option.secondary_opts}
    try:
        words = iter(shlex.split(command)[2:])
    except ValueError:  # a quote that nobody closed
        return []
    kept: list[str] = []
    for word in words:
        flag, equals, _ = word.partition("=")
        alone = equals != "" or word in switches or (len(word) > 2 and word[0] == "-" and word[1] != "-")
        value = [] if word[:1] != "-" or alone else [next(words, "")]
        if word[:1] != "-" or flag in reading:
            kept += [word, *value]
    return kept


@_run_first
@with_model
def report(
    mdp: "MDP",
    run: Run,
    solution: "Solution",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page; RUN with the suffix .html if not given.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The data instead of the page: printed, or written to --out.")
    ] = False,
) -> None:
    """Write one page of HTML: the tree, how good it is, where it differs from the best policy, what was solved.

    The page needs no network and no other file: mail it, open it in a browser. Give the model exactly as it was given
    to `spotree solve`, with the same reading options; the name of a shipped one can be left out.

    Example: spotree solve tiger_vs_antelope -d 3 -t 10 -o run.json && spotree report run.json
    """
    import json

    from spotree.files import whole_file
    from spotree.report.data import report_data
    from spotree.report.page import page

    path = out if out is not None or as_json else run.with_suffix(".html")
    check_writable(path)
    if path is not None and path.resolve() == run.resolve():
        raise SpotreeError(f"--out {path} is the run itself; give the page another name")
    data = report_data(solution, mdp)
    if path is None:
        show_json(data)
        return
    content = (json.dumps(data, indent=1) + "\n" if as_json else page(data)).encode()
    with whole_file(path) as stream:
        stream.write(content)
    print(f"{shown(str(path), LONGEST_LINE)} ({len(content) / 1000:,.0f} kB)")
