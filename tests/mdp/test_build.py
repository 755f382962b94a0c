"""What the door makes of a model."""

import numpy as np
import pytest

from spotree.errors import InvalidModelError
from spotree.mdp import ChoiceRows, build_mdp

# Two states. Action 0 stays; action 1 goes to the other state, or tries to from state 1.
STAY = [[1.0, 0.0], [0.0, 1.0]]
MOVE = [[0.0, 1.0], [0.25, 0.75]]


def test_rows_stand_by_state_and_then_by_action() -> None:
    mdp = build_mdp([STAY, MOVE], [[1, 2], [3, 4]], 0.9)
    assert mdp.choice_start.tolist() == [0, 2, 4]
    assert mdp.choice_action.tolist() == [0, 1, 0, 1]
    assert mdp.choice_of.tolist() == [[0, 1], [2, 3]]
    assert mdp.reward_of_choice.tolist() == [1, 2, 3, 4]
    assert mdp.row_start.tolist() == [0, 1, 2, 3, 5]
    assert mdp.target.tolist() == [0, 1, 1, 0, 1]
    assert mdp.probability.tolist() == [1, 1, 1, 0.25, 0.75]


def test_transition_matrix_and_reward_give_back_what_was_put_in() -> None:
    mdp = build_mdp([STAY, MOVE], [[1, 2], [3, 4]], 0.9, action_names=["stay", "move"])
    assert mdp.transition_matrix("move").toarray().tolist() == MOVE
    assert mdp.reward.tolist() == [[1, 2], [3, 4]]
    assert (mdp.num_states, mdp.num_actions, mdp.num_choices, mdp.num_transitions) == (2, 2, 4, 5)


def test_a_reward_per_transition_becomes_its_expectation() -> None:
    reward = [[[5, 0], [0, 5]], [[0, 8], [4, 8]]]
    mdp = build_mdp([STAY, MOVE], reward, 0.9)
    assert mdp.reward.tolist() == [[5, 8], [5, 7]]  # 0.25 * 4 + 0.75 * 8 = 7


def test_a_reward_of_a_transition_that_never_happens_counts_for_nothing() -> None:
    reward = [[[5, np.inf], [np.nan, 5]], [[-np.inf, 8], [4, 8]]]
    mdp = build_mdp([STAY, MOVE], reward, 0.9)
    assert mdp.reward.tolist() == [[5, 8], [5, 7]]


def test_choice_rows_come_in_any_order_with_targets_twice() -> None:
    rows = ChoiceRows(
        state=np.array([1, 0, 1, 0]),
        action=np.array([1, 1, 0, 0]),
        row_start=np.array([0, 3, 4, 5, 6]),
        target=np.array([1, 0, 1, 1, 1, 0]),
        probability=np.array([0.5, 0.25, 0.25, 1.0, 1.0, 1.0]),
    )
    mdp = build_mdp(rows, [4, 2, 3, 1], 0.9, transition_reward=[2, 4, 8, 0, 0, 0])
    assert mdp.transition_matrix(0).toarray().tolist() == STAY
    assert mdp.transition_matrix(1).toarray().tolist() == MOVE
    assert mdp.reward.tolist() == [[1, 2], [3, 8]]  # 4 + 0.5 * 2 + 0.25 * 4 + 0.25 * 8 = 8
    assert mdp.target.tolist() == [0, 1, 1, 0, 1]


def test_an_ending_row_sums_to_less_than_one() -> None:
    mdp = build_mdp([[[0.0, 0.5], [0.0, 0.0]]], 1.0, 0.9, ends=[[0.5], [1.0]])
    assert mdp.rows.toarray().tolist() == [[0, 0.5], [0, 0]]
    assert mdp.num_transitions == 1


def test_ends_follow_their_choices_when_the_rows_are_sorted() -> None:
    rows = ChoiceRows(np.array([1, 0]), np.array([0, 0]), np.array([0, 0, 1]), np.array([1]), np.array([1.0]))
    assert build_mdp(rows, 0.0, 0.9, ends=[1.0, 0.0]).rows.toarray().tolist() == [[0, 1], [0, 0]]


