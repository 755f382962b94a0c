"""How a command gets a saved run and, where it needs it, the model of the run."""

import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.model import READING, READING_OPTIONS, open_model, reading_options, with_reading
from spotree.errors import ReadError

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.methods.solution import Solution
    from spotree.tree.policy import TreePolicy

_USAGE: type[Exception] = typer.BadParameter.__mro__[
    1
]  # whatever is wrong with a command line; typer has no name for it
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
        help="The model that was solved, as it was given then; left out, it is opened as the run says.",
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

    def answer(self) -> "Solution | TreePolicy":
        """The solution, or the policy of a tree as JSON."""
        from spotree.exports.json import read_tree

        try:
            return self.solution()
        except ReadError:
            return read_tree(self.path)

    def check_apart(self, out: Path | None, verb: str, with_model: bool = True) -> None:
        """Refuse to write over the run, or over the model where the command reads it."""
        if out is None:
            return
        if out.resolve() == self.path.resolve():
            raise ReadError(f"--out {out} is the run itself; give the file another name")
        if with_model and out.resolve() == Path(self.asked(verb)[0]).resolve():
            raise ReadError(f"--out {out} is the model itself; give the file another name")

    def mdp(self, verb: str) -> "MDP":
        """The model, as `asked`."""
        return open_model(*self.asked(verb))

    def asked(self, verb: str) -> tuple[str, dict[str, Any]]:
        """MODEL and the reading options: as given, else as the run has them; `verb` is typed, for the way out.

        A model that is not given is opened if it ships with spotree or is a file; an environment is asked for, as
        making one runs code that a file names.
        """
        if self.model is not None:
            return self.model, self.options
        from spotree.methods.solution import Solution
        from spotree.models import names

        solution = self.answer()
        if not isinstance(solution, Solution):
            raise ReadError(f"{self.path} holds a tree alone; name its model: spotree {verb} {self.path} MODEL")
        words = _model_words(solution.notes.get("command", ""))
        model, options = _parsed(words) or (solution.model, {})
        if model in names() or Path(model).is_file():
            return model, options | self.options
        typed = shlex.join(words) if words else "MODEL, with the model and the reading options of the run"
        raise ReadError(
            f"{solution.model} is no shipped model; type: spotree {verb} {shlex.quote(str(self.path))} {typed}"
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


def _parsed(words: list[str]) -> tuple[str, dict[str, Any]] | None:
    """MODEL and its reading options, from words as they are typed; None if they are not so."""
    from typer.main import get_command

    from spotree.cli.app import app

    reader = get_command(app).commands["info"]  # type: ignore[attr-defined]
    try:
        given = reader.make_context("info", list(words)).params
        return given["model"], reading_options({name: given[name] for name in READING_OPTIONS})
    except _USAGE:
        return None


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
