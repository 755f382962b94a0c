"""Origin of a model: the file, shipped name or environment that it was read from, and the reading options."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from spotree.common.untrusted import (
    Check,
    ClaimError,
    list_of,
    named,
    number,
    one_of,
    optional,
    record,
    text,
    truth,
)

Kind: TypeAlias = Literal["file", "shipped", "environment"]
LONGEST_PATH = 4096  # characters
LONGEST_OPTION = 2**16  # characters


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model comes from, as plain values that a file can hold.

    Attributes
    ----------
    kind
        Who opens it: "file" and "environment" `spotree.read`, "shipped" `spotree.load`.
    model
        The path as it was given, the name of the shipped model, or the id of the environment.
    options
        The reading options that were given, by the names of `read` or `load`.
    digest
        SHA-256 of the file.
    """

    kind: Kind
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)
    digest: str | None = None

    def __str__(self) -> str:
        """The call of Python that opens the model."""
        given = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"spotree.{'load' if self.kind == 'shipped' else 'read'}({self.model!r}{given})"

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "model": self.model,
            "options": {name: dict(v) if isinstance(v, Mapping) else v for name, v in self.options.items()},
            "digest": self.digest,
        }


def source_of(
    kind: Kind, model: str, options: Mapping[str, Any], path: str | Path | None = None
) -> ModelSource | None:
    """The record of a model that has just been opened; None if a file cannot hold what it was opened with."""
    try:
        found = ModelSource(kind, model, _plain(options), None if path is None else file_digest(path))
        source_entry("source", found.as_dict())
    except (ClaimError, TypeError, OSError):
        return None
    return found


def claimed_source(claim: Mapping[str, Any] | None) -> ModelSource | None:
    """The record in a file, once `source_entry` has passed it."""
    if claim is None:
        return None
    return ModelSource(claim["kind"], claim["model"], dict(claim["options"]), claim.get("digest"))


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file's content."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _plain(value: Any) -> Any:
    """The value as JSON has it; TypeError if it has none."""
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return str(value) if isinstance(value, str) else value
    raise TypeError(f"{type(value).__name__} is no plain value")


def _scalar(name: str, value: Any) -> None:
    if isinstance(value, str):
        text(LONGEST_OPTION)(name, value)
    elif isinstance(value, bool):
        truth(name, value)
    else:
        number()(name, value)


def _one_or_more_texts(name: str, value: Any) -> None:
    (list_of(_TEXT) if isinstance(value, list) else _TEXT)(name, value)


def _env_value(name: str, value: Any) -> None:
    """What an environment is made with: a plain value or a list of them, such as the rows of a map."""
    if isinstance(value, list):
        list_of(_env_value)(name, value)
    elif value is not None:
        _scalar(name, value)


def _options(name: str, value: Any) -> None:
    """An option that is unknown here is refused: without it another model would be read."""
    record({}, OPTIONS)(name, value)
    for option in value:
        if option not in OPTIONS:
            raise ClaimError(f"{name}/{option} is no reading option of this spotree; known: {', '.join(OPTIONS)}")


def _digest(name: str, value: Any) -> None:
    text(64)(name, value)
    if len(value) != 64 or set(value) - set("0123456789abcdef"):
        raise ClaimError(f"{name} is {value!r}; it must be 64 hexadecimal digits")


_TEXT = text(LONGEST_OPTION)
OPTIONS: dict[str, Check] = {  # every option of `read`
    "constants": named(_scalar),
    "reward": _one_or_more_texts,
    "sense": one_of("max", "min"),
    "goal": _TEXT,
    "avoid": _TEXT,
    "discount": number(0, 1),
    "missing": one_of("random", "end", "stay", "forbid"),
    "missing_reward": number(),
    "actions": one_of("commands", "labels"),
    "drop_actions": list_of(_TEXT),
    "env_kwargs": named(_env_value),
    "reachable": truth,
    "name": _TEXT,
}
source_entry = record(
    {"kind": one_of(*get_args(Kind)), "model": text(LONGEST_PATH), "options": _options},
    {"digest": optional(_digest)},
)
