"""What all attempts of a proof share: the groups of states, the margin, and the core's arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spotree import _core
from spotree.mdp.core import core_model
from spotree.mdp.model import MDP
from spotree.methods.frame import Frame
from spotree.proof.attempt import Attempt
from spotree.proof.groups import Groups, find_groups
from spotree.proof.rounding import check_margin
from spotree.proof.symmetry import Symmetries, claimed_symmetries, find_symmetries, no_symmetries

NO_LIMIT = 10**9  # leaves: more than any tree has
BELOW_WORST, MARGINS_BELOW = 1e-3, 100  # of the worst return, in margins: at least so far below it a proof begins
TINY = 1e-300  # in place of 0


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The question whether a tree of a size is the best one.

    Attributes
    ----------
    margin
        A tree counts as better only if it is by more than this.
    prepared
        Seconds that the frame took.
    symmetries
        Of the model, as far as they were sought.
    model
        The arrays of the core, and the sets of groups that trees can single out: built once, by the first attempt.
    """

    frame: Frame
    groups: Groups
    margin: float
    prepared: float
    symmetries: Symmetries
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


def make_problem(
    mdp: MDP,
    depth: int,
    max_leaves: int | None,
    time_limit: float,
    tolerance: float = 1e-7,
    symmetries: bool | dict[str, Any] = False,
) -> Problem:
    """The problem of a size on a model; refused where rounding may exceed the margin.

    `symmetries`: whether to look for them, or the header of a certificate that has them.
    """
    frame = Frame(mdp, depth, max_leaves, "certify", time_limit=time_limit)
    prepared = frame.seconds
    best = frame.optimum.value
    scale = max(abs(best), best - frame.random_value)
    if not (np.isfinite(scale) and scale > 0):
        scale = max(abs(best), float(np.abs(mdp.reward_of_choice).max(initial=0.0)), TINY)
    margin = tolerance * scale
    if not frame.hurried:
        check_margin(mdp, frame.optimum, margin, tolerance)
    groups = find_groups(mdp)
    found = no_symmetries(mdp, groups)
    if isinstance(symmetries, dict):
        found = claimed_symmetries(mdp, groups, symmetries)
    elif symmetries and not frame.hurried:
        found = find_symmetries(mdp, groups, margin)
    model = _core.ProofModel(
        model=core_model(mdp),
        choice_of=groups.choice_of,
        group_of=groups.group_of,
        rank=groups.rank,
        split_feature=groups.splits.feature,
        split_cut=groups.split_cut,
        symmetry_group=found.group,
        symmetry_action=found.action,
        depth=depth,
        max_leaves=min(max_leaves or NO_LIMIT, NO_LIMIT),
    )
    return Problem(frame, groups, margin, prepared, found, model)
