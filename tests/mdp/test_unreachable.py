"""Undiscounted: a state that no policy reaches does not make a model invalid."""

import numpy as np
import pytest

from spotree.api.solve import solve
from spotree.errors import InvalidModelError
from spotree.evaluation import evaluate, optimum, random_return
from spotree.mdp import MDP, build_mdp


def with_a_mint(initial: int) -> MDP:
    """State 0 ends at a cost. State 1 earns 1 as long as one stays, and may end; state 2 leads to 0 or to 1."""
    transitions = np.zeros((2, 3, 3))
    transitions[0, 1, 1] = transitions[0, 2, 1] = transitions[1, 2, 0] = 1
    ends = [[1, 1], [0, 1], [0, 0]]
    return build_mdp(
        transitions,
        [[-1, -2], [1, 0], [0, 0]],
        1.0,
        initial=initial,
        ends=ends,
        undiscounted=True,
        state_number=[5, 6, 7],
    )


def test_an_endless_gain_out_of_reach_is_left_out() -> None:
    mdp = with_a_mint(initial=0)
    assert mdp.state_number.tolist() == [5]
    assert mdp.notes["unreachable"].startswith("2 states left out that no policy reaches")
    assert optimum(mdp).value == -1
    assert random_return(mdp) == -1.5
    assert evaluate(mdp, np.array([1])) == -2
    assert solve(mdp, depth=1, time_limit=1).value == -1


@pytest.mark.parametrize("initial", [1, 2])
def test_an_endless_gain_within_reach_is_refused(initial: int) -> None:
    with pytest.raises(InvalidModelError, match="state 6, action 'action_0': reward 1 can be had again and again"):
        with_a_mint(initial)


def test_unreachable_states_of_finite_value_stay() -> None:
    transitions = np.zeros((1, 2, 2))
    mdp = build_mdp(transitions, [[-1], [3]], 1.0, initial=0, ends=1.0, undiscounted=True)
    assert mdp.num_states == 2
    assert optimum(mdp).values.tolist() == [-1, 3]
