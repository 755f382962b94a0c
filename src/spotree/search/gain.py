"""Gain of the improvement step: Q-value times state weight."""

import numpy as np

from spotree.common.arrays import PerState, PerStateAction
from spotree.evaluation import action_values
from spotree.mdp.model import MDP


def gain(mdp: MDP, value: PerState, weight: PerState) -> PerStateAction:
    """[state, action] weight times action value (the paper's Phi_i * Q_ik).

    A forbidden action costs more than all other choices together can win, so that a tree takes one only where
    every tree must; likewise one after which the value is -inf. A state in which every action is such counts for
    nothing.
    """
    of_action = action_values(mdp, value)
    forbidden = np.isneginf(of_action)
    if not forbidden.any():
        return weight[:, None] * of_action
    worth = weight[:, None] * np.where(forbidden, 0.0, of_action)
    lowest = np.where(forbidden, np.inf, worth).min(axis=1, keepdims=True)
    highest = np.where(forbidden, -np.inf, worth).max(axis=1, keepdims=True)
    some = np.isfinite(lowest)
    penalty = 1.0 + 2.0 * (highest - lowest)[some].sum()
    instead = np.where(some, lowest, 0.0) - np.where(some, penalty, 0.0)
    return np.where(forbidden, instead, worth)
