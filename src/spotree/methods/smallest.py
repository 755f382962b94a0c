"""The smallest tree that is good enough."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from spotree.document import document
from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.by_leaves import ENOUGH, ByLeaves
from spotree.methods.figures import SAME, Figures, percent_text
from spotree.methods.frame import ROUNDING, Frame
from spotree.methods.history import Progress
from spotree.methods.ranks import rank_features
from spotree.methods.remembered import remember
from spotree.methods.request import Request
from spotree.methods.solution import Solution, SolveStatus
from spotree.methods.start import Start
from spotree.shown import shown
from spotree.step.limits import at_least, real_from
from spotree.tree.policy import TreePolicy
from spotree.tree.text import leaves_text
from spotree.tree.tree import leaf

PROOF_SHARE = 0.1  # of the time: for the bound on leaves


@dataclass(frozen=True, slots=True, eq=False)
class Smallest:
    """The smallest tree found whose return is at least a target.

    Attributes
    ----------
    solution
        The tree and all that is known of it; `solution.max_leaves` is its number of leaves.
    target
        The return that was asked for.
    tolerance, of
        How much less than the best policy's return that is, and what this is a share of: "optimum" for |J*|,
        "random" for J* - J_random, "return" where the return itself was given, "policy" for the return of the tree
        that was simplified.
    reached
        Whether the tree returns at least the target; if not, it is the best one found.
    least_leaves
        Proved: no tree with fewer leaves reaches the target.
    status
        How the search ended; "proved optimal" where no smaller tree is possible (`solution.status` says whether the
        tree is the best of its size, which is another question).
    """

    solution: Solution
    target: float
    tolerance: float
    of: str
    reached: bool
    least_leaves: int
    status: SolveStatus

    @property
    def policy(self) -> TreePolicy:
        return self.solution.policy

    @property
    def leaves(self) -> int:
        return self.solution.policy.num_leaves

    @property
    def value(self) -> float:
        return self.solution.value

    @property
    def exact(self) -> bool:
        """Whether an optimal tree was asked for, up to rounding, not one within a tolerance."""
        return self.of in ("optimum", "random") and self.tolerance == 0

    @property
    def gap_text(self) -> str:
        """The gap in words."""
        if self.solution.figures.shown(-self.solution.loss) == 0 or self.gap < SAME:
            return "no gap to the best policy"
        if math.isinf(self.gap):
            return f"{self.solution.loss:.6g} from the best policy"
        return f"gap to the best policy {percent_text(self.gap)}"

    @property
    def asked(self) -> str:
        """The target in words."""
        figures = self.solution.figures
        if self.exact:
            return "the smallest tree that is exactly optimal, up to rounding"
        if self.of == "return":
            most = "most" if figures.sense == "min" else "least"
            return f"the smallest tree with a {figures.word} of at {most} {figures.text(self.target)}"
        if self.of == "policy" and self.tolerance == 0:
            return "the smallest tree that is as good as the given one"
        whose = {
            "policy": f"the given one's {figures.word}",
            "random": "what the best policy gains over random actions",
            "optimum": f"the best policy's {figures.word}",
        }
        return f"the smallest tree within {percent_text(self.tolerance)} of {whose[self.of]}"

    @property
    def words(self) -> str:
        """How small the tree is, and what is proved of that."""
        count = leaves_text(self.leaves)
        if not self.reached:
            return f"{count}, but the target is not reached"
        if self.proved:
            return f"{count}: smallest possible"
        needed = self.least_leaves
        return f"{count}; at least {needed} are needed" if needed > 1 else f"{count}; how few are needed is open"

    @property
    def proved(self) -> bool:
        """Whether no smaller tree reaches the target."""
        return self.reached and self.leaves <= self.least_leaves

    @property
    def gap(self) -> float:
        """What the tree returns less than the best policy, relative to the size of that."""
        loss, size = self.solution.loss, abs(self.solution.optimum)
        return loss / size if size > 0 else math.inf if loss > 0 else 0.0

    def __repr__(self) -> str:
        return f"<Smallest of {shown(self.solution.model)}: {self.words}, gap {self.gap:.2e}>"

    def _repr_html_(self) -> str:
        from spotree.exports.notebook import smallest_html

        return smallest_html(self)

    def save(self, path: str | Path) -> None:
        """Write the solution as JSON, as `Solution.save` does; its notes say what was asked and what is proved."""
        self.solution.save(path)

    def document(self) -> dict[str, Any]:
        """Plain numbers, strings and lists, as `--json` prints them; the tree stands in `solution`."""
        plain = {
            "leaves": self.leaves,
            "least_leaves": self.least_leaves,
            "proved": self.proved,
            "reached": self.reached,
            "target": self.target,
            "tolerance": self.tolerance,
            "of": self.of,
            "exact": self.exact,
            "status": self.status.name,
            "asked": self.asked,
            "words": self.words,
            "gap_to_best": self.gap,
        }
        return document("smallest", plain | {"solution": self.solution.document()})


def smallest(
    mdp: MDP,
    tolerance: float = 0.0,
    *,
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
    tolerance
        How much less than the best the return may be; 0 asks for an optimal tree, up to rounding. That is another
        target than 1e-6, which may take half the leaves.
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
    """
    real_from(0, "tolerance", tolerance)
    if of not in ("optimum", "random"):
        raise InvalidProblemError(f"of is {of!r}; it must be 'optimum' or 'random'")
    if value is not None:
        real_from(-math.inf, "value", value)
        if tolerance != 0 or of != "optimum":
            raise InvalidProblemError("value is the return to reach: it goes without a tolerance and of")
    request = Request(_levels(depth), None, time_limit, seed, threads, start, progress)
    frame = Frame(mdp, request.depth, None, "smallest", seed, time_limit)
    target = _target(frame, tolerance, of) if value is None else value
    return fewest(request, frame, target, tolerance, of if value is None else "return", max_rounds)


