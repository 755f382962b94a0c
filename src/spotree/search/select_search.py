"""Choice of the search for the size asked for; depth search and leaf search in turn."""

from typing import TypeAlias

from spotree.search.depth_search import DEEPEST, DepthSearch, Pace
from spotree.search.feature_classes import rank_features
from spotree.search.leaf_search import LeafSearch
from spotree.search.run_context import RunContext
from spotree.trees.prune import prune
from spotree.trees.tree import Tree

TURNS = 4  # one round of so many goes to complete trees


class AlternatingSearch:
    """Both searches at once."""

    def __init__(self, ladder: DepthSearch, by_leaves: LeafSearch) -> None:
        self.ladder, self.by_leaves = ladder, by_leaves

    def offer(self, tree: Tree) -> None:
        """Start from a tree of the asked size."""
        self.ladder.offer(tree)
        self.by_leaves.offer(tree)

    def recall(self, tree: Tree) -> None:
        """One of the `others` of a run before."""
        self.ladder.recall(tree)
        self.by_leaves.recall(tree)

    def others(self) -> list[Tree]:
        """Further good trees of both."""
        return [*self.ladder.others(), *self.by_leaves.others()]

    def round(self, number: int, seconds: float) -> None:
        """One round of one of them; a better tree is offered to the other."""
        if number % TURNS == TURNS - 1:
            self.ladder.round(number // TURNS, seconds)
            if self.ladder.value > self.by_leaves.value:
                self.by_leaves.offer(self.ladder.best())
        else:
            self.by_leaves.round(number, seconds)
            if self.by_leaves.value > self.ladder.value:
                self.ladder.meet(self.by_leaves.best())

    @property
    def complete(self) -> bool:
        """Whether every tree has been tried."""
        return self.ladder.complete

    @property
    def value(self) -> float:
        return max(self.by_leaves.value, self.ladder.value)

    def best(self) -> Tree:
        free = self.by_leaves.value > self.ladder.value
        return self.by_leaves.best() if free else prune(self.ladder.best())


DEEP, TOO_DEEP = 5, 8  # from these depths on trees of any shape get most of the rounds, and all

Searcher: TypeAlias = DepthSearch | LeafSearch | AlternatingSearch


def searcher(frame: RunContext, threads: int, settings: Pace, limit: float, first: Tree | None = None) -> Searcher:
    """Complete trees where they are shallow; trees of any shape where the depth is free; both in between.

    Trees of any shape are judged by their regret, which needs the exact optimum: without it there are complete ones.
    """
    ranks, leaves = rank_features(frame.mdp), frame.max_leaves
    free = leaves is not None and frame.depth >= leaves - 1
    ladder = None
    if frame.hurried or (frame.depth < DEEP if free else frame.depth <= TOO_DEEP):
        ladder = DepthSearch(frame, ranks, threads, settings, limit, first)
        if free or frame.hurried or frame.depth < DEEP or ladder.few:
            return ladder
    by_leaves = LeafSearch(frame, ranks, threads, leaves, None if free else frame.depth, settings.round_work)
    by_leaves.aim([], leaves or 2 ** min(frame.depth, DEEPEST))
    if first is not None:
        by_leaves.offer(first)
    return by_leaves if ladder is None else AlternatingSearch(ladder, by_leaves)
