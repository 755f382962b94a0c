"""Graph analysis of an MDP: reachable states, end components, states that surely reach an end."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph
from numpy.typing import NDArray

from spotree.common.arrays import Ints, SmallInts, frozen_array
from spotree.mdp.model import MDP

ENDS = 1e-12  # a row that lacks less than this to 1 does not end the episode: the rest is rounding

Set = NDArray[np.bool_]


class EndComponents(NamedTuple):
    """Maximal parts that a policy can stay in for ever while it visits all of it.

    Attributes
    ----------
    component_of
        [state] the component, -1 for states in none.
    inside
        [choice] whether the row stays within a component.
    """

    component_of: Ints
    inside: Set


def ending_choices(mdp: MDP) -> Set:
    """[choice] whether the episode may end there."""
    kept = np.bincount(_choice_of_entry(mdp), mdp.probability, len(mdp.choice_action))
    ends: Set = kept < 1.0 - ENDS
    return ends


def end_components(mdp: MDP, allowed: Set) -> EndComponents:
    """The maximal end components of a policy that takes only the allowed rows.

    Rows that leave their strongly connected component are dropped until none does.
    """
    choice, state = _choice_of_entry(mdp), mdp.state_of_choice
    positive = mdp.probability > 0
    inside = allowed & ~ending_choices(mdp)
    while True:
        stays = np.bincount(state[inside], minlength=mdp.num_states) > 0
        used = positive & inside[choice]
        origin, target = state[choice[used]], mdp.target[used]
        component = _strong_components(mdp.num_states, origin, target)
        leaving = (component[origin] != component[target]) | ~stays[target]
        if not leaving.any():
            return EndComponents(np.where(stays, component, -1), inside)
        inside = inside.copy()
        inside[choice[used][leaving]] = False


def surely_stopping(mdp: MDP, stops: Set) -> tuple[Set, Set]:
    """The states from which some policy surely ends the episode or comes to a state of `stops`, and its choices.

    [state] and [choice]: a choice belongs to it if all its next states do.
    """
    choice, state = _choice_of_entry(mdp), mdp.state_of_choice
    positive = mdp.probability > 0
    allowed = np.ones(len(mdp.choice_action), dtype=bool)
    while True:
        kept = _next_towards(mdp, stops, allowed) != _NOWHERE
        lost = positive & ~kept[mdp.target]
        still = allowed & kept[state]
        still[choice[lost]] = False
        if (still == allowed).all():
            return kept, allowed
        allowed = still


def rows_towards(mdp: MDP, stops: Set, inside: Set) -> Ints:
    """[state] a row of a policy that surely ends or stops, where `surely_stopping` keeps every state and choice.

    In a state of `stops` it is one of the rows `inside`; elsewhere one that ends, or leads a step closer.
    """
    step = _next_towards(mdp, stops, np.ones(len(mdp.choice_action), dtype=bool))
    choice, state = _choice_of_entry(mdp), mdp.state_of_choice
    closer = np.zeros(len(mdp.choice_action), dtype=bool)
    closer[choice[(mdp.probability > 0) & (mdp.target == step[state[choice]])]] = True
    at_stop = stops[state]
    good = np.where(at_stop, inside, np.where(step[state] == mdp.num_states, ending_choices(mdp), closer))
    row = np.where(good, np.arange(len(good)), len(good))
    first: Ints = np.minimum.reduceat(row, mdp.choice_start[:-1])
    return first


_NOWHERE = -9999  # what scipy writes for nodes that a search does not find


def _next_towards(mdp: MDP, stops: Set, allowed: Set) -> Ints:
    """[state] the next state on a shortest way to a stop or an end; num_states: there already; or _NOWHERE."""
    choice, state = _choice_of_entry(mdp), mdp.state_of_choice
    done = stops.copy()
    done[state[allowed & ending_choices(mdp)]] = True
    outer, first = mdp.num_states, np.flatnonzero(done)
    used = (mdp.probability > 0) & allowed[choice]
    # Backwards, from one extra state that stands before all those where a policy may stop.
    origin = np.concatenate((mdp.target[used], np.full(len(first), outer)))
    target = np.concatenate((state[choice[used]], first))
    graph = sp.csr_matrix((np.ones(len(origin), dtype=np.int8), (origin, target)), shape=(outer + 1, outer + 1))
    _, before = scipy.sparse.csgraph.breadth_first_order(graph, outer, return_predecessors=True)
    return np.asarray(before[:outer], dtype=np.int64)


def _choice_of_entry(mdp: MDP) -> Ints:
    return np.repeat(np.arange(len(mdp.choice_action)), np.diff(mdp.row_start))


def _strong_components(size: int, origin: Ints, target: SmallInts) -> Ints:
    graph = sp.csr_matrix((np.ones(len(origin), dtype=np.int8), (origin, target)), shape=(size, size))
    _, component = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    return np.asarray(component, dtype=np.int64)


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