def _target(frame: Frame, tolerance: float, of: str) -> float:
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
    request: Request, frame: Frame, target: float, tolerance: float, of: str, max_rounds: int | None
) -> Smallest:
    """The smallest tree that returns at least the target, by rounds until the request's limits."""
    if request.time_limit is None and max_rounds is None:
        raise InvalidProblemError("the search never ends by itself: give a time_limit or max_rounds")
    at_least(0, "max_rounds", max_rounds, ", or None")
    mdp, given = frame.mdp, request.start_tree(frame.mdp)
    best = frame.optimum.value
    rounding = max(frame.tolerance(best), frame.optimum.error)
    slack = best - target + rounding
    if slack < 0 and target > frame.ceiling + rounding:
        figures = Figures(best, frame.random_value, sense=mdp.sense)
        raise InvalidProblemError(
            f"no policy of {mdp.name} reaches a {figures.word} of {figures.text(target)}: the best one's is"
            f" {figures.text(best)}"
        )
    if frame.hurried:
        ended = SolveStatus.INTERRUPTED if frame.interrupted else SolveStatus.TIME_LIMIT
        return _answer(frame, frame.at_once(given), target, tolerance, of, rounding, 1, ended)
    limit = math.inf if request.time_limit is None else request.time_limit - frame.reserve
    search = ByLeaves(
        frame,
        rank_features(mdp),
        request.threads or os.cpu_count() or 1,
        None,
        None if request.depth >= ENOUGH else request.depth,
    )
    search.aim([max(slack, 0.0)])
    if given is not None:
        search.offer(given)
    history: list[Progress] = []
    least, status, tried = 1, SolveStatus.FINISHED, False
    try:
        tried = every_leaf(search, frame, limit)
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
    sized = search.smallest_within(slack)
    if sized is not None:
        tree = sized.tree
    elif given is not None and frame.return_of(given) >= (search.value if search.sizes else -math.inf):
        tree = given
    else:
        tree = search.best()
    if (
        sized is not None and sized.leaves < least
    ):  # it is as good only up to rounding: the bound says nothing of it
        least = 1
    if least == 1 and tried and (sized is None or sized.leaves > 1):
        least = 2
    solution = frame.solution(tree, status, _fewer(history))
    return _answer(frame, solution, target, tolerance, of, rounding, least, status)


def every_leaf(search: ByLeaves, frame: Frame, limit: float) -> bool:
    """Offer every tree of a single leaf; False if the time was up before the last one."""
    for action in range(frame.mdp.num_actions):
        if frame.seconds >= limit:
            return False
        search.offer(leaf(action))
    return True


def _answer(
    frame: Frame,
    solution: Solution,
    target: float,
    tolerance: float,
    of: str,
    rounding: float,
    least: int,
    status: SolveStatus,
) -> Smallest:
    reached = solution.value >= target - 2 * rounding
    policy = solution.policy
    solution = replace(solution, depth=max(policy.depth, policy.num_leaves - 1), max_leaves=policy.num_leaves)
    found = Smallest(solution, target, tolerance, of, reached, least, status)
    if found.proved:
        found = replace(found, status=SolveStatus.OPTIMAL)
    ended = "" if found.proved else f", {str(status).partition(';')[0]}"
    notes = {"sought": found.asked, "found": f"{found.words} ({found.gap_text}{ended})"}
    solution = replace(solution, notes={**solution.notes, **notes})
    return replace(found, solution=remember(solution, frame.mdp))


def _levels(depth: int | None) -> int:
    return ENOUGH if depth is None else depth


def _fewer(history: list[Progress]) -> list[Progress]:
    """The rounds after which the tree was another one, and the last."""
    kept = [
        line
        for before, line in zip([None, *history], history, strict=False)
        if before is None or (line.leaves, line.value) != (before.leaves, before.value)
    ]
    return kept if not history or kept[-1] is history[-1] else [*kept, history[-1]]