def test_zero_probabilities_are_no_transitions() -> None:
    rows = ChoiceRows(np.array([0]), np.array([0]), np.array([0, 2]), np.array([0, 1]), np.array([1.0, 0.0]))
    assert build_mdp([STAY], 0.0, 0.9).num_transitions == 2
    with pytest.raises(InvalidModelError, match="state 1 has no choice"):
        build_mdp(rows, 0.0, 0.9)  # the next state exists even where it is never reached
    rows = ChoiceRows(
        np.array([0, 1]), np.array([0, 0]), np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([1.0, 0, 1])
    )
    mdp = build_mdp(rows, 0.0, 0.9, transition_reward=[3, np.nan, 4])
    assert mdp.num_transitions == 2
    assert mdp.reward.tolist() == [[3], [4]]


def test_normalise_rescales_a_row_that_is_off_by_rounding() -> None:
    third = 0.3333333
    mdp = build_mdp([np.full((3, 3), third)], 0.0, 0.9, normalise=True)
    assert pytest.approx([1, 1, 1], rel=1e-15) == mdp.rows.sum(axis=1).A1


def test_normalise_leaves_room_for_the_end() -> None:
    """The first row ends with 0.5 and goes on with the rest; the second surely ends."""
    rows = ChoiceRows(
        np.array([0, 1]), np.array([0, 0]), np.array([0, 1, 2]), np.array([1, 0]), np.array([0.4999999, 0])
    )
    assert build_mdp(rows, 0.0, 0.9, ends=[0.5, 1.0], normalise=True).rows.toarray().tolist() == [[0, 0.5], [0, 0]]


def test_without_normalise_rounding_is_refused_too() -> None:
    with pytest.raises(InvalidModelError, match=r"sum to 0\.9999999, not 1; pass normalise=True"):
        build_mdp([[[0.9999999]]], 0.0, 0.9)


def test_normalise_leaves_a_row_that_is_wrong_to_be_complained_about() -> None:
    with pytest.raises(InvalidModelError, match=r"sum to 0\.9, not 1"):
        build_mdp([[[0.9]]], 0.0, 0.9, normalise=True)


def test_the_initial_distribution_is_given_or_one_state_or_uniform() -> None:
    def initial(given: object) -> list[float]:
        return build_mdp([STAY], 0.0, 0.9, initial=given).initial.tolist()  # type: ignore[arg-type]

    assert initial([0.25, 0.75]) == [0.25, 0.75]
    assert initial(1) == [0, 1]
    assert initial(None) == [0.5, 0.5]


def test_without_features_a_tree_sees_the_number_of_the_state() -> None:
    mdp = build_mdp([STAY], 0.0, 0.9, state_number=[7, 9])
    assert mdp.feature_names == ("state",)
    assert mdp.features.tolist() == [[7], [9]]


def test_every_array_is_read_only_and_none_is_the_callers() -> None:
    features, initial = np.ones((2, 1)), np.array([0.5, 0.5])
    mdp = build_mdp([STAY, MOVE], 0.0, 0.9, initial=initial, features=features)
    arrays = [getattr(mdp, name) for name in mdp.__slots__ if isinstance(getattr(mdp, name), np.ndarray)]
    assert len(arrays) == 10
    assert not any(array.flags.writeable for array in arrays)
    features[:], initial[:] = 5, 0
    assert mdp.features.tolist() == [[1], [1]]
    assert mdp.initial.tolist() == [0.5, 0.5]


def test_a_discount_of_one_needs_no_second_switch() -> None:
    assert build_mdp([STAY], 0.0, 1).discount == 1.0
    assert build_mdp([STAY], 0.0, 1.0, undiscounted=True).discount == 1.0
    assert build_mdp([STAY], 0.0, 0.5, undiscounted=True).discount == 0.5
    with pytest.raises(InvalidModelError, match=r"discount 1\.0000000000000002 is not in \[0, 1\]"):
        build_mdp([STAY], 0.0, float(np.nextafter(1, 2)))


def test_an_offender_is_called_by_the_number_and_name_of_its_source() -> None:
    with pytest.raises(InvalidModelError) as caught:
        build_mdp([STAY, [[0.97, 0], [0, 1]]], 0.0, 0.9, action_names=["wait", "send"], state_number=[17, 40])
    assert str(caught.value) == (
        "state 17, action 'send': probabilities sum to 0.97, not 1; "
        "pass normalise=True to rescale rows that are off by less than 1e-6"
    )


def test_what_stands_at_an_unavailable_action_is_not_looked_at() -> None:
    broken = [[np.nan, -3.0], [0.25, 0.75]]
    mdp = build_mdp([STAY, broken], [[1, np.nan], [3, 4]], 0.9, available=[[True, False], [True, True]])
    assert mdp.available.tolist() == [[True, False], [True, True]]
    assert mdp.num_choices == 3
