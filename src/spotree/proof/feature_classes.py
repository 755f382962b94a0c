"""States that no tree can tell apart, and the splits that part the others."""

from dataclasses import dataclass

import numpy as np

from spotree.common.arrays import SmallInts
from spotree.mdp.model import MDP
from spotree.search.feature_classes import rank_features
from spotree.trees.splits import Splits, distinct_cuts, rank_among, splits_at


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of states with equal features in which the choice of an action matters.

    Attributes
    ----------
    choice_of
        [state, action] -> row as in the model, but equal rows of a state are one.
    group_of
        [state] -> group, -1 where every action does the same in all states with these features.
    state
        [group] the first state of each group.
    rank
        [group, feature] how many candidate thresholds of the feature the group's value reaches.
    splits, split_cut
        The candidate splits; split s sends the groups with a rank below `split_cut[s]` left.
    """

    choice_of: SmallInts
    group_of: SmallInts
    state: SmallInts
    rank: SmallInts
    splits: Splits
    split_cut: SmallInts


def find_groups(mdp: MDP) -> Groups:
    """The groups of a model; states that no policy reaches are left out by the reader already."""
    ranks = rank_features(mdp, whole=True)
    cuts = distinct_cuts(ranks)
    rank = np.zeros(ranks.rank.shape, dtype=np.int32)
    for feature, kept in enumerate(cuts):
        rank[:, feature] = rank_among(kept, ranks.rank[:, feature])
    splits = splits_at(ranks.values, cuts)
    split_cut = np.arange(len(splits)) - np.searchsorted(splits.feature, splits.feature) + 1
    return Groups(ranks.choice_of, ranks.group_of, ranks.first, rank, splits, split_cut.astype(np.int32))
