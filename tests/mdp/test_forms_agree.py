"""The forms of a model are different words for the same thing: every one gives the same MDP, bit for bit."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from spotree.mdp import MDP, ChoiceRows, Missing, build_mdp

ROWS = ("choice_start", "choice_action", "choice_of", "row_start", "target", "probability", "reward_of_choice")


def same_rows(one: MDP, other: MDP) -> bool:
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in ROWS)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    num_states=st.integers(1, 7),
    num_actions=st.integers(1, 4),
    missing=st.sampled_from(["random", "end", "stay", "forbid"]),
    per_transition=st.booleans(),
)
def test_dense_sparse_and_shuffled_choice_rows_agree(
    seed: int, num_states: int, num_actions: int, missing: Missing, per_transition: bool
) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random((num_actions, num_states, num_states)) * (rng.random(num_states) < 0.6)
    weights[:, :, 0] += 0.1
    transitions = weights / weights.sum(axis=2, keepdims=True)
    available = rng.random((num_states, num_actions)) < 0.6
    available[:, rng.integers(num_actions)] = True
    rewards = rng.normal(size=transitions.shape if per_transition else available.shape)

    dense = build_mdp(transitions, rewards, 0.9, available=available, missing=missing)

    sparse = build_mdp(
        [sp.coo_matrix(matrix) for matrix in transitions],
        [sp.csr_matrix(matrix) for matrix in rewards] if per_transition else rewards,
        0.9,
        available=available,
        missing=missing,
    )
    assert same_rows(dense, sparse)

    state, action = np.nonzero(available)
    order = rng.permutation(len(state))
    state, action = state[order], action[order]
    matrix = sp.csr_matrix(transitions[action, state])
    rows = ChoiceRows(state, action, matrix.indptr, matrix.indices, matrix.data)
    each = rewards[action, state][matrix.nonzero()] if per_transition else None
    per_choice = 0.0 if per_transition else rewards[state, action]
    listed = build_mdp(
        rows,
        per_choice,
        0.9,
        initial=np.full(num_states, 1 / num_states),
        action_names=[f"action_{index}" for index in range(num_actions)],
        missing=missing,
        transition_reward=each,
    )
    assert same_rows(dense, listed)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), num_states=st.integers(1, 6))
def test_every_row_of_a_model_without_ends_is_a_distribution(seed: int, num_states: int) -> None:
    rng = np.random.default_rng(seed)
    transitions = rng.dirichlet(np.ones(num_states), (3, num_states))
    available = rng.random((num_states, 3)) < 0.5
    available[:, 0] = True
    mdp = build_mdp(transitions, 0.0, 0.9, available=available, missing="random")
    assert (mdp.probability > 0).all()
    assert np.abs(mdp.rows.sum(axis=1).A1 - 1).max() < 1e-14
    assert (mdp.choice_of >= 0).all()
