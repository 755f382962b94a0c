"""How often the policy acts at random while it is evaluated (the paper's epsilon)."""

from collections.abc import Callable
from typing import TypeAlias

from spotree.names import called

ExplorationRate: TypeAlias = Callable[[int], float]


def none(round: int) -> float:
    """Never."""
    return 0.0


def decaying(round: int) -> float:
    """1 / round: always in the first, less and less later (the paper's experiments)."""
    return 1.0 / max(round, 1)


EXPLORATIONS: dict[str, ExplorationRate] = {"none": none, "decaying": decaying}


def exploring(given: str | ExplorationRate) -> ExplorationRate:
    """The rate of that name, or the one given."""
    return called("exploration", given, EXPLORATIONS) if isinstance(given, str) else given
