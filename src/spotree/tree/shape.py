"""Trees of any shape in preorder, with ranks for thresholds: the trees of the search by leaves, there and back."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spotree.axes import Floats, SmallInts, frozen_array
from spotree.tree.grow import Node, join, split
from spotree.tree.splits import midpoint
from spotree.tree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The left child of a split is the next node; `cut` of a leaf (feature -1) is its action."""

    feature: SmallInts
    cut: SmallInts
    right: SmallInts

    def tree(self, values: Sequence[Floats]) -> Tree:
        """The tree with thresholds between the values that occur [feature]."""
        built: dict[int, Node] = {}
        for node in reversed(range(len(self.feature))):  # children come after their parents
            feature, cut = int(self.feature[node]), int(self.cut[node])
            if feature < 0:
                built[node] = Node(action=cut)
                continue
            threshold = float(midpoint(values[feature][cut - 1], values[feature][cut]))
            built[node] = split(feature, threshold, built.pop(node + 1), built.pop(int(self.right[node])))
        return join(built[0])


def preorder(tree: Tree, values: Sequence[Floats]) -> Shape:
    """The tree in preorder, without splits that part none of these values; it acts the same wherever they occur."""
    feature: list[int] = []
    cut: list[int] = []
    right: list[int] = []
    waiting: list[tuple[int, int]] = [(0, -1)]  # node, and the parent whose right child it is
    while waiting:
        node, parent = waiting.pop()
        while tree.feature[node] >= 0:
            column = values[tree.feature[node]]
            rank = int(np.searchsorted(column, tree.threshold[node], side="left"))
            if 0 < rank < len(column):
                break
            node = int(tree.right[node] if rank == 0 else tree.left[node])
        if parent >= 0:
            right[parent] = len(feature)
        leaf = tree.feature[node] < 0
        feature.append(-1 if leaf else int(tree.feature[node]))
        cut.append(int(tree.action[node]) if leaf else rank)
        right.append(0)
        if not leaf:
            waiting.append((int(tree.right[node]), len(feature) - 1))
            waiting.append((int(tree.left[node]), -1))
    return Shape(*(frozen_array(column, np.int32) for column in (feature, cut, right)))
