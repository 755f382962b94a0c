"""Value against size: the best tree found for each number of leaves."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from spotree.document import document
from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.by_leaves import ByLeaves
from spotree.methods.fewest import best_leaf
from spotree.methods.figures import Figures, percent_text
from spotree.methods.frame import Frame
from spotree.methods.history import Progress, Size
from spotree.methods.ranks import rank_features
from spotree.methods.remembered import remember
from spotree.methods.request import ENOUGH, Request
from spotree.methods.solution import Solution, SolveStatus
from spotree.methods.start import Start
from spotree.shown import shown
from spotree.step.limits import at_least
from spotree.step.problem import whole_from
from spotree.tree.text import leaves_text
from spotree.tree.tree import Tree

PROOF_SHARE = 0.05  # of the time: for the bound on the leaves of an optimal tree


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """The best trees found by their number of leaves, from a single leaf on; every one is better than all before it.

    Attributes
    ----------
    points
        One solution for each number of leaves at which the best return rises. `solution.max_leaves` is that number,
        `solution.bound` bounds the return of every tree with so many leaves; each knows the others' returns
        (`solution.frontier`), so that its report shows them.
    max_leaves
        The largest size that was sought.
    least_leaves
        Proved: no tree with fewer leaves is optimal; 1 where nothing is known.
    status, seconds
        How the run ended.
    """

    points: tuple[Solution, ...]
    max_leaves: int
    least_leaves: int
    status: SolveStatus
    seconds: float

    def at(self, leaves: int) -> Solution:
        """The best tree with at most so many leaves."""
        whole_from(1, "leaves", leaves)
        fitting = [point for point in self.points if point.policy.num_leaves <= leaves]
        if not fitting:
            least = self.points[0].policy.num_leaves
            raise InvalidProblemError(f"leaves is {leaves}; the smallest tree found has {leaves_text(least)}")
        return fitting[-1]

    def share(self, point: Solution) -> float:
        """How much of what size can bring a point has: 0 for the first, 1 for the best policy."""
        first, best = self.points[0].value, self.points[0].optimum
        return (point.value - first) / (best - first) if math.isfinite(best) and best > first else 1.0

    @property
    def knee(self) -> Solution:
        """The point that stands out most from the line between the first and the last one; the last if none does."""
        first, last = self.points[0], self.points[-1]
        leaves = max(last.policy.num_leaves - first.policy.num_leaves, 1)
        rise = last.value - first.value

        def above(point: Solution) -> float:
            share = (point.value - first.value) / rise if rise > 0 else 0.0
            return round(share - (point.policy.num_leaves - first.policy.num_leaves) / leaves, 9)

        return max(reversed(self.points), key=above)

    @property
    def words(self) -> str:
        """The knee as a sentence: what it brings, and what more leaves would."""
        knee = self.knee
        count = knee.policy.num_leaves
        text = f"{leaves_text(count)}: {_beside(knee)}"
        later = [point for point in self.points if point.policy.num_leaves > count]
        if not later:
            return text
        after = [point for point in later if point.policy.num_leaves <= 2 * count] or later[:1]
        more = after[-1].policy.num_leaves - count
        gain = (after[-1].value - knee.value) / abs(knee.optimum) if knee.optimum else math.inf
        brought = percent_text(gain) if math.isfinite(gain) and gain < 10 else f"{after[-1].value - knee.value:.6g}"
        return f"{text}; {more} more bring {brought}"

    def _repr_html_(self) -> str:
        from spotree.exports.notebook import frontier_html

        return frontier_html(self)

    def __repr__(self) -> str:
        first, last = self.points[0], self.points[-1]
        sizes = f"{first.policy.num_leaves} to {last.policy.num_leaves} leaves"
        return f"<Frontier of {shown(first.model)}: {len(self.points)} trees of {sizes}, {self.words}>"

    def document(self) -> dict[str, Any]:
        """Plain numbers, strings and lists, as `--json` prints them."""
        plain = {
            "max_leaves": self.max_leaves,
            "least_leaves": self.least_leaves,
            "status": self.status.name,
            "status_text": str(self.status),
            "seconds": self.seconds,
            "words": self.words,
            "knee": self.knee.policy.num_leaves,
            "points": [{"leaves": point.policy.num_leaves, **point.document()} for point in self.points],
        }
        return document("frontier", plain)


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
    >>> [point.policy.num_leaves for point in trees.points][-1]
    7
    """
    whole_from(1, "max_leaves", max_leaves)
    at_least(0, "max_rounds", max_rounds, ", or None")
    if time_limit is None and max_rounds is None:
        raise InvalidProblemError("the search never ends by itself: give a time_limit or max_rounds")
    levels = max_leaves - 1 if depth is None else depth
    request = Request(levels, max_leaves, time_limit, seed, threads, start, progress)
    given = request.start_tree(mdp)
    frame = Frame(mdp, levels, max_leaves, "frontier", seed, time_limit)
    if frame.hurried:
        only = frame.at_once(given)
        return Frontier(_together([only], mdp), max_leaves, 1, only.status, frame.seconds)
    limit = math.inf if time_limit is None else time_limit - 2 * frame.reserve
    ranks = rank_features(mdp)
    search = ByLeaves(frame, ranks, threads or os.cpu_count() or 1, min(max_leaves, ENOUGH), depth)
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
    frame: Frame, search: ByLeaves, status: SolveStatus, alone: tuple[float, Tree] | None
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


def _beside(point: Solution) -> str:
    figures: Figures = point.figures
    if figures.beside_best is not None:
        return figures.beside_best
    return f"{figures.word} {figures.text(point.value)}, best policy {figures.text(point.optimum)}"
