"""The part of an MDP that some policy can reach."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph
from numpy.typing import NDArray

from spotree.axes import frozen_array
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
    keep = reachable_states(mdp)
    if keep.all():
        return mdp
    count = np.diff(mdp.choice_start)
    kept_choice = np.repeat(keep, count)
    kept_entry = np.repeat(kept_choice, np.diff(mdp.row_start))
    new_state = np.cumsum(keep) - 1
    new_choice = np.append(np.cumsum(kept_choice, dtype=np.int32) - 1, np.int32(-1))  # -1 stays -1
    choice_of = new_choice[mdp.choice_of[keep]]
    choice_of.flags.writeable = False
    return replace(
        mdp,
        choice_start=frozen_array(np.concatenate(([0], np.cumsum(count[keep]))), np.int64),
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
