"""Progress records: one for each improvement or round, and the values of other sizes."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from spotree.common.untrusted import number, optional, record, whole


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


line_entry = record(
    {
        "seconds": number(0),
        "round": whole(0),
        "value": optional(number(infinite=True)),  # before the first tree it is -inf
        "bound": optional(number(infinite=True)),
    },
    {"current": optional(number(infinite=True)), "leaves": optional(whole(1))},
)
"""The check of a line in a file."""


def claimed_line(entry: Mapping[str, Any]) -> Progress:
    """The line of an entry that passed its check."""
    known = {f.name: entry[f.name] for f in fields(Progress) if f.name in entry}
    return Progress(**spoken(known, {"value": -math.inf, "bound": math.inf}))


def spoken(entries: dict[str, Any], infinite: Mapping[str, float]) -> dict[str, Any]:
    """The entries with what null says, as JSON has no infinite numbers (files of older versions spell them out)."""
    return entries | {name: value for name, value in infinite.items() if entries.get(name, 0) is None}
