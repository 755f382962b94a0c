"""States that no tree can tell apart, and the splits that part the others."""

from dataclasses import dataclass

import numpy as np

from spotree.axes import SmallInts
from spotree.mdp.model import MDP
from spotree.methods.ranks import merged_choices
from spotree.tree.splits import Splits, candidate_splits


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of states with equal features in which the choice of an action matters.

    Attributes
    ----------
    choice_of
        [state, action] -> row as in the model, but equal rows of a state are one.
    group_of
        [state] -> group, -1 where every action does the same.
    state
        [group] the first state of each group.
    rank
        [group, feature] how many candidate thresholds of the feature the group's value reaches.
    splits, split_rank
        The candidate splits; split s sends the groups with a rank below `split_rank[s]` left.
    """

    choice_of: SmallInts
    group_of: SmallInts
    state: SmallInts
    rank: SmallInts
    splits: Splits
    split_rank: SmallInts


def find_groups(mdp: MDP) -> Groups:
    """The groups of a model; states that no policy reaches are left out by the reader already."""
    _, first, inverse = np.unique(mdp.features, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    choice_of = merged_choices(mdp)
    matters = (choice_of != choice_of[:, :1]).any(axis=1)
    relevant = np.zeros(len(first), dtype=bool)
    relevant[inverse[matters]] = True
    number = np.where(relevant, np.cumsum(relevant) - 1, -1).astype(np.int32)
    state = first[relevant].astype(np.int32)
    features = mdp.features[state]
    splits = candidate_splits(features)
    rank = np.zeros(features.shape, dtype=np.int32)
    split_rank = np.zeros(len(splits), dtype=np.int32)
    for feature in range(features.shape[1]):
        mine = np.flatnonzero(splits.feature == feature)
        rank[:, feature] = np.searchsorted(splits.threshold[mine], features[:, feature], side="right")
        split_rank[mine] = np.arange(1, len(mine) + 1)
    return Groups(choice_of, number[inverse], state, rank, splits, split_rank)
