"""What an action does where a state does not offer it, under each of the four rules."""

from typing import Any

import numpy as np
import pytest

from spotree.mdp import MDP, Missing, build_mdp

# State 0 offers two of three actions, state 1 all three.
TRANSITIONS = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]], [[0.0, 0.0], [0.5, 0.5]]])
REWARD = [[2.0, 4.0, 99.0], [1.0, 1.0, 1.0]]
AVAILABLE = [[True, True, False], [True, True, True]]


def model(missing: Missing, **more: Any) -> MDP:
    return build_mdp(TRANSITIONS, REWARD, 0.9, available=AVAILABLE, missing=missing, **more)


def test_random_is_the_average_of_what_the_state_offers() -> None:
    mdp = model("random")
    assert mdp.transition_matrix(2).toarray().tolist() == [[0.75, 0.25], [0.5, 0.5]]  # (1 + 0.5) / 2 and 0.5 / 2
    assert mdp.reward[0].tolist() == [2, 4, 3]
    assert mdp.target[mdp.row_start[2] : mdp.row_start[3]].tolist() == [0, 1]  # each target once, in order


def test_end_is_the_missing_reward_and_an_empty_row() -> None:
    mdp = model("end", missing_reward=-7.0)
    assert mdp.transition_matrix(2).toarray().tolist() == [[0, 0], [0.5, 0.5]]
    assert mdp.reward[0].tolist() == [2, 4, -7]


def test_stay_is_the_same_state_without_reward() -> None:
    mdp = model("stay")
    assert mdp.transition_matrix(2).toarray().tolist() == [[1, 0], [0.5, 0.5]]
    assert mdp.reward[0].tolist() == [2, 4, 0]


def test_forbid_has_no_row_at_all() -> None:
    mdp = model("forbid")
    assert mdp.choice_of.tolist() == [[0, 1, -1], [2, 3, 4]]
    assert mdp.reward[0].tolist() == [2, 4, -np.inf]


@pytest.mark.parametrize("missing", ["random", "end", "stay"])
def test_the_stand_in_follows_the_choices_of_its_state_and_is_no_choice(missing: Missing) -> None:
    mdp = model(missing)
    assert mdp.choice_action.tolist() == [0, 1, -1, 0, 1, 2]
    assert mdp.choice_start.tolist() == [0, 3, 6]
    assert mdp.choice_of.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert mdp.num_choices == 5
    assert mdp.num_transitions == 7


@pytest.mark.parametrize("missing", ["random", "end", "stay", "forbid"])
def test_a_model_that_offers_everything_is_the_same_under_every_rule(missing: Missing) -> None:
    mdp = build_mdp(TRANSITIONS[:2], 0.0, 0.9, missing=missing)
    assert mdp.choice_action.tolist() == [0, 1, 0, 1]
    assert mdp.missing == missing


def test_the_average_of_ending_choices_ends_with_the_average_probability() -> None:
    transitions = np.zeros((3, 1, 1))
    transitions[1] = 1.0
    mdp = build_mdp(transitions, 0.0, 0.9, ends=[[1.0, 0.0, 0.0]], available=[[True, True, False]])
    assert mdp.transition_matrix(2).toarray().tolist() == [[0.5]]
