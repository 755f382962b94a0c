"""Names: looked up in a table, or matched in two orders, as a policy or certificate meets a model by names."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from spotree.common.arrays import Ints
from spotree.errors import InvalidProblemError

MOST_SHOWN = 8
T = TypeVar("T")


def called(kind: str, name: str, known: Mapping[str, T]) -> T:
    """What the table holds under a name, which it must know."""
    if name not in known:
        verb = "are" if kind.endswith("s") else "is"
        raise InvalidProblemError(f"{kind} {name!r} {verb} unknown; choose one of {', '.join(known)}")
    return known[name]


def places(kind: str, names: Sequence[str], among: Sequence[str], whose: str) -> Ints:
    """[name] its place among the names of the model; refused where either list has one that the other lacks.

    Parameters
    ----------
    kind
        "feature" or "action".
    names, whose
        The names to look up, and who uses them: "the policy".
    among
        The names of the model.
    """
    place = {name: number for number, name in enumerate(among)}
    for name in names:
        if name not in place:
            raise InvalidProblemError(
                f"{kind} {name!r} of {whose} is none of the model's ({listed(among)}); {whose} is of another model"
            )
    known = set(names)
    for name in among:
        if name not in known:
            raise InvalidProblemError(
                f"{kind} {name!r} of the model is none of {whose}'s ({listed(names)}); {whose} is of another model"
            )
    return np.array([place[name] for name in names], dtype=np.int64)


def listed(names: Sequence[str]) -> str:
    """The first few, and how many there are."""
    return ", ".join(names[:MOST_SHOWN]) + (f", ... ({len(names)} in all)" if len(names) > MOST_SHOWN else "")
