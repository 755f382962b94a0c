"""`frontier`: the best return for each number of leaves."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spotree.api.smallest import best_leaf
from spotree.errors import InvalidProblemError
from spotree.improvement.limits import at_least, started_threads
from spotree.improvement.problem import whole_from
from spotree.mdp.model import MDP
from spotree.results.frontier import Frontier
from spotree.results.progress import Progress, Size
from spotree.results.provenance import remember
from spotree.results.solution import Solution, SolveStatus
from spotree.search.feature_classes import rank_features
from spotree.search.first_tree import Start
from spotree.search.leaf_search import LeafSearch
from spotree.search.request import ENOUGH, Request
from spotree.search.run_context import RunContext
from spotree.trees.tree import Tree

PROOF_SHARE = 0.05  # of the time: for the bound on the leaves of an optimal tree


def frontier(
    mdp: MDP,
    max_leaves: int = 32,
    *,
    depth: int | None = None,
    time_limit: float | None = 60.0,
    max_rounds: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    start: Start | None = None,
    progress: Callable[[Progress], Any] | None = None,
) -> Frontier:
    """The best return for each number of leaves, all from one run that can be stopped at any time.

    Parameters
    ----------
    max_leaves
        The largest tree of interest.
    depth
        Most splits on a path; any if not given.
    time_limit, max_rounds
        Wall-clock seconds and rounds of counted work; at least one of them.
    seed, threads, start, progress
        As for `solve`.

    Examples
    --------
    >>> trees = spotree.frontier(spotree.load("frozenlake_4x4"), max_leaves=8, time_limit=2)
    >>> [point.policy.num_leaves for point in trees][-1]
    7
    >>> trees[5].policy.num_leaves  # the best tree with at most 5 leaves
    5
    """
    whole_from(1, "max_leaves", max_leaves)
    at_least(0, "max_rounds", max_rounds, ", or None")
    if time_limit is None and max_rounds is None:
        raise InvalidProblemError("the search never ends by itself: give a time_limit or max_rounds")
    levels = max_leaves - 1 if depth is None else depth
    request = Request(levels, max_leaves, time_limit, seed, threads, start, progress)
    given = request.start_tree(mdp)
    frame = RunContext(mdp, levels, max_leaves, "frontier", seed, time_limit)
    if frame.hurried:
        only = frame.at_once(given)
        return Frontier(_together([only], mdp), max_leaves, 1, only.status, frame.seconds)
    limit = math.inf if time_limit is None else time_limit - 2 * frame.reserve
    ranks = rank_features(mdp)
    search = LeafSearch(frame, ranks, started_threads(threads), min(max_leaves, ENOUGH), depth)
    search.aim([])
    if given is not None:
        search.offer(given)
    rounds, least, status, alone = 0, 1, SolveStatus.FINISHED, None
    try:
        alone = best_leaf(search, frame, limit)
        least = max(1, search.least_leaves(min(PROOF_SHARE * limit, 1e6)))
        while max_rounds is None or rounds < max_rounds:
            if rounds and frame.seconds >= limit:
                status = SolveStatus.TIME_LIMIT
                break
            search.round(rounds, max(limit - frame.seconds, 0.0))
            rounds += 1
            leaves = search.sizes[-1][0] if search.sizes else None
            request.tell(Progress(frame.seconds, rounds, search.value, frame.ceiling, leaves=leaves))
            if alone is not None and (leaves or 0) in (1, 2) and frame.closes(search.value, frame.ceiling):
                break  # the best leaf and an optimal tree of two: there is nothing else to find
    except KeyboardInterrupt:
        status = SolveStatus.INTERRUPTED
    points = _points(frame, search, status, alone)
    optimal = [point.policy.num_leaves for point in points if frame.closes(point.value, frame.ceiling)]
    if min(optimal, default=least) < least:  # optimal only up to rounding: the bound says nothing of it
        least = 1
    return Frontier(points, max_leaves, least, status, frame.seconds)


def _points(
    frame: RunContext, search: LeafSearch, status: SolveStatus, alone: tuple[float, Tree] | None
) -> tuple[Solution, ...]:
    """The trees found, each evaluated once more; one that then is no better than a smaller one is left out.

    `alone`: the best of all single leaves and its return, if all were tried: it is proved.
    """
    points: list[Solution] = []
    for sized in search.archive:
        if sized.leaves == 1 and alone is not None:
            found = frame.solution(alone[1], status, bound=alone[0])
        else:
            found = frame.solution(sized.tree, status)
        levels = min(frame.depth, found.policy.num_leaves - 1)
        point = replace(found, max_leaves=found.policy.num_leaves, depth=max(levels, found.policy.depth))
        if not points or point.value > points[-1].value:
            points.append(point)
    if not points:
        points.append(frame.at_once(None))
    return _together(points, frame.mdp)


def _together(points: list[Solution], mdp: MDP) -> tuple[Solution, ...]:
    """The points, each of which knows the others."""
    sizes = tuple(Size(point.policy.num_leaves, point.value, point.bound) for point in points)
    return tuple(remember(replace(point, frontier=sizes), mdp) for point in points)
