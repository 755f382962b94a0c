"""Names of the same things in two orders, matched: a policy or certificate meets a model by names, not by position."""

from collections.abc import Sequence

import numpy as np

from spotree.axes import Ints
from spotree.errors import InvalidProblemError

MOST_SHOWN = 8


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
                f"{kind} {name!r} of {whose} is none of the model's ({_listed(among)}); {whose} is of another model"
            )
    known = set(names)
    for name in among:
        if name not in known:
            raise InvalidProblemError(
                f"{kind} {name!r} of the model is none of {whose}'s ({_listed(names)}); {whose} is of another model"
            )
    return np.array([place[name] for name in names], dtype=np.int64)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_SHOWN]) + (", ..." if len(names) > MOST_SHOWN else "")
