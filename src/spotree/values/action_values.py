"""What each action is worth if a given value follows."""

import numpy as np

from spotree import _core
from spotree.axes import Floats, PerState, PerStateAction
from spotree.mdp import MDP


def choice_values(mdp: MDP, value: PerState) -> Floats:
    """[choice] reward now and discounted value after, for every row of the MDP."""
    return _core.backup(
        mdp.row_start, mdp.target, mdp.probability, mdp.reward_of_choice, np.ascontiguousarray(value), mdp.discount
    )


def action_values(mdp: MDP, value: PerState) -> PerStateAction:
    """[state, action] reward now and discounted value after (the paper's Q); -inf where forbidden."""
    of_choice = choice_values(mdp, value)
    return np.where(mdp.choice_of >= 0, of_choice[mdp.choice_of], -np.inf)
