"""Occupancy: expected discounted visits of a policy to each state."""

import math

import numpy as np
from numpy.typing import ArrayLike

from spotree import _core
from spotree.common.arrays import PerState
from spotree.evaluation.chain import Policy, policy_chain
from spotree.evaluation.error_bounds import Certified
from spotree.evaluation.policy import Acts
from spotree.evaluation.transition_sampler import policy_dice
from spotree.mdp import MDP


def occupancy(mdp: MDP, policy: Policy, *, stop: _core.Stop | None = None, reduction: float = 0.0) -> PerState:
    """Expected discounted visits to each state (the paper's Phi); sums to 1 / (1 - discount) if no episode ends."""
    return certified_occupancy(mdp, policy, stop=stop, reduction=reduction).value


def certified_occupancy(
    mdp: MDP, policy: Policy, *, stop: _core.Stop | None = None, reduction: float = 0.0
) -> Certified[PerState]:
    """`occupancy` with a bound on the sum of its errors."""
    return policy_chain(mdp, policy, everywhere=False, stop=stop, reduction=reduction).occupancy()


def expected_steps(mdp: MDP, policy: ArrayLike | Acts) -> Certified[float]:
    """Expected number of (discounted) time steps until the policy earns nothing any more, whatever comes."""
    visits = certified_occupancy(mdp, policy)
    going_on = visits.value[~policy_dice(mdp, policy).over]
    steps = math.fsum(np.where(np.isnan(going_on), 0.0, going_on))  # not a number: never visited
    return Certified(steps, visits.error)
