"""How often a policy visits each state."""

from spotree import _core
from spotree.axes import PerState
from spotree.mdp import MDP
from spotree.values.certified import Certified
from spotree.values.chain import Policy, policy_chain


def occupancy(mdp: MDP, policy: Policy, *, stop: _core.Stop | None = None) -> PerState:
    """Expected discounted visits to each state (the paper's Phi); sums to 1 / (1 - discount) if no episode ends."""
    return certified_occupancy(mdp, policy, stop=stop).value


def certified_occupancy(mdp: MDP, policy: Policy, *, stop: _core.Stop | None = None) -> Certified[PerState]:
    """`occupancy` with a bound on the sum of its errors."""
    return policy_chain(mdp, policy, everywhere=False, stop=stop).occupancy()
