"""First tree of a run on a large model: imitation of the best policy known, or one exact step on its values."""

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from spotree import _core
from spotree.common.arrays import PerState
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.evaluation import occupancy
from spotree.improvement.engine import best_tree
from spotree.improvement.engines.exact import Exact
from spotree.improvement.limits import Limits
from spotree.improvement.problem import TreeProblem
from spotree.mdp.model import MDP
from spotree.results.solution import Solution
from spotree.search.cart import cart
from spotree.search.gain import gain
from spotree.trees.policy import TreePolicy
from spotree.trees.prune import prune
from spotree.trees.serialize import check_fit
from spotree.trees.tree import Tree

if TYPE_CHECKING:
    from spotree.search.run_context import RunContext


Start: TypeAlias = Solution | TreePolicy | Tree


def fitting_start(start: Start, mdp: MDP, depth: int, max_leaves: int | None) -> Tree:
    """The start in the model's terms, without splits that part no states; refused where it is still too large.

    A `Solution` or `TreePolicy` is matched by the names of features and actions, a bare `Tree` is taken by position.
    """
    if not isinstance(start, Start):
        raise InvalidProblemError(
            f"start is of type {type(start).__name__}; give a Solution (Solution.load reads a saved one) or a tree"
        )
    tree = prune(start.tree_for(mdp.feature_names, mdp.action_names), mdp.features)
    check_fit(tree, depth, max_leaves)
    return tree


ROUGH = 1e-4  # residual of an evaluation that compares first trees, as a share of the largest reward
STEP_DEPTH = 3  # deepest tree of the exact step; a deeper one may take longer than the search that follows
VISITS_SHARE, STEP_SHARE, FIRST_SHARE = 0.2, 0.3, 0.8  # of the time that is left: for visits, the step, all of it
EVERYWHERE = 1e-6  # share of the visits that is spread evenly, so that no state is without weight


def first_tree(frame: "RunContext", given: Tree | None = None) -> Tree:
    """The best of the given tree, CART on the best policy known and one exact step; a single leaf if none is feasible.

    The best policy and its values may be rough: they only propose, and the return of each tree decides as far as there
    is time to evaluate it. A given tree is replaced only by one that is surely better. Without a time limit there is no
    exact step, so that the clock has no influence.
    """
    left = frame.left
    weight = _visits(frame, VISITS_SHARE * left)
    proposed = [cart(frame.mdp.features, frame.optimum.actions, weight, frame.depth, frame.max_leaves)]
    if math.isfinite(left):
        proposed.insert(0, _step(frame, weight, STEP_SHARE * frame.left))
    end = frame.seconds + FIRST_SHARE * frame.left
    found = [(given, frame.evaluated(given))] if given is not None else []
    for tree in proposed:
        found.append((tree, frame.evaluated(tree, _stop_in(end - frame.seconds), ROUGH)))
        if frame.seconds >= end:
            break
    if all(value.value == -math.inf for _, value in found):
        found.append((frame.usual, frame.evaluated(frame.usual)))
    best, known = found[0]
    for tree, value in found[1:]:
        least = value.value - value.error
        if least > known.value + (known.error if best is given else -known.error):
            best, known = tree, value
    return best


def _stop_in(seconds: float) -> _core.Stop:
    return _core.Stop(max(seconds, 0.0)) if math.isfinite(seconds) else _core.Stop()


def _visits(frame: "RunContext", seconds: float) -> PerState:
    """[state] how much it counts: visits of the best policy known, as far as there is time; all alike without any."""
    try:
        visits = np.maximum(
            occupancy(frame.mdp, frame.optimum.actions, stop=_stop_in(seconds), reduction=ROUGH), 0.0
        )
    except InfeasibleError:
        visits = np.zeros(frame.mdp.num_states)
    total = float(visits.sum())
    if not (math.isfinite(total) and total > 0):
        return np.ones(frame.mdp.num_states)
    weight: PerState = visits + EVERYWHERE * total / len(visits)
    return weight


def _step(frame: "RunContext", weight: PerState, seconds: float) -> Tree:
    """The tree with the largest first-order gain over the best values known."""
    mdp = frame.mdp
    problem = TreeProblem(
        mdp.features, gain(mdp, frame.optimum.values, weight), min(frame.depth, STEP_DEPTH), frame.max_leaves
    )
    return best_tree(problem, Exact(), Limits(time=seconds)).tree
