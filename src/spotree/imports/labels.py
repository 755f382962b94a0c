"""Feature and action labels of other tools: names, or numbers from 0."""

from collections.abc import Sequence
from typing import Any

from spotree.common.lookup import listed
from spotree.common.untrusted import in_short
from spotree.errors import InvalidProblemError


def feature_of_name(name: Any, feature_names: Sequence[str]) -> int:
    """Its place among the features of the model."""
    return _place("feature", name, feature_names)


def action_of_label(label: Any, action_names: Sequence[str]) -> int:
    """Its place among the actions of the model."""
    return _place("action", label, action_names)


def _place(kind: str, given: Any, names: Sequence[str]) -> int:
    if isinstance(given, str) and given in names:
        return list(names).index(given)
    place = _counted(given, len(names))
    if place is None:
        raise InvalidProblemError(f"{kind} {in_short(given)} is none of the model's ({listed(names)})")
    return place


def _counted(label: Any, count: int) -> int | None:
    """The number that a label is or spells, if it counts one of so many."""
    if isinstance(label, bool) or not isinstance(label, int | float | str):
        return None
    try:
        number = float(label)
    except (ValueError, OverflowError):
        return None
    return int(number) if number.is_integer() and 0 <= number < count else None
