"""What an action is worth in a state, times how much the state counts: the input of an improvement step."""

import numpy as np

from spotree.axes import PerState, PerStateAction
from spotree.mdp.model import MDP
from spotree.values import action_values


def gain(mdp: MDP, value: PerState, weight: PerState) -> PerStateAction:
    """[state, action] weight times action value (the paper's Phi_i * Q_ik).

    A forbidden action costs more than all other choices together can win, so that a tree takes one only where
    every tree must.
    """
    worth = weight[:, None] * action_values(mdp, value)
    forbidden = np.isneginf(worth)
    if forbidden.any():
        allowed = np.where(forbidden, np.nan, worth)
        lowest, highest = np.nanmin(allowed, axis=1), np.nanmax(allowed, axis=1)
        penalty = 1.0 + 2.0 * (highest - lowest).sum()
        worth = np.where(forbidden, lowest[:, None] - penalty, worth)
    return worth
