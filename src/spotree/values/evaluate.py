"""What a policy is worth."""

from spotree.axes import PerState
from spotree.mdp import MDP
from spotree.values.certified import Certified
from spotree.values.chain import Policy, policy_chain
from spotree.values.mixture import uniform


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


def certified_return(mdp: MDP, policy: Policy) -> Certified[float]:
    """`expected_return` with a bound on its error; looks only at states that the policy can reach."""
    return policy_chain(mdp, policy, everywhere=False).expected_return()
