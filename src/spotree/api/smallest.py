"""The search for the smallest tree that is good enough."""

import math
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any, Literal

from spotree.errors import InvalidProblemError
from spotree.improvement.limits import at_least, real_from, started_threads
from spotree.mdp.model import MDP
from spotree.results.metrics import Figures
from spotree.results.progress import Progress, turning_points
from spotree.results.provenance import remember
from spotree.results.smallest import Smallest
from spotree.results.solution import Solution, SolveStatus
from spotree.search.feature_classes import rank_features
from spotree.search.first_tree import Start
from spotree.search.leaf_search import LeafSearch
from spotree.search.request import ENOUGH, Request
from spotree.search.run_context import ROUNDING, TOLERANCE, RunContext
from spotree.trees.tree import Tree, leaf

PROOF_SHARE = 0.1  # of the time: for the bound on leaves
COARSE = 1e-6  # of the best return: an error of it above that is more than rounding


def smallest(
    mdp: MDP,
    tolerance: float = 0.0,
    *,
    within: float | None = None,
    of: Literal["optimum", "random"] = "optimum",
    value: float | None = None,
    depth: int | None = None,
    time_limit: float | None = 60.0,
    max_rounds: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    start: Start | None = None,
    progress: Callable[[Progress], Any] | None = None,
) -> Smallest:
    """The fewest leaves whose return is within a tolerance of the best policy's.

    The search ends at the time limit, or once no smaller tree is possible.

    Parameters
    ----------
    tolerance, within
        Two names for one number: how much less than the best the return may be; 0 asks for an optimal tree, up to
        rounding. That is another target than 1e-6, which may take half the leaves.
    of
        What the tolerance is a share of: "optimum" for |J*|, "random" for J* - J_random.
    value
        The return to reach, in place of a tolerance; costs are negative returns.
    depth
        Most splits on a path; any if not given.
    time_limit, max_rounds
        Wall-clock seconds and rounds of counted work; at least one of them.
    seed, threads, start, progress
        As for `solve`.

    Examples
    --------
    >>> found = spotree.smallest(spotree.load("frozenlake_4x4"), time_limit=10)
    >>> found.leaves, found.proved
    (7, True)
    >>> spotree.smallest(spotree.load("frozenlake_4x4"), within=0.5, time_limit=10).reached
    True
    """
    tolerance = one_tolerance(tolerance, within)
    if of not in ("optimum", "random"):
        raise InvalidProblemError(f"of is {of!r}; it must be 'optimum' or 'random'")
    if value is not None:
        real_from(-math.inf, "value", value)
        if tolerance != 0 or of != "optimum":
            raise InvalidProblemError("value is the return to reach: it goes without a tolerance and of")
    request = Request(ENOUGH if depth is None else depth, None, time_limit, seed, threads, start, progress)
    frame = RunContext(mdp, request.depth, None, "smallest", seed, time_limit)
    target = _target(frame, tolerance, of) if value is None else value
    return fewest(request, frame, target, tolerance, of if value is None else "return", max_rounds)


def one_tolerance(tolerance: float, within: float | None) -> float:
    """The tolerance, by whichever of its two names it was given."""
    if within is None:
        real_from(0, "tolerance", tolerance)
        return tolerance
    real_from(0, "within", within)
    if tolerance != 0:
        raise InvalidProblemError(f"tolerance is {tolerance!r} and within is {within!r}: give one of them")
    return within


def _target(frame: RunContext, tolerance: float, of: str) -> float:
    """The return that is a share of something below the best one."""
    best = frame.optimum.value
    spread = best - frame.random_value
    if tolerance == 0:
        return best
    if of == "random" and not math.isfinite(spread):
        raise InvalidProblemError("the random policy's return is infinite: take of='optimum'")
    size, name = (
        (abs(best), "the best return") if of == "optimum" else (spread, "what there is to win over random actions")
    )
    if size <= ROUNDING * max(1.0, abs(best), spread if math.isfinite(spread) else 0.0):
        other = "random" if of == "optimum" else "optimum"
        raise InvalidProblemError(
            f"{name} is 0, of which no tolerance is a share: take of={other!r}, or give value, the return to reach"
        )
    return best - tolerance * size


