"""The search whose size is leaves: the best tree found for each number of them, and how few an optimal one can have."""

import math
from dataclasses import dataclass

import numpy as np

from spotree import _core
from spotree.mdp.graph import reachable_states
from spotree.mdp.native import core_model
from spotree.search.feature_classes import ModelRanks
from spotree.search.request import ENOUGH
from spotree.search.run_context import READY_SHARE, ROUNDING, RunContext
from spotree.trees.layouts import Shape, preorder
from spotree.trees.tree import Tree, leaf

ROUND_WORK = 200_000_000  # counted operations of one thread between two exchanges (about 0.3 s)
PROOF_WORK = 3_000_000_000  # counted work that a bound on leaves may take
SURE = 1e-10  # of the largest |V*| in reach: values known this well tell a choice with regret from one without


@dataclass(frozen=True, slots=True, eq=False)
class Sized:
    """The best tree found with so many leaves; `loss` is what it returns less than the best policy."""

    leaves: int
    loss: float
    tree: Tree


class LeafSearch:
    """One search on one model; `archive` holds its trees, fewer leaves first, each better than all before it."""

    complete = False  # it never tries every tree

    def __init__(
        self,
        frame: RunContext,
        ranks: ModelRanks,
        threads: int,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        round_work: int = ROUND_WORK,
    ) -> None:
        self.frame, self.ranks, self.round_work = frame, ranks, round_work
        self.unit = unit(frame)
        best = frame.optimum
        spread = best.value - frame.random_value
        self._core = _core.LeafSearch(
            model=core_model(frame.mdp),
            choice_of=ranks.choice_of,
            group_of=ranks.group_of,
            rank=ranks.rank,
            num_values=ranks.num_values,
            optimal_value=best.values,
            span=spread if math.isfinite(spread) and spread > 0 else self.unit,
            unit=self.unit,
            max_leaves=min(max_leaves or ENOUGH, ENOUGH),
            max_depth=-1 if max_depth is None else max_depth,
            seed=frame.stream,
            threads=threads,
            must_end=frame.mdp.must_end,
            stop=frame.stop_at(READY_SHARE),
        )

    def aim(self, targets: list[float], focus: int | None = None) -> None:
        """Seek the fewest leaves for each of these losses, or the least loss for `focus` leaves, or for all numbers."""
        self._core.aim(np.array(targets, dtype=np.float64), focus or 0)

    def offer(self, tree: Tree) -> None:
        """A tree from outside."""
        shape = preorder(tree, self.ranks.values)
        self._core.offer(shape.feature, shape.cut, shape.right)

    def round(self, number: int, seconds: float) -> None:
        """One round of counted work, whatever its number."""
        self._core.round(self.round_work, seconds)

    @property
    def value(self) -> float:
        """The return of the best tree of all, as the search sees it."""
        sizes = self.sizes
        return self.frame.optimum.value - sizes[-1][1] if sizes else -math.inf

    def best(self) -> Tree:
        """That tree; a single leaf where none is feasible."""
        archive = self.archive
        return archive[-1].tree if archive else leaf(0)

    recall = offer  # one of the `others` of a run before

    def others(self) -> list[Tree]:
        """The best trees with fewer leaves, larger ones first."""
        return [sized.tree for sized in reversed(self.archive[:-1])]

    @property
    def archive(self) -> list[Sized]:
        """The trees found, by leaves."""
        return [
            Sized((len(feature) + 1) // 2, loss, Shape(feature, cut, right).tree(self.ranks.values))
            for loss, feature, cut, right in self._core.archive
        ]

    @property
    def sizes(self) -> list[tuple[int, float]]:
        """Leaves and loss of the trees found."""
        return [((len(feature) + 1) // 2, loss) for loss, feature, _, _ in self._core.archive]

    def least_leaves(self, seconds: float) -> int:
        """No tree with fewer leaves is optimal; 0 where that is not known."""
        values = self.frame.optimum.values[reachable_states(self.frame.mdp)]
        size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
        if self.frame.optimum.error > SURE * size:
            return 0
        least = self._core.least_leaves(PROOF_WORK, seconds)
        return int(least) if math.isfinite(least) else 0


def unit(frame: RunContext) -> float:
    """What losses are measured by: |J*|, or what there is to win over acting at random where that is near 0."""
    size = abs(frame.optimum.value)
    spread = frame.optimum.value - frame.random_value
    if size > ROUNDING * max(1.0, spread if math.isfinite(spread) else 0.0):
        return size
    return spread if math.isfinite(spread) and spread > 0 else 1.0
