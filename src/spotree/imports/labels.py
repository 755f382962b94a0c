"""How another tool names a feature or an action: by its name, or by a number that counts from 0."""

from collections.abc import Sequence
from typing import Any

from spotree.claims import in_short
from spotree.errors import InvalidProblemError

MOST_SHOWN = 8


def feature_of_name(name: Any, feature_names: Sequence[str]) -> int:
    """Its place among the features of the model."""
    if isinstance(name, str) and name in feature_names:
        return list(feature_names).index(name)
    place = _counted(name, len(feature_names))
    if place is None:
        raise InvalidProblemError(f"feature {in_short(name)} is none of the model's ({_listed(feature_names)})")
    return place


def action_of_label(label: Any, action_names: Sequence[str]) -> int:
    """Its place among the actions of the model."""
    if isinstance(label, str) and label in action_names:
        return list(action_names).index(label)
    place = _counted(label, len(action_names))
    if place is None:
        raise InvalidProblemError(f"action {in_short(label)} is none of the model's ({_listed(action_names)})")
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


def _listed(names: Sequence[str]) -> str:
    return in_short(", ".join(names[:MOST_SHOWN]) + (", ..." if len(names) > MOST_SHOWN else ""))[1:-1]
