"""The MODEL argument: a shipped name, or a file with reading options."""

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spotree.cli.options import model_names
from spotree.cli.stdio import complain

if TYPE_CHECKING:
    from spotree.mdp.model import MDP

READING = "How to read a model file"
READING_OPTIONS = (
    "constants",
    "reward",
    "sense",
    "goal",
    "avoid",
    "discount",
    "missing",
    "missing_reward",
    "actions",
    "drop_actions",
    "env_kwargs",
)
PROPERTIES = (".props", ".prop", ".pctl", ".csl", ".ltl")  # endings
CHANGEABLE = ("discount", "missing", "missing_reward")  # of a shipped model


def _option(*names: str, text: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=READING)


def with_model(command: Callable[..., None]) -> Callable[..., None]:
    """Turn the first parameter of a command, `mdp`, into MODEL and the options for reading a file.

    A parameter `reopen` is called with options that are to be changed, and reads the model once more.
    """

    def run(model: str, given: dict[str, Any], rest: dict[str, Any]) -> None:
        if "reopen" in inspect.signature(command).parameters:
            rest["reopen"] = lambda **changes: open_model(model, given | changes)
        command(open_model(model, given), **rest)

    return with_reading(command, run, ("mdp", "reopen"))


def with_reading(
    command: Callable[..., None],
    run: Callable[[Any, dict[str, Any], dict[str, Any]], None],
    own: Sequence[str],
    first: Sequence[inspect.Parameter] = (),
) -> Callable[..., None]:
    """A command line with MODEL, the options for reading a file and those of `command`, but for its `own` parameters.

    `run` gets MODEL, the reading options that were given, and the rest. What stands in `first` comes before MODEL, or,
    called `model`, is it.
    """

    def parse(
        model: Annotated[
            str,
            typer.Argument(
                help="A shipped model (see `spotree models`) or a model file.", autocompletion=model_names
            ),
        ],
        constants: Annotated[
            list[str] | None,
            _option("--constants", "--const", "-const", text="Constants, as in `delay=3,N=2` (repeatable)."),
        ] = None,
        reward: Annotated[
            str | None,
            _option("--reward", text="Reward structure: a name, several (`a,b`), `sum`, `reach`, `steps`."),
        ] = None,
        sense: Annotated[
            str | None, _option("--sense", text="`max` for a reward (the default), `min` for a cost.")
        ] = None,
        goal: Annotated[
            str | None, _option("--goal", text="Label or expression; the episode ends where it holds.")
        ] = None,
        avoid: Annotated[
            str | None, _option("--avoid", text="Label or expression; there the episode ends with nothing.")
        ] = None,
        discount: Annotated[
            float | None, _option("--discount", text="Discount, 0.99 unless the file says; 1: undiscounted goals.")
        ] = None,
        missing: Annotated[
            str | None, _option("--missing", text="An unavailable action: `random`, `end`, `stay` or `forbid`.")
        ] = None,
        missing_reward: Annotated[
            float | None, _option("--missing-reward", text="Reward when `--missing end` ends the episode (-1).")
        ] = None,
        actions: Annotated[
            str | None, _option("--actions", text="What an action is: `commands` (the default) or `labels`.")
        ] = None,
        drop_actions: Annotated[
            list[str] | None, _option("--drop-action", text="Leave this action out (repeatable).")
        ] = None,
        env_kwargs: Annotated[
            list[str] | None,
            _option("--env", text="What an environment is made with, as in `map_name=8x8,is_slippery=false`."),
        ] = None,
        **rest: Any,
    ) -> None:
        given = {name: value for name, value in locals().items() if name in READING_OPTIONS}
        run(model, reading_options(given), rest)

    reading = {name: given for name, given in inspect.signature(parse).parameters.items() if name != "rest"}
    model = reading.pop("model")
    begin = [*first, *([] if any(given.name == "model" for given in first) else [model])]
    asked = [given for name, given in inspect.signature(command).parameters.items() if name not in own]
    merged = [given.replace(kind=inspect.Parameter.KEYWORD_ONLY) for given in [*begin, *asked, *reading.values()]]
    parse.__name__, parse.__doc__ = command.__name__, command.__doc__
    parse.__signature__ = inspect.Signature(merged)  # type: ignore[attr-defined]
    parse.__annotations__ = {parameter.name: parameter.annotation for parameter in merged}
    return parse


def reading_options(parsed: dict[str, Any]) -> dict[str, Any]:
    """What `read` is told, from the parsed options of a command line; those that say nothing are left out."""
    given = dict(parsed)
    if given["constants"]:
        given["constants"] = _pairs(given["constants"], "--constants")
    if given["env_kwargs"]:
        given["env_kwargs"] = _values(_pairs(given["env_kwargs"], "--env"))
    if "," in (given["reward"] or ""):
        given["reward"] = given["reward"].split(",")
    return {name: value for name, value in given.items() if value not in (None, [], ())}


def open_model(model: str, options: dict[str, Any]) -> "MDP":
    """The shipped model of that name, or the model in that file."""
    from spotree.cli.words import flags
    from spotree.errors import ReadError
    from spotree.models import load, names
    from spotree.readers.read import UNDERSTOOD, is_unknown, read

    if is_shipped(model):
        if fixed := [flags()[name] for name in options if name not in CHANGEABLE]:
            known = ", ".join(flags()[name] for name in CHANGEABLE)
            raise ReadError(f"{model} is a shipped model, which takes {known} alone; drop {', '.join(fixed)}")
        return load(model, **options)
    if is_unknown(model):
        near = get_close_matches(model, names(), n=3, cutoff=0.6)
        guess = f"did you mean {', '.join(near)}? " if near else ""
        raise ReadError(
            f"{model}: no shipped model has this name; {guess}`spotree models` lists them; {UNDERSTOOD}"
        )
    mdp = read(model, **options)
    if "hint" in mdp.notes and "sense" not in options:
        complain(f"{model}: {mdp.notes['hint']}")
    return mdp


def is_shipped(model: str) -> bool:
    from spotree.models import names

    return model in names()


def is_model(word: str) -> bool:
    """Whether a word names a model, not a tree: a shipped one, an environment, or a file that `read` takes."""
    from spotree.readers.read import is_unknown
    from spotree.readers.registry import READERS

    named_so = word.lower().endswith(tuple(READERS))
    return is_shipped(word) or named_so or not (Path(word).exists() or is_unknown(word))


def refuse_properties(word: str) -> None:
    """Complain about a file of properties, which PRISM and Storm take beside a model."""
    from spotree.errors import ReadError

    if word.lower().endswith(PROPERTIES):
        raise ReadError(
            f"{word}: files of properties are not read; type what is asked: --goal done --reward reach --discount 1 for"
            ' Pmax=? [ F "done" ], --goal done --sense min --discount 1 for Rmin=? [ F "done" ]'
        )


def _pairs(texts: list[str], option: str) -> dict[str, str]:
    """`a=1,b=2` as a mapping; the reader of a file gives the values their types."""
    pairs = [pair.partition("=") for pair in ",".join(texts).split(",")]
    for name, equals, value in pairs:
        if not (name.strip() and equals and value.strip()):
            given = name + equals + value
            raise typer.BadParameter(f"{given!r} is not of the form name=value", param_hint=option)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _values(texts: dict[str, str]) -> dict[str, Any]:
    """Keyword arguments as Python has them: numbers, true and false, else texts."""

    def value(text: str) -> Any:
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        for kind in (int, float):
            with suppress(ValueError):
                return kind(text)
        return text

    return {name: value(text) for name, text in texts.items()}
