"""What a run leaves behind beside its tree: one line for each new best or round, and what other sizes would bring."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a run at one moment, for a live line and for the record.

    Attributes
    ----------
    seconds
        Wall-clock seconds since the start.
    round
        Rounds finished (the paper's l).
    value
        Return of the best tree so far.
    bound
        Proven upper bound on the return of any tree of that size so far.
    current
        Return of the tree of this round, which may be below `value`.
    leaves
        Leaves of the smallest tree that is good enough, where that is what is sought.
    """

    seconds: float
    round: int
    value: float
    bound: float
    current: float | None = None
    leaves: int | None = None


def turning_points(history: list[Progress], what: Callable[[Progress], object]) -> list[Progress]:
    """The lines at which something was another than before, and the last one."""
    kept = [
        line
        for before, line in zip([None, *history], history, strict=False)
        if before is None or what(line) != what(before)
    ]
    return kept if not history or kept[-1] is history[-1] else [*kept, history[-1]]


@dataclass(frozen=True, slots=True)
class Size:
    """The best return found with so many leaves, and a proven bound on the return of every tree with so many."""

    leaves: int
    value: float
    bound: float
