"""Returns of all trees of a tiny model without rounding."""

from fractions import Fraction

import numpy as np

from oracles.certify import labellings
from spotree.mdp.model import MDP


def exact_return(mdp: MDP, action: np.ndarray) -> Fraction:
    """Return of one action per state: elimination with fractions, every number taken to the last bit."""
    states, discount = mdp.num_states, Fraction(mdp.discount)
    rows = []
    for state in range(states):
        choice = mdp.choice_of[state, action[state]]
        row = [Fraction(int(state == other)) for other in range(states)]
        for k in range(mdp.row_start[choice], mdp.row_start[choice + 1]):
            row[mdp.target[k]] -= discount * Fraction(float(mdp.probability[k]))
        rows.append([*row, Fraction(float(mdp.reward_of_choice[choice]))])
    for k in range(states):
        pivot = next(j for j in range(k, states) if rows[j][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for j in range(states):
            if j != k and rows[j][k] != 0:
                rows[j] = [x - rows[j][k] * y for x, y in zip(rows[j], rows[k], strict=True)]
    return sum((Fraction(float(mdp.initial[k])) * rows[k][-1] for k in range(states)), Fraction(0))


def exact_best(mdp: MDP, depth: int) -> Fraction:
    """The best return of any tree of a depth; no action may be forbidden."""
    return max(exact_return(mdp, label) for label in labellings(mdp.features, depth, 2**depth, mdp.num_actions))
