"""Worker of the island search: rounds between two exchanges of the incumbent."""

import copy
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

from spotree.mdp.model import MDP
from spotree.search.depth_search import Pace
from spotree.search.run_context import RunContext
from spotree.search.select_search import Searcher, searcher
from spotree.trees.tree import Tree

ROUNDS = 8  # of the search between two exchanges: about two seconds
MOST_ISLANDS = 64  # kept in one process, the most recent ones


@dataclass(frozen=True, slots=True, eq=False)
class IslandRequest:
    """What an island is asked to do next.

    Attributes
    ----------
    run, island, stream
        Which search, which island of it, and what its chance draws from.
    pace, threads
        How it spends its work, and on how many cores.
    first
        The number of its first round.
    elapsed, seconds, limit
        Of the whole run: what had passed when this was sent, what is left for this order, and in all.
    best, others
        The best tree of all islands, and further good ones where the island begins.
    """

    run: str
    island: int
    stream: int
    pace: Pace
    threads: int
    first: int
    elapsed: float
    seconds: float
    limit: float
    best: Tree | None
    others: tuple[Tree, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class IslandResponse:
    """What an island has come to."""

    tree: Tree
    value: float
    complete: bool
    rounds: int
    others: tuple[Tree, ...]


_islands: OrderedDict[tuple[str, int], Searcher] = OrderedDict()  # of this process, while nobody works on them
_lock = threading.Lock()


def explore(mdp: MDP, bare: RunContext, order: IslandRequest) -> IslandResponse:
    """A few rounds; the search is kept for the next ones, and begun anew where it is not here (any more)."""
    end = time.perf_counter() + order.seconds
    with _lock:
        search = _islands.pop((order.run, order.island), None)
    search = search or _begun(mdp, bare, order)
    if order.best is not None:
        search.offer(order.best)
    rounds = 0
    while rounds < ROUNDS and not search.complete and (rounds == 0 or time.perf_counter() < end):
        search.round(order.first + rounds, max(end - time.perf_counter(), 0.0))
        rounds += 1
    report = IslandResponse(search.best(), search.value, search.complete, rounds, tuple(search.others()))
    with _lock:
        _islands[order.run, order.island] = search
        while len(_islands) > MOST_ISLANDS:
            _islands.popitem(last=False)
    return report


def _begun(mdp: MDP, bare: RunContext, order: IslandRequest) -> Searcher:
    frame = copy.copy(bare)
    frame.mdp, frame.stream = mdp, order.stream
    frame.started = time.perf_counter() - order.elapsed  # clocks of two machines have nothing in common
    search = searcher(frame, order.threads, order.pace, order.limit)
    for tree in order.others:
        search.recall(tree)
    return search


def forget(run: str) -> None:
    """Let go of the islands of a run that has ended."""
    with _lock:
        for key in [key for key in _islands if key[0] == run]:
            del _islands[key]


def plain(pace: Pace) -> Pace:
    """The pace alone, of a method that has more settings."""
    return replace(Pace(), **{name: getattr(pace, name) for name in Pace.__dataclass_fields__})
