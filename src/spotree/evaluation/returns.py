"""Values and returns of policies, with certified errors."""

import math

import numpy as np

from spotree import _core
from spotree.common.arrays import PerState
from spotree.evaluation.chain import Policy, policy_chain
from spotree.evaluation.error_bounds import Certified
from spotree.evaluation.policy import uniform
from spotree.mdp import MDP


def of_optimum(value: float, optimum: float) -> float:
    """The share of the best possible return (J / J*): the paper's scale. nan if the optimum is 0."""
    return value / optimum if optimum != 0.0 else math.nan


def over_random(value: float, optimum: float, random: float) -> float:
    """0 for the random policy, 1 for the best one: dtPAYNT's and OMDT's scale.

    nan if both are worth the same, or the random one -inf.
    """
    return (value - random) / (optimum - random) if optimum != random and math.isfinite(random) else math.nan


_EPSILON = float(np.finfo(np.float64).eps)
_ROW_SUM = 1e-12  # no row sums to more than 1 and this


def policy_value(mdp: MDP, policy: Policy) -> PerState:
    """Expected discounted return from each state (the paper's V).

    A state from which a forbidden action cannot be avoided is worth -inf; if the policy itself can come there
    from the initial states, `InfeasibleError` is raised. Undiscounted, a policy that may pay for ever, or go on
    where the episode must end, is worth -inf as well; one that goes on without reward is worth 0.

    Parameters
    ----------
    policy
        An action per state, something that acts on features, or a `Mixture`. A `Solution` or `TreePolicy` is matched
        with the model by the names of features and actions; a bare `Tree` has none and is taken by position.
    """
    return certified_values(mdp, policy).value


def expected_return(mdp: MDP, policy: Policy) -> float:
    """Expected discounted return from the initial distribution (the paper's J)."""
    return certified_return(mdp, policy).value


evaluate = expected_return


def random_return(mdp: MDP) -> float:
    """Expected return of taking a uniformly random one of the offered choices in every state."""
    return expected_return(mdp, uniform(mdp))


def certified_values(mdp: MDP, policy: Policy) -> Certified[PerState]:
    """`policy_value` with a bound on its error."""
    return policy_chain(mdp, policy).values()


def certified_return(
    mdp: MDP, policy: Policy, *, stop: _core.Stop | None = None, reduction: float = 0.0
) -> Certified[float]:
    """`expected_return` with a bound on its error; looks only at states that the policy can reach.

    When it must `stop`, or where a residual of the share `reduction` is enough, the value is rough, and its error says
    how rough.
    """
    solved: Certified[float] = Certified(0.0, math.inf)
    if stop is None or not stop.raised or mdp.discount == 1:
        solved = policy_chain(mdp, policy, everywhere=False, stop=stop, reduction=reduction).expected_return()
    if stop is not None and stop.raised and mdp.discount < 1 and (mdp.choice_of >= 0).all():
        return _both(solved, return_at_sight(mdp))
    return solved


def _both(one: Certified[float], other: Certified[float]) -> Certified[float]:
    """What two intervals for the same number tell together."""
    low = max(one.value - one.error, other.value - other.error)
    high = min(one.value + one.error, other.value + other.error)
    if not (math.isfinite(low) and math.isfinite(high)):
        return min(one, other, key=lambda known: known.error)
    rounding = 4 * _EPSILON * (abs(low) + abs(high))
    return Certified((low + high) / 2, max((high - low) / 2, 0.0) + rounding)


def return_at_sight(mdp: MDP) -> Certified[float]:
    """What rewards and discount alone tell of the return of any policy."""
    low, high = min(float(mdp.reward_of_choice.min()), 0.0), max(float(mdp.reward_of_choice.max()), 0.0)
    leak = 1.0 - mdp.discount * (1.0 + _ROW_SUM)
    if leak <= 0:
        return Certified(0.0, math.inf)
    longest = (1.0 + _ROW_SUM) / leak
    return Certified((low + high) / 2 * longest, (high - low) / 2 * longest)
