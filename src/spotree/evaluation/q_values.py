"""Q-values: the value of each action, given the value of the next state."""

import numpy as np

from spotree import _core
from spotree.common.arrays import Floats, PerState, PerStateAction
from spotree.errors import InvalidProblemError
from spotree.mdp import MDP
from spotree.mdp.native import core_model


def choice_values(mdp: MDP, value: PerState) -> Floats:
    """[choice] reward now and discounted value after, for every row of the MDP."""
    known = np.ascontiguousarray(value, dtype=np.float64)
    if known.shape != (mdp.num_states,):
        raise InvalidProblemError(f"values have shape {known.shape}; the MDP has {mdp.num_states} states")
    return _core.backup(core_model(mdp), known)


def action_values(mdp: MDP, value: PerState) -> PerStateAction:
    """[state, action] reward now and discounted value after (the paper's Q); -inf where forbidden."""
    of_choice = choice_values(mdp, value)
    return np.where(mdp.choice_of >= 0, of_choice[mdp.choice_of], -np.inf)
