"""Worker of a distributed branch and bound."""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from spotree import _core
from spotree.common.arrays import Ints, SmallInts
from spotree.improvement.engines.rsbb.config import Ground, packed

MOST_PARTS = 16  # kept in one process, the most recent ones


@dataclass(frozen=True, slots=True, eq=False)
class RsbbRequest:
    """What a part is asked to do next.

    Attributes
    ----------
    part, number
        Which part, and how many orders it has had: one that is not where it should be has lost regions.
    take
        Regions for it.
    loss
        What the best tree known loses.
    seconds
        How long to search.
    give
        How many of its best regions to hand over afterwards for others: the best and every second one after it.
    show
        Also show all that is left, so that it is not lost with the worker, where that is at most so many bytes.
    """

    part: str
    number: int
    take: Ints
    loss: float
    seconds: float
    give: int
    show: float


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A tree in the core's terms, and what it loses."""

    feature: SmallInts
    cut: SmallInts
    action: SmallInts
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class RsbbResponse:
    """What a part has come to; None in its place where it was not there."""

    given: Ints
    shown: Ints | None
    open: int
    open_least: float
    discarded_least: float
    tree: Found | None
    full: bool
    counts: dict[str, int]


_parts: OrderedDict[str, tuple[int, _core.RsbbSearch]] = (
    OrderedDict()
)  # of this process, while nobody works on them
_lock = threading.Lock()


def search_part(ground: Ground, order: RsbbRequest) -> RsbbResponse | None:
    """Search for a while, and say what came of it."""
    with _lock:
        number, search = _parts.pop(order.part, (0, None))
    if number != order.number:
        return None
    search = search or ground.search()
    search.meet(order.loss)
    search.take(order.take)
    reason = search.go_on(order.seconds) if search.open else 0
    given = packed(search.give(order.give, False), search.width)
    little = 8.0 * search.width * search.open <= order.show
    report = RsbbResponse(
        given,
        packed(search.regions(), search.width) if little else None,
        search.open,
        search.open_least,
        search.discarded_least,
        found_by(search),
        reason == FULL,
        counts_of(search.conclude()),
    )
    with _lock:
        _parts[order.part] = (order.number + 1, search)
        while len(_parts) > MOST_PARTS:
            _parts.popitem(last=False)
    return report


FULL = 2  # `Reason::memory` in core/runtime/stop.hpp


def forget(run: str) -> None:
    """Let go of the parts of a search that has ended."""
    with _lock:
        for part in [part for part in _parts if part.startswith(run)]:
            del _parts[part]


def found_by(search: _core.RsbbSearch) -> Found | None:
    """The best tree that was found here."""
    outcome = search.conclude()
    if not len(outcome.action):
        return None
    return Found(outcome.feature, outcome.cut, outcome.action, outcome.loss)


def counts_of(outcome: _core.RsbbOutcome) -> dict[str, int]:
    """What a search did, by name."""
    return {
        "regions expanded": outcome.expanded,
        "regions bounded": outcome.bounded,
        "regions discarded": outcome.discarded,
        "largest frontier": outcome.largest_frontier,
        "candidate trees": outcome.candidates,
    }
