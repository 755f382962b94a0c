"""The arrays P and R of other toolboxes."""

import numpy as np
import pytest
import scipy.sparse as sp

from spotree.mdp import build_mdp

# Cut the wood or wait: three ages; waiting lets it grow unless it burns (probability 0.1).
P = np.array([[[0.1, 0.9, 0.0], [0.1, 0.0, 0.9], [0.1, 0.0, 0.9]], [[1, 0, 0], [1, 0, 0], [1, 0, 0]]])
R = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 2.0]])


def test_rewards_per_state_and_action() -> None:
    mdp = build_mdp(P, R, 0.9)
    assert mdp.reward.tolist() == R.tolist()
    assert mdp.transition_matrix(0).toarray().tolist() == P[0].tolist()


def test_rewards_per_state_are_earned_whatever_the_action() -> None:
    assert build_mdp(P, [1.0, 2.0, 3.0], 0.9).reward.tolist() == [[1, 1], [2, 2], [3, 3]]


def test_rewards_per_transition_become_their_expectation() -> None:
    per_transition = np.zeros((2, 3, 3))
    per_transition[0, :, 2] = 10.0
    assert build_mdp(P, per_transition, 0.9).reward.tolist() == [[0, 0], [9, 0], [9, 0]]  # 0.9 * 10


@pytest.mark.parametrize("kind", [list, tuple])
def test_sparse_matrices_in_a_list_or_tuple(kind: type) -> None:
    matrices = kind(sp.csr_matrix(matrix) for matrix in P)
    for rewards in (R, sp.csr_matrix(R), [1.0, 2.0, 3.0], kind(sp.csr_matrix(matrix) for matrix in P)):
        expected = build_mdp(P, rewards.toarray() if sp.issparse(rewards) else rewards, 0.9)
        mdp = build_mdp(matrices, rewards, 0.9)
        assert mdp.reward.tolist() == expected.reward.tolist()
        assert mdp.probability.tolist() == expected.probability.tolist()


def test_sparse_matrices_in_an_object_array() -> None:
    matrices = np.empty(2, dtype=object)
    matrices[:] = [sp.csr_matrix(matrix) for matrix in P]
    assert build_mdp(matrices, R, 0.9).probability.tolist() == build_mdp(P, R, 0.9).probability.tolist()
