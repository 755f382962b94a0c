"""What a policy is worth."""

import math

from spotree import _core
from spotree.axes import PerState
from spotree.mdp import MDP
from spotree.values.certified import Certified
from spotree.values.chain import Policy, policy_chain
from spotree.values.mixed import uniform

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


def certified_return(mdp: MDP, policy: Policy, *, stop: _core.Stop | None = None) -> Certified[float]:
    """`expected_return` with a bound on its error; looks only at states that the policy can reach.

    When it must `stop`, the value is rough, and its error says how rough.
    """
    solved: Certified[float] = Certified(0.0, math.inf)
    if stop is None or not stop.raised or mdp.discount == 1:
        solved = policy_chain(mdp, policy, everywhere=False, stop=stop).expected_return()
    if stop is not None and stop.raised and mdp.discount < 1 and (mdp.choice_of >= 0).all():
        return min(solved, return_at_sight(mdp), key=lambda known: known.error)
    return solved


def return_at_sight(mdp: MDP) -> Certified[float]:
    """What rewards and discount alone tell of the return of any policy."""
    low, high = min(float(mdp.reward_of_choice.min()), 0.0), max(float(mdp.reward_of_choice.max()), 0.0)
    leak = 1.0 - mdp.discount * (1.0 + _ROW_SUM)
    if leak <= 0:
        return Certified(0.0, math.inf)
    longest = (1.0 + _ROW_SUM) / leak
    return Certified((low + high) / 2 * longest, (high - low) / 2 * longest)
