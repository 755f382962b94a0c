"""What all attempts of a proof share: the groups of states, the margin, and the core's arrays."""

from dataclasses import dataclass

import numpy as np

from spotree import _core
from spotree.errors import InvalidProblemError
from spotree.mdp.core import core_model
from spotree.mdp.model import MDP
from spotree.methods.frame import Frame
from spotree.proof.attempt import Attempt
from spotree.proof.groups import Groups, find_groups
from spotree.proof.rounding import check_margin

NO_LIMIT = 10**9  # leaves: more than any tree has
BELOW_WORST, MARGINS_BELOW = 1e-3, 100  # of the worst return, in margins: at least so far below it a proof begins
TOLERANCE = 1e-7  # of the scale of returns: a tree that is better by less does not count
TINY = 1e-300  # in place of 0


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The question whether a tree of a size is the best one.

    Attributes
    ----------
    margin
        A tree counts as better only if it is by more than this.
    model
        The arrays of the core, and the sets of groups that trees can single out: built once, by the first attempt.
    """

    frame: Frame
    groups: Groups
    margin: float
    model: _core.ProofModel

    @property
    def left(self) -> float:
        """Seconds until the time limit."""
        assert self.frame.time_limit is not None
        return max(0.0, self.frame.time_limit - self.frame.seconds)

    def attempt(self, level: float | None = None) -> Attempt:
        """A proof that has not begun."""
        mdp = self.frame.mdp
        made = Attempt(_core.Proof(self.model, self.margin / 2), self.groups, level)
        # Before the first tree: less than any policy can return, so that every feasible tree is an improvement.
        worst = min(0.0, float(mdp.reward_of_choice.min())) / (1 - mdp.discount)
        made.offer(
            worst - max(BELOW_WORST * abs(worst), abs(self.frame.optimum.value), MARGINS_BELOW * self.margin)
        )
        return made


def check_discount(mdp: MDP) -> None:
    """Refuse a model that no proof is about."""
    if mdp.discount >= 1:
        raise InvalidProblemError(f"discount is {mdp.discount}; a proof needs one below 1")


def make_problem(
    mdp: MDP, depth: int, max_leaves: int | None, time_limit: float, tolerance: float = TOLERANCE
) -> Problem:
    """The problem of a size on a model; refused where rounding may exceed the margin."""
    return problem_in(Frame(mdp, depth, max_leaves, "certify", time_limit=time_limit), tolerance)


def problem_in(frame: Frame, tolerance: float = TOLERANCE) -> Problem:
    """The problem that a run stands around."""
    mdp, best = frame.mdp, frame.optimum.value
    scale = max(abs(best), best - frame.random_value)
    if not (np.isfinite(scale) and scale > 0):
        scale = max(abs(best), float(np.abs(mdp.reward_of_choice).max(initial=0.0)), TINY)
    margin = tolerance * scale
    if not frame.hurried:
        check_margin(mdp, frame.optimum, margin, tolerance)
    groups = find_groups(mdp)
    model = _core.ProofModel(
        model=core_model(mdp),
        choice_of=groups.choice_of,
        group_of=groups.group_of,
        rank=groups.rank,
        split_feature=groups.splits.feature,
        split_cut=groups.split_cut,
        depth=frame.depth,
        max_leaves=min(frame.max_leaves or NO_LIMIT, NO_LIMIT),
    )
    return Problem(frame, groups, margin, model)
