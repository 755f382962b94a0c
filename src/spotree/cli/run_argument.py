"""Saved runs as arguments of a command, and the models that they were found on."""

import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.model_argument import is_model, is_shipped, open_model, refuse_properties, with_reading
from spotree.cli.options import model_names
from spotree.cli.stdio import complain
from spotree.cli.words import flags, in_words
from spotree.errors import ReadError

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.trees.policy import TreePolicy

if TYPE_CHECKING:
    from spotree.mdp.model import MDP
    from spotree.mdp.source import ModelSource
    from spotree.results.solution import Solution
    from spotree.trees.policy import TreePolicy


TREE_HELP = "A saved solution (`spotree solve --out`), a tree as JSON, or a tree of dtControl."
TreeFile = Annotated[Path, typer.Argument(help=TREE_HELP)]


def open_tree(path: Path, mdp: "MDP") -> "TreePolicy":
    """The policy in a file; refused where it does not fit the model."""
    from spotree.imports.import_tree import import_tree

    return import_tree(path, mdp.feature_names, mdp.action_names)


_RUN = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A solution that `spotree solve --out` or `spotree certify --out` saved.",
        show_default=False,
    ),
]
_OF_THE_RUN = "A shipped model, a model file or an environment; left out, it is opened as the run says."
_MODEL = Annotated[
    str | None,
    typer.Argument(metavar="MODEL", help=_OF_THE_RUN, autocompletion=model_names, show_default=False),
]


@dataclass(frozen=True, slots=True)
class RunModel:
    """The model of saved runs: MODEL and the reading options, as they were typed or as the runs say.

    `way` spells the command with a MODEL in it, for the way out.
    """

    typed: str | None
    given: dict[str, Any]
    runs: tuple[Path, ...]
    way: Callable[[str], str]

    def chosen(self) -> tuple[str, dict[str, Any]]:
        """MODEL and the reading options: those typed, and for the rest those of the runs.

        A run says how to read its own model alone: for a MODEL of another name and content nothing is added.
        """
        known = self._sources()
        model = self._named(known) if self.typed is None else self.typed
        merged = [(run, _merged(source.options, self.given)) for run, source in known if _is_of(source, model)]
        if not merged:
            return model, self.given
        (first, options), (last, others) = merged[0], merged[-1]
        for name, flag in flags().items():
            if _spelled(options.get(name)) != _spelled(others.get(name)):
                raise ReadError(f"{first} and {last} were not found with the same {flag}; give {flag} as well")
        return model, options

    def open(self) -> "MDP":
        """The model; says if its file has changed, and refuses one that was changed in Python after it was read."""
        model, options = self.chosen()
        mdp = open_model(model, options)
        for run in self.runs:
            solution = _solution(run)
            if solution is None or solution.source is None or not _is_of(solution.source, model):
                continue
            if solution.source.kind == "file" and _digest(model) != solution.source.digest:
                complain(f"{model} has changed since it was read for {run}")
                continue
            for name in () if self.given else ("discount", "missing", "sense"):
                there, said = getattr(mdp, name), getattr(solution, name)
                if there != said:
                    raise ReadError(f"{run} was found with {name} {said}, but {model} is read with {name} {there}")
        return mdp

    def _sources(self) -> "list[tuple[Path, ModelSource]]":
        found = [(run, _solution(run)) for run in self.runs]
        return [(run, answer.source) for run, answer in found if answer is not None and answer.source is not None]

    def _named(self, known: "Sequence[tuple[Path, ModelSource]]") -> str:
        """The one model that the runs name."""
        if not known:
            run = self.runs[0]
            alone = _holds_tree_alone(run)
            what = "holds a tree alone" if alone else "does not say where its model was read from"
            raise ReadError(f"{run} {what}; name its model: {self.way('MODEL')}")
        first, *others = [(run, self._located(run, source)) for run, source in known]
        for other in others:
            if Path(other[1]).resolve() != Path(first[1]).resolve():
                both = f"{first[0]} was found on {first[1]}, {other[0]} on {other[1]}"
                raise ReadError(f"{both}; name the model: {self.way('MODEL')}")
        return first[1]

    def _located(self, run: Path, source: "ModelSource") -> str:
        """The model that a run names: a shipped one, or a file, here or beside the run.

        An environment is not opened, as making one runs code that the file names.
        """
        from spotree.models import names

        if source.kind == "shipped":
            if source.model not in names():
                raise ReadError(f"{run} names {source.model!r}, no shipped model; name it: {self.way('MODEL')}")
            return source.model
        words = f"{shlex.quote(source.model)} {in_words(source.options)}".rstrip()
        if source.kind == "environment":
            raise ReadError(f"{run} names an environment, which is code and not opened unasked: {self.way(words)}")
        path = Path(source.model)
        there = [place for place in (path, run.parent / path, run.parent / path.name) if place.is_file()]
        if not there:
            raise ReadError(f"{path}, the model of {run}, is not there; name it: {self.way(words)}")
        return str(next((place for place in there if _digest(place) == source.digest), there[0]))


