"""A small CART: grow a classification tree greedily by Gini impurity, on weighted rows."""

import heapq
import itertools
from dataclasses import dataclass

import numpy as np

from spotree.common.arrays import Features, Floats, Ints, SmallInts
from spotree.trees.layouts import Node, join, split
from spotree.trees.splits import midpoint
from spotree.trees.tree import Tree

ROUNDING = 1e-12  # of the weight: a split that helps by less more than another is no better


@dataclass(slots=True)
class _Growing:
    """A node of the tree under construction: a leaf with its majority action until it is given children."""

    rows: Ints
    depth: int
    action: int
    feature: int = -1
    threshold: float = 0.0
    left: "_Growing | None" = None
    right: "_Growing | None" = None

    def finished(self) -> Node:
        if self.left is None or self.right is None:
            return Node(action=self.action)
        return split(self.feature, self.threshold, self.left.finished(), self.right.finished())


def cart(features: Features, label: SmallInts, weight: Floats, depth: int, max_leaves: int | None = None) -> Tree:
    """The tree that CART grows to imitate `label`; the node whose split helps most is split first.

    Parameters
    ----------
    features
        [row, feature]
    label, weight
        [row] the action to imitate, and how much the row counts; rows of weight 0 count nothing.
    """
    counts = np.flatnonzero(weight > 0)
    root = _Growing(counts, 0, _majority(label[counts], weight[counts]))
    waiting: list[tuple[float, int, _Growing]] = []
    number = itertools.count()  # first offered, first split, where two help alike

    def offer(node: _Growing) -> None:
        if node.depth < depth:
            help, node.feature, node.threshold = _best_split(
                features[node.rows], label[node.rows], weight[node.rows]
            )
            if node.feature >= 0:
                heapq.heappush(waiting, (-help, next(number), node))

    offer(root)
    leaves = 1
    while waiting and (max_leaves is None or leaves < max_leaves):
        node = heapq.heappop(waiting)[-1]
        below = features[node.rows, node.feature] < node.threshold
        node.left, node.right = (
            _Growing(rows, node.depth + 1, _majority(label[rows], weight[rows]))
            for rows in (node.rows[below], node.rows[~below])
        )
        leaves += 1
        offer(node.left)
        offer(node.right)
    return join(root.finished())


def _majority(label: SmallInts, weight: Floats) -> int:
    return int(np.bincount(label, weight).argmax()) if len(label) else 0


def _best_split(features: Features, label: SmallInts, weight: Floats) -> tuple[float, int, float]:
    """How much impurity (times weight) the best split removes, its feature (-1: none is needed) and threshold.

    A split that removes none may still prepare one that does, as in exclusive or.
    """
    classes, label_number = np.unique(label, return_inverse=True)
    total = np.bincount(label_number, weight)
    best = (-np.inf, -1, 0.0)
    if len(classes) < 2:
        return best
    rounding = ROUNDING * total.sum()
    for feature in range(features.shape[1]):
        values, rank = np.unique(features[:, feature], return_inverse=True)  # anew at each node: no groups needed
        cell = rank.ravel() * len(classes) + label_number.ravel()
        table = np.bincount(cell, weight, minlength=len(values) * len(classes)).reshape(len(values), -1)
        left = table.cumsum(axis=0)[:-1]
        right = total - left
        purity = (left**2).sum(axis=1) / left.sum(axis=1) + (right**2).sum(axis=1) / right.sum(axis=1)
        help = purity - (total**2).sum() / total.sum()
        if len(help) and help.max() > best[0] + rounding:
            at = int(help.argmax())
            best = (float(help[at]), feature, float(midpoint(values[at], values[at + 1])))
    return best
