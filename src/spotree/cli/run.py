"""How a command gets a saved run and, where it needs it, the model of the run."""

import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.model import READING, open_model, with_reading
from spotree.errors import ReadError

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.methods.solution import Solution

_RUN = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A solution that `spotree solve --out` or `spotree certify --out` saved.",
        show_default=False,
    ),
]
_MODEL = Annotated[
    str | None,
    typer.Argument(
        metavar="MODEL",
        help="The model that was solved, as it was given then; a shipped one is found by its name.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A file with an answer, and what was said about its model: MODEL, if given, and the reading options."""

    path: Path
    model: str | None
    options: dict[str, Any]

    def solution(self) -> "Solution":
        from spotree.methods.solution import Solution

        return Solution.load(self.path)

    def mdp(self, verb: str) -> "MDP":
        """The model as given, or the shipped one of the run's name; `verb` is the command, for the way out."""
        return open_model(self.model or self._shipped(verb), self.options)

    def _shipped(self, verb: str) -> str:
        from spotree.models import names

        solution = self.solution()
        if solution.model in names():
            return solution.model
        typed = _model_words(solution.notes.get("command", ""))
        model = shlex.join(typed) if typed else "MODEL, with the model and the reading options of the run"
        raise ReadError(
            f"{solution.model} is no shipped model; type: spotree {verb} {shlex.quote(str(self.path))} {model}"
        )


def with_run(command: Callable[..., None]) -> Callable[..., None]:
    """Turn the first parameter of a command, `run`, into RUN, MODEL (which may be left out) and reading options."""

    def run(model: str | None, given: dict[str, Any], rest: dict[str, Any]) -> None:
        command(SavedRun(rest.pop("run"), model, given), **rest)

    kind = inspect.Parameter.KEYWORD_ONLY
    first = [
        inspect.Parameter("run", kind, annotation=_RUN),
        inspect.Parameter("model", kind, annotation=_MODEL, default=None),
    ]
    return with_reading(command, run, ("run",), first)


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
