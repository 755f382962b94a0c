"""Complete trees in level order, with ranks for thresholds: the trees of the search, there and back."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spotree.axes import Floats, SmallInts
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

    def tree(self, values: Sequence[Floats]) -> Tree:
        """The tree with thresholds between the values that occur [feature], without splits that part nothing."""
        inner = len(self.feature)

        def node(place: int) -> Node:
            if place >= inner:
                return Node(action=int(self.action[place - inner]))
            feature, cut = int(self.feature[place]), int(self.cut[place])
            occurring = values[feature]
            if cut == 0:
                return node(2 * place + 2)
            if cut >= len(occurring):
                return node(2 * place + 1)
            threshold = float(midpoint(occurring[cut - 1], occurring[cut]))
            return split(feature, threshold, node(2 * place + 1), node(2 * place + 2))

        return join(node(0))


def complete(tree: Tree, values: Sequence[Floats], depth: int) -> CompleteTree:
    """The tree with every path lengthened to `depth`; it takes the same action wherever these values occur."""
    feature = np.zeros(2**depth - 1, np.int32)
    cut = np.zeros(2**depth - 1, np.int32)
    action = np.zeros(2**depth, np.int32)

    def fill(node: int, place: int, level: int) -> None:
        if tree.feature[node] < 0:
            width = 2 ** (depth - level)
            first = (place + 1) * width - 2**depth
            action[first : first + width] = tree.action[node]
            return
        feature[place] = tree.feature[node]
        cut[place] = np.searchsorted(values[tree.feature[node]], tree.threshold[node], side="left")
        fill(int(tree.left[node]), 2 * place + 1, level + 1)
        fill(int(tree.right[node]), 2 * place + 2, level + 1)

    fill(0, 0, 0)
    return CompleteTree(feature, cut, action)
