"""Make a tree smaller without changing a decision."""

import numpy as np

from spotree.common.arrays import Features, Ints
from spotree.trees.layouts import Node, join, split
from spotree.trees.tree import Tree


def prune(tree: Tree, features: Features | None = None) -> Tree:
    """The tree without the splits that decide nothing.

    A split goes when both its sides are the same subtree, and, where `features` are given, when all their rows that
    reach it take one side: the decisions for those rows stay the same, others may change.
    """
    smaller = join(_without_equal_sides(tree, 0))
    if features is None:
        return smaller
    rows = np.ascontiguousarray(features, dtype=np.float64)
    return join(_on_rows(smaller, 0, rows, np.arange(len(rows))))


def _without_equal_sides(tree: Tree, node: int) -> Node:
    if tree.feature[node] < 0:
        return Node(action=int(tree.action[node]))
    left, right = (_without_equal_sides(tree, int(child)) for child in (tree.left[node], tree.right[node]))
    return split(int(tree.feature[node]), float(tree.threshold[node]), left, right)


def _on_rows(tree: Tree, node: int, rows: Features, here: Ints) -> Node:
    if tree.feature[node] < 0 or len(here) == 0:
        return _without_equal_sides(tree, node)
    below = rows[here, tree.feature[node]] < tree.threshold[node]
    if below.all():
        return _on_rows(tree, int(tree.left[node]), rows, here)
    if not below.any():
        return _on_rows(tree, int(tree.right[node]), rows, here)
    left = _on_rows(tree, int(tree.left[node]), rows, here[below])
    right = _on_rows(tree, int(tree.right[node]), rows, here[~below])
    return split(int(tree.feature[node]), float(tree.threshold[node]), left, right)