def fewest(
    request: Request, frame: RunContext, target: float, tolerance: float, of: str, max_rounds: int | None
) -> Smallest:
    """The smallest tree that returns at least the target, by rounds until the request's limits."""
    if request.time_limit is None and max_rounds is None:
        raise InvalidProblemError("the search never ends by itself: give a time_limit or max_rounds")
    at_least(0, "max_rounds", max_rounds, ", or None")
    mdp, given = frame.mdp, request.start_tree(frame.mdp)
    best = frame.optimum.value
    rounding = _rounding(frame)
    slack = best - target + rounding
    if slack < 0 and target > frame.ceiling + rounding:
        figures = Figures(best, frame.random_value, sense=mdp.sense)
        raise InvalidProblemError(
            f"no policy of {mdp.name} reaches a {figures.word} of {figures.text(target)}: the best one's is"
            f" {figures.text(best)}"
        )
    if frame.hurried:
        ended = SolveStatus.INTERRUPTED if frame.interrupted else SolveStatus.TIME_LIMIT
        return answer(frame, frame.at_once(given), target, tolerance, of, rounding, 1, ended)
    limit = math.inf if request.time_limit is None else request.time_limit - 2 * frame.reserve
    search = LeafSearch(
        frame,
        rank_features(mdp),
        started_threads(request.threads),
        None,
        None if request.depth >= ENOUGH else request.depth,
    )
    search.aim([max(slack, 0.0)])
    if given is not None:
        search.offer(given)
    history: list[Progress] = []
    least, status, alone = 1, SolveStatus.FINISHED, None
    try:
        alone = best_leaf(search, frame, limit)
        if slack <= 2 * rounding:
            least = max(1, search.least_leaves(min(PROOF_SHARE * limit, 1e6)))
        while max_rounds is None or len(history) < max_rounds:
            if history and frame.seconds >= limit:
                status = SolveStatus.TIME_LIMIT
                break
            search.round(len(history), max(limit - frame.seconds, 0.0))
            leaves, loss = next(((k, lost) for k, lost in search.sizes if lost <= slack), (None, None))
            value = search.value if loss is None else best - loss
            history.append(Progress(frame.seconds, len(history) + 1, value, frame.ceiling, leaves=leaves))
            request.tell(history[-1])
            if leaves == 1 or (leaves is not None and leaves <= least):
                break
    except KeyboardInterrupt:
        status = SolveStatus.INTERRUPTED
    trees = [sized.tree for sized in search.archive if sized.loss <= slack] + ([] if given is None else [given])
    if alone is not None and alone[0] >= target - rounding:
        trees = [alone[1]]
    # The search's own belief does not count: the smallest that may reach the target when it is evaluated.
    trees.sort(key=attrgetter("num_leaves"))
    tree = next((one for one in trees if _may_reach(frame, one, target - 2 * rounding)), None)
    if tree is not None and tree.num_leaves < least:  # as good only up to rounding: the bound says nothing of it
        least = 1
    if tree is None:
        tree = search.best() if given is None or frame.return_of(given) < search.value else given
    if least == 1 and alone is not None and alone[0] < target - 2 * rounding:
        least = 2
    solution = frame.solution(tree, status, turning_points(history, lambda line: (line.leaves, line.value)))
    return answer(frame, solution, target, tolerance, of, rounding, least, status)


def _rounding(frame: RunContext) -> float:
    """So much less than a target counts as the target: 1e-9 of the best return, or what that may be off by rounding."""
    best = frame.optimum
    size = abs(best.value)
    return max(
        TOLERANCE * size if size > 0 else frame.tolerance(best.value),
        best.error if best.error <= COARSE * size else 0.0,
    )


def _may_reach(frame: RunContext, tree: Tree, least: float) -> bool:
    """Whether a tree returns so much, as far as there was time to find out."""
    found = frame.evaluated(tree)
    return found.value + found.error >= least


def best_leaf(search: LeafSearch, frame: RunContext, limit: float) -> tuple[float, Tree] | None:
    """The best tree of a single leaf and its return; None if the time was up before all were evaluated.

    Each is offered to the search.
    """
    found: list[tuple[float, Tree]] = []
    for action in range(frame.mdp.num_actions):
        if frame.seconds >= limit:
            return None
        tree = leaf(action)
        search.offer(tree)
        value = frame.evaluated(tree)
        if not (value.error <= frame.tolerance(value.value, value.error)):
            return None
        found.append((value.value, tree))
    return max(found, key=lambda one: one[0])


def answer(
    frame: RunContext,
    solution: Solution,
    target: float,
    tolerance: float,
    of: str,
    rounding: float,
    least: int,
    status: SolveStatus,
) -> Smallest:
    """All that a search for a target found, in one place."""
    # A target that is a share of a best return known only roughly is reached where it surely is.
    unknown = frame.optimum.error if of in ("optimum", "random") and frame.optimum.error > rounding else 0.0
    reached = solution.value >= target + unknown - 2 * rounding
    policy = solution.policy
    solution = replace(solution, depth=max(policy.depth, policy.num_leaves - 1), max_leaves=policy.num_leaves)
    found = Smallest(solution, target, tolerance, of, reached, least, status)
    if found.proved:
        found = replace(found, status=SolveStatus.OPTIMAL)
    ended = "" if found.proved else f", {str(status).partition(';')[0]}"
    notes = {"sought": found.asked, "found": f"{found.words} ({found.gap_text}{ended})"}
    solution = replace(solution, notes={**solution.notes, **notes})
    return replace(found, solution=remember(solution, frame.mdp))