@dataclass(frozen=True, slots=True)
class SavedRun:
    """RUN of a command that needs its model now and then: the file, MODEL if it was given, and the reading options."""

    path: Path
    model: str | None
    options: dict[str, Any]

    def solution(self) -> "Solution":
        from spotree.results.solution import Solution

        return Solution.load(self.path)

    def answer(self) -> "Solution | TreePolicy":
        """The solution, or the policy of a tree as JSON."""
        from spotree.exports.json import read_tree

        return _solution(self.path) or read_tree(self.path)

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
        return self._model(verb).open()

    def asked(self, verb: str) -> tuple[str, dict[str, Any]]:
        """MODEL and the reading options: as typed, else as the run has them."""
        return self._model(verb).chosen()

    def _model(self, verb: str) -> RunModel:
        run = shlex.quote(str(self.path))
        return RunModel(self.model, self.options, (self.path,), lambda model: f"spotree {verb} {run} {model}")


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


def with_trees(command: Callable[..., None]) -> Callable[..., None]:
    """Turn `mdp` of a command with trees into MODEL, which may be left out, and reading options; both come from runs.

    A parameter `reopen` is called with options that are to be changed, and reads the model once more.
    """
    parameters = inspect.signature(command).parameters
    files = [name for name, given in parameters.items() if given.annotation == TreeFile]

    def run(model: str | None, given: dict[str, Any], rest: dict[str, Any]) -> None:
        words = [word for word in (model, *(rest.pop(name) for name in files)) if word is not None]
        named, verb = len(words) > len(files), command.__name__
        for word in words[1:]:
            refuse_properties(str(word))
        if not named and (len(words) < len(files) or is_model(words[0])):
            usage = f"spotree {verb} [MODEL] {_typed(files).upper()}"
            raise ReadError(f"{words[0]} is a model; {usage}" if words and is_model(words[0]) else f"type: {usage}")
        paths = tuple(Path(word) for word in words[-len(files) :])
        about = RunModel(
            model if named else None, given, paths, lambda model: f"spotree {verb} {model} {_typed(paths)}"
        )
        mdp = about.open()
        if "reopen" in parameters:
            chosen, options = about.chosen()
            rest["reopen"] = lambda **changes: open_model(chosen, options | changes)
        command(mdp, **rest, **dict(zip(files, paths, strict=True)))

    kind = inspect.Parameter.KEYWORD_ONLY
    first = [
        inspect.Parameter("model", kind, annotation=_MODEL, default=None),
        *(inspect.Parameter(name, kind, annotation=_tree(name), default=None) for name in files),
    ]
    return with_reading(command, run, ("mdp", "reopen", *files), first)


def _tree(name: str) -> Any:
    return Annotated[Path | None, typer.Argument(metavar=name.upper(), help=TREE_HELP, show_default=False)]


def _typed(words: Sequence[object]) -> str:
    return " ".join(shlex.quote(str(word)) for word in words)


def _solution(path: Path) -> "Solution | None":
    """The solution in a file; None where there is none in it."""
    from spotree.results.solution import Solution

    try:
        return Solution.load(path)
    except ReadError:
        return None


def _holds_tree_alone(path: Path) -> bool:
    """Whether a file is a document, but no solution; refused if it is none at all, or a broken solution."""
    from spotree.common.untrusted import ClaimError, json_bytes, regular_bytes
    from spotree.results.solution import FORMAT, LARGEST_FILE, Solution

    try:
        document = json_bytes(regular_bytes(path, LARGEST_FILE))
    except ClaimError as error:
        raise ReadError(f"{path}: no tree can be read from it: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return True
    Solution.load(path)
    return False


def _is_of(source: "ModelSource", model: str) -> bool:
    """Whether a source names this very model: the same name, or a file of the same name or content."""
    if source.kind != "file":
        return model == source.model
    return not is_shipped(model) and (
        Path(model).name == Path(source.model).name or _digest(model) == source.digest is not None
    )


def _digest(model: str | Path) -> str | None:
    from spotree.mdp.source import file_digest

    return file_digest(model) if Path(model).is_file() else None


def _spelled(option: Any) -> Any:
    """An option as it is compared: Python keeps a constant as a number, the command line as the word that was typed."""
    if not isinstance(option, Mapping):
        return option
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in option.items()}


def _merged(options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run under those that were typed; constants count one by one."""
    merged: dict[str, Any] = {**options, **given}
    for name in ("constants", "env_kwargs"):
        if name in options and name in given:
            merged[name] = {**options[name], **given[name]}
    if "missing" in given and "missing_reward" not in given:
        merged.pop("missing_reward", None)  # it belongs to the rule of the run
    return merged
