"""Errors in the words of the command line: `--goal x` where a Python call says `goal='x'`."""

import ast
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache

_NOT_IN_COMMANDS = {"gap_tolerance": "--gap", "memory_limit": "--memory"}  # what the functions call them
_WAYS_OUT = {  # those that Python alone has, and what to do here instead
    r"pass normalise=True to rescale rows .*": "correct the file",
    r"a tolerance of \S+ or more or (?=a lower discount|rewards of like size)": "",
    r"; arrays go to build_mdp, shipped names to load\b": "",
    r"(?<=has no setting ')(preset|engine)'; it has .*": r"\1'; add -m spot, or drop --\1",
}
_VALUE = r"""\{[^}]*\}|\([^)]*\)|\[[^]]*\]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\.\.\.|[\w+-]+(?:\.\w+)*"""
_MASK = "\ue000"  # stands for words that the user wrote


@cache
def flags() -> dict[str, str]:
    """The option of the command line for each name in Python."""
    from typer.main import get_command

    from spotree.cli.app import app

    known = dict(_NOT_IN_COMMANDS)
    for command in get_command(app).commands.values():  # type: ignore[attr-defined]
        known |= {option.name: option.opts[0] for option in command.params if option.param_type_name == "option"}
    return known


def in_flags(message: str, given: Sequence[str] = ()) -> str:
    """The message with options spelled as flags; the words that were `given` on the command line stay as they are."""
    names = "|".join(sorted(flags(), key=len, reverse=True))
    keyword = re.compile(rf"(?<![\w'/.-])({names})=({_VALUE})")
    kept = [word for word in given if keyword.search(word)]
    for number, word in enumerate(kept):
        message = message.replace(word, f"{_MASK}{number}{_MASK}")
    for way_out, instead in _WAYS_OUT.items():
        message = re.sub(way_out, instead, message)
    message = keyword.sub(lambda found: _as_flag(flags()[found[1]], found[2]), message)
    message = re.sub(rf"(?<![\w'/.-])({names})\b(?![=\w'])", _bare, message)
    for number, word in enumerate(kept):
        message = message.replace(f"{_MASK}{number}{_MASK}", word)
    return message


def in_words(options: Mapping[str, object]) -> str:
    """Options by their names in Python as they are typed; those that Python alone has are left out."""
    return " ".join(_as_flag(flags()[name], repr(value)) for name, value in options.items() if name in flags())


def _bare(found: re.Match[str]) -> str:
    """A name that is no English word is an option; `goal` or `depth` may be either."""
    return flags()[found[1]] if "_" in found[1] else found[1]


def _as_flag(flag: str, text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):  # a placeholder such as NAME
        return f"{flag} {text}"
    match value:
        case dict():
            return f"{flag} {_quoted(','.join(f'{name}={_plain(entry)}' for name, entry in value.items()))}"
        case tuple() | list() if flag == "--drop-action":
            return " ".join(f"{flag} {_quoted(str(entry))}" for entry in value)
        case tuple() | list():
            return f"{flag} {_quoted(','.join(map(str, value)))}"
        case str():
            return f"{flag} {_quoted(value)}"
    return f"{flag} {text}"


def _plain(value: object) -> str:
    return "..." if value is ... else str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    """As a shell takes it."""
    return text if re.fullmatch(r"[\w=,.:+-]+", text) else shlex.quote(text)
