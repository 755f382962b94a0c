"""A search that climbs: the best tree of one depth is where the search for the next depth starts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spotree import _core
from spotree.evaluation import occupancy, uniform
from spotree.mdp.native import core_model
from spotree.search.feature_classes import ModelRanks
from spotree.search.first_tree import ROUGH
from spotree.search.run_context import GRACE, READY_SHARE, RunContext
from spotree.trees.layouts import CompleteTree, complete
from spotree.trees.tree import Tree, leaf


@dataclass(frozen=True, slots=True)
class Pace:
    """How the search spends its work, one default for every model: see `Neighbourhood`, which has these settings."""

    round_work: int = 200_000_000
    climb: int = 4
    shallow_every: int = 12
    enumerate_work: int = 20_000_000_000


QUICK = 200  # evaluations that a round must have room for where shallower trees come first
CLIMB_PART = 20  # a round's work divided by this is for each depth on the way to the asked one
DEEPEST = 12  # complete trees beyond this depth are not searched; deeper starts are kept as they are


class DepthSearch:
    """Two searches, of the asked depth and one level less; the deep one starts from what the shallow one finds."""

    def __init__(
        self,
        frame: RunContext,
        ranks: ModelRanks,
        threads: int,
        settings: Pace,
        time_limit: float = np.inf,
        first: Tree | None = None,
    ) -> None:
        self.frame, self.ranks, self.settings, self.time_limit = frame, ranks, settings, time_limit
        self.depth = min(frame.depth, DEEPEST, max(len(ranks.rank) - 1, 0))
        self.given: Tree = leaf(0)  # the best tree from outside, and its return
        self.given_value = -np.inf
        make = self._maker(threads)
        self.deep = make(self.depth)
        tree = leaf(0)
        self._start(self.deep, self.depth, first if first is not None and first.depth <= self.depth else tree)
        self.few = self.deep.positions * self.deep.work <= settings.enumerate_work
        quick = QUICK * self.deep.work < settings.round_work  # an evaluation is a small part of a round
        for depth in range(min(max(self.depth - 1, 1), settings.climb) if quick else 0):
            climb = make(depth)
            self._start(climb, depth, tree)
            climb.round(settings.round_work // CLIMB_PART, max(time_limit - frame.seconds, 0.0))
            tree = self._tree(climb) if climb.value > -np.inf else tree
        self.shallow = make(self.depth - 1) if self.depth > 1 and quick else None
        if self.shallow is not None:
            self._start(self.shallow, self.depth - 1, tree)
        if quick:
            self._start(self.deep, self.depth, tree)
        self.complete = False  # whether every tree has been tried

    def offer(self, tree: Tree) -> None:
        """Start from a tree of the asked size (see `fitting_start`)."""
        self.given, self.given_value = tree, self.frame.return_of(tree)
        self.meet(tree)

    def meet(self, tree: Tree) -> None:
        """A tree of another search; it is kept if it is better than those found here."""
        if tree.depth <= self.depth:
            self._start(self.deep, self.depth, tree)

    def round(self, number: int, seconds: float) -> None:
        """One round of counted work; now and then it goes to the shallow trees."""
        if self.few:
            self.complete = self.deep.enumerate(self.settings.round_work, seconds)
            if self.complete:
                return
        shallow = self.shallow
        if shallow is not None and number % self.settings.shallow_every == 0:
            shallow.round(self.settings.round_work, seconds)
            if shallow.value > self.deep.value:
                self._start(self.deep, self.depth, self._tree(shallow))
        else:
            self.deep.round(self.settings.round_work, seconds)

    @property
    def value(self) -> float:
        return max(self.deep.value, self.given_value)

    def best(self) -> Tree:
        if self.given_value >= self.deep.value:
            return self.given
        return self._tree(self.deep)

    def recall(self, tree: Tree) -> None:
        """One of the `others` of a run before."""
        self.meet(tree)
        if self.shallow is not None and tree.depth < self.depth:
            self._start(self.shallow, self.depth - 1, tree)

    def others(self) -> list[Tree]:
        """The best of the shallow trees."""
        shallow = self.shallow
        return [] if shallow is None or shallow.value == -np.inf else [self._tree(shallow)]

    def _tree(self, search: _core.TreeSearch) -> Tree:
        return CompleteTree(*search.tree).tree(self.ranks.values)

    def _start(self, search: _core.TreeSearch, depth: int, tree: Tree) -> None:
        start = complete(tree, self.ranks.values, depth)
        left = max(max(self.time_limit, GRACE) - self.frame.seconds, 0.0)
        search.offer(start.feature, start.cut, start.action, left)

    def _maker(self, threads: int) -> Callable[[int], _core.TreeSearch]:
        mdp, ranks, best = self.frame.mdp, self.ranks, self.frame.optimum
        value = np.where(
            np.isfinite(best.values), best.values, np.min(best.values, where=np.isfinite(best.values), initial=0)
        )
        stop, reduction = self.frame.stop_at(READY_SHARE), ROUGH if self.frame.large else 0.0
        optimal_weight, random_weight = (
            np.maximum(occupancy(mdp, policy, stop=stop, reduction=reduction), 0.0)
            for policy in (best.actions, uniform(mdp))
        )

        def make(depth: int) -> _core.TreeSearch:
            return _core.TreeSearch(
                model=core_model(mdp),
                choice_of=ranks.choice_of,
                group_of=ranks.group_of,
                rank=ranks.rank,
                num_values=ranks.num_values,
                optimal_value=value,
                optimal_weight=optimal_weight,
                random_weight=random_weight,
                optimum=best.value,
                random_return=-np.inf if self.frame.hurried else self.frame.random_value,
                depth=depth,
                max_leaves=min(self.frame.max_leaves or 2**depth, 2**depth),
                seed=self.frame.stream,
                threads=threads,
                must_end=mdp.must_end,
            )

        return make
