"""A smaller tree that is as good as a given one."""

from collections.abc import Callable
from typing import Any

from spotree.api.smallest import fewest, one_tolerance
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.mdp.model import MDP
from spotree.results.progress import Progress
from spotree.results.smallest import Smallest
from spotree.search.first_tree import Start
from spotree.search.request import ENOUGH, Request
from spotree.search.run_context import RunContext


def simplify(
    mdp: MDP,
    policy: Start,
    tolerance: float = 0.0,
    *,
    within: float | None = None,
    time_limit: float | None = 10.0,
    max_rounds: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[Progress], Any] | None = None,
) -> Smallest:
    """The smallest tree found that returns as much as this one, wherever it comes from; never a larger one.

    Parameters
    ----------
    policy
        A `Solution`, a `TreePolicy` (as `import_tree` reads those of scikit-learn and dtControl) or a `Tree`.
    tolerance, within
        Two names for one number: how much less than `policy` the answer may return, relative to the size of that.
    time_limit, max_rounds, seed, threads, progress
        As for `smallest`.
    """
    tolerance = one_tolerance(tolerance, within)
    request = Request(ENOUGH, None, time_limit, seed, threads, policy, progress)
    given = request.start_tree(mdp)
    if given is None:
        raise InvalidProblemError("policy is None; give the tree that is to be simplified")
    frame = RunContext(mdp, ENOUGH, None, "simplify", seed, time_limit)
    value = frame.return_of(given)
    if value == -float("inf"):
        raise InfeasibleError(
            f"the tree takes a forbidden action of {mdp.name}, or never ends: there is no return to keep;"
            " smallest(mdp) seeks a tree without it"
        )
    return fewest(request, frame, value - tolerance * abs(value), tolerance, "policy", max_rounds)
