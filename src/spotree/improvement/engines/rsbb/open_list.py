"""Open list of a branch and bound: open subproblems, incumbent, bound."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from spotree import _core
from spotree.common.arrays import Ints
from spotree.improvement.engines.rsbb.config import Ground, packed
from spotree.improvement.engines.rsbb.distributed.worker import Found, counts_of, found_by


@dataclass(slots=True, eq=False)
class OpenSpace:
    """The pool of open regions, which is a search in the core, and what is known of regions that are elsewhere.

    Attributes
    ----------
    tree
        The best tree that was found; None while that is the start.
    discarded
        No tree of a region that was closed elsewhere, or in runs before, loses less.
    counts
        What was done elsewhere.
    feasible
        Whether there is a tree at all.
    """

    pool: _core.RsbbSearch
    tree: Found | None = None
    discarded: float = math.inf
    counts: dict[str, int] = field(default_factory=dict)
    feasible: bool = True

    def look(self) -> None:
        """Take over a better tree that was found in the pool."""
        self.meet(found_by(self.pool))

    def meet(self, tree: Found | None) -> None:
        """Take over a tree, if it is better."""
        if tree is not None and (self.tree is None or tree.loss < self.tree.loss):
            self.tree = tree
            self.pool.meet(tree.loss)

    def regions(self) -> Ints:
        """A copy of the regions of the pool."""
        return packed(self.pool.regions(), self.pool.width)

    def least_loss(self, elsewhere: float = math.inf) -> float:
        """No tree loses less, if those elsewhere lose at least so much."""
        known = (self.discarded, self.pool.discarded_least, self.pool.open_least, self.pool.incumbent)
        return min(elsewhere, *known)

    def all_counts(self) -> dict[str, int]:
        """What was done here and elsewhere; of the largest frontier the largest."""
        here = counts_of(self.pool.conclude())
        return {
            name: max(here[name], self.counts.get(name, 0))
            if name == "largest frontier"
            else here[name] + self.counts.get(name, 0)
            for name in here
        }


def whole_space(ground: Ground) -> OpenSpace:
    """Everything is open."""
    pool = ground.search()
    return OpenSpace(pool, feasible=pool.begin())


def search_alone(space: OpenSpace, seconds: float | None, keep: Callable[[], float | None]) -> int:
    """Search on this machine until nothing is open or the time is up, and keep what is open now and then.

    `keep` says how many seconds the search may go on before it is called again; None for as long as it likes. Returns
    the number of the core's reason to stop.
    """
    left = math.inf if seconds is None else seconds
    while True:
        pause = keep()
        turn = min(left, math.inf if pause is None else pause)
        reason = space.pool.go_on(turn if np.isfinite(turn) else -1.0)
        space.look()
        left -= turn
        if reason != TIME or left <= 0:
            return reason


TIME = 1  # `Reason::time` in core/runtime/stop.hpp
