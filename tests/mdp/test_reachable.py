"""The part of a model that some policy can reach."""

import numpy as np
import pytest

from spotree.mdp import Missing, build_mdp, reachable_part, reachable_states

# 0 -> 1 -> 2 -> 2 under action 0; action 1 leads from 3 to 0 and from 4 to 3, and stays elsewhere.
CHAIN = np.zeros((2, 5, 5))
CHAIN[0, range(5), [1, 2, 2, 3, 4]] = 1
CHAIN[1, range(5), [0, 1, 2, 0, 3]] = 1


def test_states_nobody_reaches_are_left_out_and_the_others_keep_their_numbers() -> None:
    mdp = build_mdp(CHAIN, np.arange(10).reshape(5, 2), 0.9, initial=1, state_number=[10, 11, 12, 13, 14])
    part = reachable_part(mdp)
    assert part.state_number.tolist() == [11, 12]
    assert part.initial.tolist() == [1, 0]
    assert part.reward.tolist() == [[2, 3], [4, 5]]
    assert part.transition_matrix(0).toarray().tolist() == [[0, 1], [0, 1]]
    assert part.choice_of.tolist() == [[0, 1], [2, 3]]


def test_several_initial_states_are_all_searched() -> None:
    mdp = build_mdp(CHAIN, 0.0, 0.9, initial=[0, 0, 0.5, 0.5, 0])
    assert reachable_states(mdp).tolist() == [True, True, True, True, False]


def test_a_model_that_is_reachable_as_a_whole_is_returned_as_it_is() -> None:
    mdp = build_mdp(CHAIN, 0.0, 0.9, initial=4)
    assert reachable_part(mdp) is mdp


@pytest.mark.parametrize("missing", ["random", "end", "stay", "forbid"])
def test_a_missing_action_adds_no_state(missing: Missing) -> None:
    only = np.ones((5, 2), dtype=bool)
    only[3, 1] = False  # without it, 3 has only its loop
    mdp = build_mdp(CHAIN, 0.0, 0.9, initial=4, available=only, missing=missing)
    assert reachable_part(mdp).state_number.tolist() == [3, 4]


def test_forbidden_actions_stay_forbidden() -> None:
    only = np.ones((5, 2), dtype=bool)
    only[2, 1] = False
    part = reachable_part(build_mdp(CHAIN, 0.0, 0.9, initial=1, available=only, missing="forbid"))
    assert part.choice_of.tolist() == [[0, 1], [2, -1]]


def test_restricting_commutes_with_building() -> None:
    """Building from the reachable block of the arrays gives, bit for bit, the restricted model."""
    rng = np.random.default_rng(3)
    size, kept = 12, 7
    transitions = np.zeros((3, size, size))
    transitions[:, :kept, :kept] = rng.dirichlet(np.ones(kept), (3, kept))
    transitions[:, kept:, :] = rng.dirichlet(np.ones(size), (3, size - kept))
    reward, available = rng.normal(size=(size, 3)), rng.random((size, 3)) < 0.7
    available[:, 0] = True
    part = reachable_part(build_mdp(transitions, reward, 0.9, initial=0, available=available))
    direct = build_mdp(transitions[:, :kept, :kept], reward[:kept], 0.9, initial=0, available=available[:kept])
    for name in ("choice_start", "choice_action", "choice_of", "row_start", "target", "probability"):
        assert getattr(part, name).tobytes() == getattr(direct, name).tobytes(), name
    assert part.reward_of_choice.tobytes() == direct.reward_of_choice.tobytes()
