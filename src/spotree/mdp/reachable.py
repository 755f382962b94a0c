"""The part of an MDP that some policy can reach."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph
from numpy.typing import NDArray

from spotree.common.arrays import frozen_array
from spotree.mdp.model import MDP


def reachable_states(mdp: MDP) -> NDArray[np.bool_]:
    """[state] whether any policy gets there from the initial distribution, missing actions included."""
    starts = np.flatnonzero(mdp.initial)
    # One extra state leads to all initial ones, so that a single search from it finds everything.
    outer = mdp.num_states
    start = np.concatenate((mdp.row_start[mdp.choice_start], [len(mdp.target) + len(starts)]))
    target = np.concatenate((mdp.target, starts.astype(np.int32)))
    graph = sp.csr_matrix((np.ones(len(target)), target, start), shape=(outer + 1, outer + 1))
    found = scipy.sparse.csgraph.breadth_first_order(graph, outer, return_predecessors=False)
    reached = np.zeros(outer + 1, dtype=bool)
    reached[found] = True
    return reached[:outer]


def reachable_part(mdp: MDP) -> MDP:
    """The MDP without the states that no policy can reach; `state_number` keeps the numbers of the others."""
    return part_of(mdp, reachable_states(mdp), np.ones(len(mdp.choice_action), dtype=bool))


def part_of(mdp: MDP, keep: NDArray[np.bool_], allowed: NDArray[np.bool_]) -> MDP:
    """The MDP of the states to keep, each with at least one allowed choice; the other choices become forbidden.

    An allowed choice of a state that is kept must not lead to one that is not.
    """
    if keep.all() and allowed.all():
        return mdp
    count = np.diff(mdp.choice_start)
    kept_choice = np.repeat(keep, count) & allowed
    kept_entry = np.repeat(kept_choice, np.diff(mdp.row_start))
    new_state = np.cumsum(keep) - 1
    new_choice = np.append(np.where(kept_choice, np.cumsum(kept_choice) - 1, -1), -1).astype(np.int32)
    choice_of = new_choice[mdp.choice_of[keep]]
    choice_of.flags.writeable = False
    new_count = np.add.reduceat(kept_choice, mdp.choice_start[:-1], dtype=np.int64)[keep]
    return replace(
        mdp,
        choice_start=frozen_array(np.concatenate(([0], np.cumsum(new_count))), np.int64),
        choice_action=frozen_array(mdp.choice_action[kept_choice], np.int32),
        choice_of=frozen_array(choice_of, np.int32),
        row_start=frozen_array(np.concatenate(([0], np.cumsum(np.diff(mdp.row_start)[kept_choice]))), np.int64),
        target=frozen_array(new_state[mdp.target[kept_entry]], np.int32),
        probability=frozen_array(mdp.probability[kept_entry], np.float64),
        reward_of_choice=frozen_array(mdp.reward_of_choice[kept_choice], np.float64),
        initial=frozen_array(mdp.initial[keep], np.float64),
        features=frozen_array(mdp.features[keep], np.float64),
        state_number=frozen_array(mdp.state_number[keep], np.int64),
    )
