"""The search and the proof see the same groups of states."""

import numpy as np

from spotree import build_mdp
from spotree.proof.feature_classes import find_groups
from spotree.search.feature_classes import rank_features


def test_a_group_counts_if_one_of_its_states_has_a_choice_and_the_proof_takes_it_whole() -> None:
    features = np.array([[5.0], [3.0], [5.0], [1.0], [9.0]])
    reward = np.array([[0.0, 0.0], [1.0, 2.0], [1.0, 0.0], [4.0, 4.0], [0.0, 3.0]])  # states 0 and 3 have none
    mdp = build_mdp(np.stack([np.eye(5)] * 2), reward, discount=0.9, features=features)
    ranks, groups = rank_features(mdp), find_groups(mdp)
    assert ranks.values[0].tolist() == [3.0, 5.0, 9.0]
    assert ranks.rank.tolist() == groups.rank.tolist() == [[0], [1], [2]]
    assert ranks.group_of.tolist() == [-1, 0, 1, -1, 2]
    assert groups.group_of.tolist() == [1, 0, 1, -1, 2]
    assert ranks.first.tolist() == groups.state.tolist() == [1, 0, 4]
    assert groups.splits.threshold.tolist() == [4.0, 7.0]
    assert groups.split_cut.tolist() == [1, 2]
