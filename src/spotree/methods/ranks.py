"""Trees in the search's words: groups of equal features, thresholds as ranks, complete trees in level order."""

from dataclasses import dataclass

import numpy as np

from spotree import _core
from spotree.axes import Features, Floats, SmallInts, frozen_array
from spotree.mdp.core import core_model
from spotree.mdp.model import MDP
from spotree.tree.grow import Node, join, split
from spotree.tree.splits import midpoint
from spotree.tree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class CompleteTree:
    """All nodes of a depth, level by level: children of node t are 2t + 1 and 2t + 2, leaves come last.

    A row whose rank in `feature` is below `cut` goes left; cut 0 sends every row right.
    """

    feature: SmallInts  # [inner node]
    cut: SmallInts  # [inner node]
    action: SmallInts  # [leaf]


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """What of a model's features can matter to a tree.

    Attributes
    ----------
    choice_of
        [state, action] -> row, equal rows of a state under one number.
    group_of
        [state] states with equal features share a group; -1 where all actions do the same.
    rank
        [group, feature] position of the group's value among those that occur.
    values
        [feature] the values that occur, ascending.
    """

    choice_of: SmallInts
    group_of: SmallInts
    rank: SmallInts
    values: tuple[Floats, ...]

    @property
    def num_values(self) -> SmallInts:
        return frozen_array([len(values) for values in self.values], np.int32)

    def complete(self, tree: Tree, depth: int) -> CompleteTree:
        """The tree with every path lengthened to `depth`; it takes the same action for every group."""
        feature = np.zeros(2**depth - 1, np.int32)
        cut = np.zeros(2**depth - 1, np.int32)
        action = np.zeros(2**depth, np.int32)

        def fill(node: int, place: int, level: int) -> None:
            if tree.feature[node] < 0:
                width = 2 ** (depth - level)
                first = (place + 1) * width - 2**depth
                action[first : first + width] = tree.action[node]
                return
            values = self.values[tree.feature[node]]
            feature[place] = tree.feature[node]
            cut[place] = np.searchsorted(values, tree.threshold[node], side="left")
            fill(int(tree.left[node]), 2 * place + 1, level + 1)
            fill(int(tree.right[node]), 2 * place + 2, level + 1)

        fill(0, 0, 0)
        return CompleteTree(feature, cut, action)

    def tree(self, complete: CompleteTree) -> Tree:
        """The tree with thresholds between the values that occur, without splits that part nothing."""
        inner = len(complete.feature)

        def node(place: int) -> Node:
            if place >= inner:
                return Node(action=int(complete.action[place - inner]))
            feature, cut = int(complete.feature[place]), int(complete.cut[place])
            values = self.values[feature]
            if cut == 0:
                return node(2 * place + 2)
            if cut >= len(values):
                return node(2 * place + 1)
            threshold = float(midpoint(values[cut - 1], values[cut]))
            return split(feature, threshold, node(2 * place + 1), node(2 * place + 2))

        return join(node(0))


def merged_choices(mdp: MDP) -> SmallInts:
    """[state, action] -> row as in `choice_of`, but the first of a state's rows that are equal to the last bit."""
    merged = _core.merge_equal_choices(core_model(mdp))
    return merged.reshape(mdp.choice_of.shape)


def rank_features(mdp: MDP) -> Ranks:
    """Group the states that have a real choice by equal features, and rank the values."""
    merged = merged_choices(mdp)
    relevant = merged.min(axis=1) != merged.max(axis=1)
    rows: Features = mdp.features[relevant]
    values, columns = [], []
    for column in rows.T:
        distinct, position = np.unique(column, return_inverse=True)
        values.append(distinct)
        columns.append(position.reshape(-1))
    ranked = np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), int)
    groups, group = np.unique(ranked, axis=0, return_inverse=True)
    group_of = np.full(mdp.num_states, -1, np.int32)
    group_of[relevant] = group.reshape(-1)
    return Ranks(
        frozen_array(merged, np.int32),
        frozen_array(group_of, np.int32),
        frozen_array(groups, np.int32),
        tuple(values),
    )
