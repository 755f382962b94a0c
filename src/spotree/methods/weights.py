"""How much each state counts in an improvement step (the paper's Phi): three strategies."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from spotree.axes import PerState
from spotree.mdp.model import MDP
from spotree.names import called
from spotree.values import Policy, occupancy

Weigh: TypeAlias = Callable[[MDP, Policy], PerState]

FLOOR = 1e-6  # share of the weight that is spread evenly: Proposition 2 needs every weight positive


def uniform(mdp: MDP, policy: Policy) -> PerState:
    """All states count alike (the paper's tables)."""
    return np.ones(mdp.num_states)


def visits(mdp: MDP, policy: Policy) -> PerState:
    """Expected discounted visits (the paper's text), with a trace everywhere so that no state is forgotten."""
    visited = occupancy(mdp, policy)
    weight: PerState = (1 - FLOOR) * visited + FLOOR * visited.sum() / mdp.num_states
    return weight


def softmax_visits(mdp: MDP, policy: Policy) -> PerState:
    """Softmax of the share of visits that each state gets (the paper's timing study): near uniform, never zero.

    The softmax of the visits themselves, which sum to 1 / (1 - discount), would starve most states.
    """
    visited = occupancy(mdp, policy)
    raised: PerState = np.exp(visited / visited.sum())
    weight: PerState = raised / raised.sum()
    return weight


WEIGHTINGS: dict[str, Weigh] = {"uniform": uniform, "occupancy": visits, "softmax": softmax_visits}


def weighting(given: str | Weigh) -> Weigh:
    """The strategy of that name, or the one given."""
    return called("weights", given, WEIGHTINGS) if isinstance(given, str) else given
