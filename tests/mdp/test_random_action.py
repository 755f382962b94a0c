"""The extra action that acts at random: what it does, and what it leaves as it is."""

import numpy as np
import pytest
from hypothesis import given, settings

from oracles.mdps import mdps
from spotree.errors import InvalidModelError
from spotree.evaluation import evaluate, optimum, random_return
from spotree.mdp import build_mdp
from spotree.mdp.transforms import with_random_action

# State 0 offers two of three actions, state 1 all three.
TRANSITIONS = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]], [[0.0, 0.0], [0.5, 0.5]]])
REWARD = [[2.0, 4.0, 99.0], [1.0, 1.0, 4.0]]
AVAILABLE = [[True, True, False], [True, True, True]]


def test_it_averages_what_the_state_offers_and_is_offered_everywhere() -> None:
    mdp = with_random_action(build_mdp(TRANSITIONS, REWARD, 0.9, available=AVAILABLE, missing="forbid"))
    assert mdp.action_names[-1] == "__random__"
    # state 0: (1 + 0.5) / 2 and 0.5 / 2; state 1: (0 + 1 + 0.5) / 3 and (1 + 0 + 0.5) / 3
    assert mdp.transition_matrix(3).toarray().tolist() == [[0.75, 0.25], [0.5, 0.5]]
    assert mdp.reward[:, 3].tolist() == [3, 2]
    assert mdp.available[:, 3].all()
    assert not mdp.available[0, 2]


def test_an_ending_row_counts_as_ending() -> None:
    mdp = build_mdp([[[0.0]], [[1.0]]], [[1.0, 3.0]], 0.9, ends=[[1.0, 0.0]])
    # v = (1 + 3) / 2 + 0.9 * v / 2
    assert evaluate(with_random_action(mdp), np.array([2])) == pytest.approx(2 / 0.55)


@settings(max_examples=40, deadline=None)
@given(mdps())
def test_old_policies_keep_their_worth_and_the_new_action_is_worth_the_random_policy(case) -> None:
    mdp, rng = case
    more = with_random_action(mdp)
    everywhere = np.full(mdp.num_states, mdp.num_actions, dtype=np.int32)
    assert evaluate(more, everywhere) == pytest.approx(random_return(mdp), rel=1e-9, abs=1e-12)
    assert random_return(more) == pytest.approx(random_return(mdp), rel=1e-9, abs=1e-12)
    assert optimum(more).value == pytest.approx(optimum(mdp).value, rel=1e-9, abs=1e-12)
    offered = np.array([rng.choice(np.flatnonzero(row)) for row in mdp.available], dtype=np.int32)
    assert evaluate(more, offered) == pytest.approx(evaluate(mdp, offered), rel=1e-9, abs=1e-12)


def test_a_name_that_is_taken_is_refused() -> None:
    mdp = with_random_action(build_mdp(TRANSITIONS, REWARD, 0.9, available=AVAILABLE))
    with pytest.raises(InvalidModelError, match="there is an action '__random__' already"):
        with_random_action(mdp)
