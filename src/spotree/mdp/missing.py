"""Missing actions: the outcome where a policy picks an action that the state does not offer.

"random"
    A uniformly random one of the state's choices is taken (the average of its rows and rewards).
"end"
    The episode ends with `missing_reward`: an empty row.
"stay"
    The state stays as it is, with reward 0. (Where rewards are costs below 0 this is better than any choice:
    a policy may then prefer to pause for ever, and it is up to the model to make sense of that.)
"forbid"
    No row: a policy that picks it in a state it can reach is infeasible.
"""

import numpy as np
import scipy.sparse as sp

from spotree.common.arrays import Floats, Ints
from spotree.mdp.choices import gather_rows
from spotree.mdp.model import MDP, Missing


def stand_in(
    missing: Missing, missing_reward: float, states: Ints, count: Ints, rows: sp.csr_matrix, reward: Floats
) -> tuple[sp.csr_matrix, Floats]:
    """The row and reward that stand in for missing actions, for each of the given states.

    Parameters
    ----------
    states
        The states that do not offer every action.
    count
        [state] how many choices the model offers; `rows` and `reward` list them by state.
    """
    if missing == "random":
        return _average(states, count, rows, reward)
    shape = (len(states), len(count))
    if missing == "stay":
        stay = sp.csr_matrix((np.ones(len(states)), states, np.arange(len(states) + 1)), shape=shape)
        return stay, np.zeros(len(states))
    return sp.csr_matrix(shape), np.full(len(states), missing_reward)


def average(mdp: MDP, states: Ints) -> tuple[sp.csr_matrix, Floats]:
    """The mean of the rows and of the rewards that the model offers, for each of the given states."""
    real = mdp.choice_action >= 0
    count = np.bincount(mdp.state_of_choice[real], minlength=mdp.num_states)
    return _average(states, count, mdp.rows[np.flatnonzero(real)], mdp.reward_of_choice[real])


def _average(states: Ints, count: Ints, rows: sp.csr_matrix, reward: Floats) -> tuple[sp.csr_matrix, Floats]:
    """The mean of each state's rows: its transitions, which stand together, with duplicates added up."""
    number = count[states]
    choice_start = np.concatenate(([0], np.cumsum(count)))
    row_start, entry = gather_rows(rows.indptr[choice_start], states)
    weight = np.repeat(1.0 / number, np.diff(row_start))
    mean = sp.csr_matrix(
        (rows.data[entry] * weight, rows.indices[entry], row_start), shape=(len(states), rows.shape[1])
    )
    mean.sum_duplicates()
    mean.eliminate_zeros()  # a share of the smallest float is none
    total = np.bincount(np.repeat(np.arange(len(count)), count), reward, len(count))
    return mean, total[states] / number
