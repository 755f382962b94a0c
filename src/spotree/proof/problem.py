"""Proof problem shared by all attempts: feature classes, margin, arrays of the core."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spotree import _core
from spotree.errors import InvalidProblemError
from spotree.mdp.graph import reachable_states
from spotree.mdp.model import MDP
from spotree.mdp.native import core_model
from spotree.proof.attempt import Attempt
from spotree.proof.feature_classes import Groups, find_groups
from spotree.proof.numerics import check_margin
from spotree.proof.protocols import Proving
from spotree.proof.self_loops import without_own_loops
from spotree.proof.symmetry.symmetries import Symmetries, claimed_symmetries, find_symmetries, no_symmetries
from spotree.search.run_context import RunContext

DEEP, MANY = 30, 1024  # splits on a path, leaves: up to here a size is taken as it is
NO_LIMIT = 10**9  # leaves: more than any tree has
BELOW_WORST, MARGINS_BELOW = 1e-3, 100  # of the worst return, in margins: at least so far below it a proof begins
MOST_SHARES = 5_000_000  # ways to share out leaves; the checkers take no more
TOLERANCE = 1e-7  # of the scale of returns: a tree that is better by less does not count
TINY = 1e-300  # in place of 0
FAR_WORSE = 1e9  # of what returns are about: undiscounted, no tree is so bad that it can be told beforehand


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The question whether a tree of a size is the best one.

    Attributes
    ----------
    depth, max_leaves
        The size: as asked, or what the groups can use where that is far less.
    margin
        A tree counts as better only if it is by more than this.
    symmetries
        Of the model, as far as they were sought.
    model
        The arrays of the core, and the sets of groups that trees can single out: built once, by the first attempt.
    """

    frame: RunContext
    groups: Groups
    depth: int
    max_leaves: int | None
    margin: float
    symmetries: Symmetries
    model: _core.ProofModel

    @property
    def left(self) -> float:
        """Seconds until the time limit."""
        assert self.frame.time_limit is not None
        return max(0.0, self.frame.time_limit - self.frame.seconds)

    def attempt(self, level: float | None = None, proof: Proving | None = None) -> Attempt:
        """A proof that has not begun: the core's, if no other one is given."""
        made = Attempt(proof or _core.Proof(self.model, self.margin / 2), self.groups, level)
        # Before the first tree: less than any policy can return, so that every feasible tree is an improvement.
        worst = self.worst
        made.offer(
            worst - max(BELOW_WORST * abs(worst), abs(self.frame.optimum.value), MARGINS_BELOW * self.margin)
        )
        return made

    @property
    def worst(self) -> float:
        """No policy of finite value returns less; undiscounted, none that anybody would look at."""
        mdp = self.frame.mdp
        if mdp.discount == 1:
            return -FAR_WORSE * scale_of(self.frame)
        return min(0.0, float(mdp.reward_of_choice.min())) / (1 - mdp.discount)


def scale_of(frame: RunContext) -> float:
    """What returns are about; undiscounted, a random policy may take so long that it says nothing.

    Rows that stay for ever are worth -inf there or nothing: what they pay says nothing either.
    """
    best, mdp = frame.optimum.value, frame.mdp
    if mdp.discount == 1:
        scale = max(abs(best), reward_spread(mdp))
        return scale or float(np.abs(mdp.reward_of_choice).max(initial=0.0)) or 1.0
    scale = max(abs(best), best - frame.random_value)
    if np.isfinite(scale) and scale > 0:
        return scale
    return max(abs(best), float(np.abs(mdp.reward_of_choice).max(initial=0.0)), TINY)


def reward_spread(mdp: MDP) -> float:
    """Of the rewards that an undiscounted episode can come to and leave behind."""
    of_use = np.zeros(len(mdp.choice_action) + 1, bool)  # the last one: forbidden
    of_use[without_own_loops(mdp).choice_of] = True
    reward = mdp.reward_of_choice[of_use[:-1] & reachable_states(mdp)[mdp.state_of_choice]]
    return float(reward.max(initial=0.0) - reward.min(initial=0.0))


def make_problem(
    mdp: MDP,
    depth: int,
    max_leaves: int | None,
    time_limit: float,
    tolerance: float = TOLERANCE,
    symmetries: bool | dict[str, Any] = False,
) -> Problem:
    """The problem of a size on a model, by itself."""
    return problem_in(RunContext(mdp, depth, max_leaves, "certify", time_limit=time_limit), tolerance, symmetries)


def problem_in(
    frame: RunContext, tolerance: float = TOLERANCE, symmetries: bool | dict[str, Any] = False
) -> Problem:
    """The problem that a run stands around; refused where rounding may exceed the margin, or no checker could hold it.

    `symmetries`: whether to look for them, or the header of a certificate that has them.
    """
    mdp = frame.mdp
    margin = tolerance * scale_of(frame)
    if not frame.hurried:
        check_margin(mdp, frame.optimum, margin, tolerance)
    groups = find_groups(without_own_loops(mdp))
    depth, max_leaves = useful_size(frame.depth, frame.max_leaves, len(groups.state))
    if not frame.hurried:
        check_shapes(depth, max_leaves)
    found = no_symmetries(mdp, groups)
    if isinstance(symmetries, dict):
        found = claimed_symmetries(mdp, groups, symmetries)
    elif symmetries and not frame.hurried and mdp.discount < 1:
        found = find_symmetries(mdp, groups, margin)
    model = proof_model(mdp, groups, found, depth, max_leaves)
    return Problem(frame, groups, depth, max_leaves, margin, found, model)


def useful_size(depth: int, max_leaves: int | None, groups: int) -> tuple[int, int | None]:
    """The size, or, far beyond, what trees that part so many groups can use: a leaf for each, all on one path."""
    if depth <= DEEP and (max_leaves or 0) <= MANY:
        return depth, max_leaves
    most = max(groups, 1)
    leaves = None if max_leaves is None or max_leaves >= most else max_leaves
    return min(depth, (leaves or most) - 1), leaves


def check_shapes(depth: int, max_leaves: int | None) -> None:
    """Refuse trees of so many shapes that no checker would look at a certificate about them."""
    if max_leaves is None or max_leaves >= 2**depth:
        return
    count = 0  # ways to share out leaves between two sides, of all subtrees
    for half in (2**level for level in range(depth)):
        most = min(2 * half, max_leaves)
        few, many = min(most, half + 1), max(most - half - 1, 0)  # up to `half` on one side; more than that in all
        count += few * (few - 1) // 2 + many * (3 * half - most) // 2
        if count > MOST_SHARES:
            raise InvalidProblemError(
                f"too large for a proof: trees of depth {depth} and {max_leaves} leaves have too many shapes; ask for"
                " fewer leaves, or a smaller depth"
            )


def proof_model(
    mdp: MDP, groups: Groups, symmetries: Symmetries, depth: int, max_leaves: int | None
) -> _core.ProofModel:
    """The arrays of the core; the groups are those of the model without its own loops."""
    return _core.ProofModel(
        model=core_model(without_own_loops(mdp)),
        choice_of=groups.choice_of,
        group_of=groups.group_of,
        rank=groups.rank,
        split_feature=groups.splits.feature,
        split_cut=groups.split_cut,
        symmetry_group=symmetries.group,
        symmetry_action=symmetries.action,
        depth=depth,
        max_leaves=min(max_leaves or NO_LIMIT, NO_LIMIT),
        must_end=mdp.must_end,
    )
