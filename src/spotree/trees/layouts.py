"""Array layouts of trees for the core: complete (heap order) and preorder."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spotree.common.arrays import Floats, SmallInts, frozen_array
from spotree.trees.splits import midpoint
from spotree.trees.tree import Tree, make_tree


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf (no children) or a split over two subtrees; equal subtrees compare equal."""

    action: int = -1
    feature: int = -1
    threshold: float = 0.0
    left: "Node | None" = None
    right: "Node | None" = None


def split(feature: int, threshold: float, left: Node, right: Node) -> Node:
    """A split over two subtrees, or the subtree itself where both are the same."""
    return left if left == right else Node(feature=feature, threshold=threshold, left=left, right=right)


def join(root: Node) -> Tree:
    """The arrays of a tree, in preorder."""
    nodes: list[Node] = []
    left: list[int] = []
    right: list[int] = []

    waiting: list[tuple[Node, list[int], int]] = [(root, [-1], 0)]  # a node, and where its number belongs
    while waiting:  # a deep tree would be too much for a recursion
        node, numbers, parent = waiting.pop()
        numbers[parent] = number = len(nodes)
        nodes.append(node)
        left.append(-1)
        right.append(-1)
        if node.left is not None and node.right is not None:
            waiting.append((node.right, right, number))
            waiting.append((node.left, left, number))
    return make_tree(
        [node.feature for node in nodes],
        [node.threshold for node in nodes],
        left,
        right,
        [node.action for node in nodes],
    )


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
