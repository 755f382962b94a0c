"""Which search suits the size asked for."""

from typing import TypeAlias

from spotree.methods.by_leaves import ByLeaves
from spotree.methods.frame import Frame
from spotree.methods.ladder import DEEPEST, Ladder, Pace
from spotree.methods.mixed import Mixed
from spotree.methods.ranks import rank_features

DEEP, TOO_DEEP = 5, 8  # from these depths on trees of any shape get most of the rounds, and all

Searcher: TypeAlias = Ladder | ByLeaves | Mixed


def searcher(frame: Frame, threads: int, settings: Pace, limit: float) -> Searcher:
    """Complete trees where they are shallow; trees of any shape where the depth is free; both in between."""
    ranks, leaves = rank_features(frame.mdp), frame.max_leaves
    free = leaves is not None and frame.depth >= leaves - 1
    ladder = None
    if frame.depth < DEEP if free else frame.depth <= TOO_DEEP:
        ladder = Ladder(frame, ranks, threads, settings, limit)
        if free or frame.depth < DEEP or ladder.few:
            return ladder
    by_leaves = ByLeaves(frame, ranks, threads, leaves, None if free else frame.depth, settings.round_work)
    by_leaves.aim([], leaves or 2 ** min(frame.depth, DEEPEST))
    return by_leaves if ladder is None else Mixed(ladder, by_leaves)
