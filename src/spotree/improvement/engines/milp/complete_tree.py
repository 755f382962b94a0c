"""A tree laid out on the complete tree of its depth: the paper's a, b, c, d as plain arrays, there and back.

The layout is that of `Frozen`: children of inner node t are 2t + 1 and 2t + 2, the leaves follow the inner nodes.
A layout without `FREE` entries is a tree; an unsplit node sends every row right, down to its right-most leaf.
"""

import numpy as np

from spotree.common.arrays import Features, PerStateAction
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem
from spotree.trees.layouts import Node, join
from spotree.trees.tree import Tree


def blank(depth: int) -> Frozen:
    """A layout in which everything is free."""
    inner = 2**depth - 1
    return Frozen(np.full(inner, FREE, dtype=np.int32), np.zeros(inner), np.full(inner + 1, FREE, dtype=np.int32))


def restrictions(problem: TreeProblem) -> Frozen:
    """What is frozen, with everything below an unsplit node unsplit (the paper's d_t <= d_p(t))."""
    frozen = problem.frozen or blank(problem.depth)
    feature = np.array(frozen.feature, dtype=np.int32)
    for node in range(1, len(feature)):
        if feature[(node - 1) // 2] == UNSPLIT:
            feature[node] = UNSPLIT
    return Frozen(feature, frozen.threshold, frozen.action)


def path_to(node: int) -> list[tuple[int, bool]]:
    """The ancestors of a node, each with whether the way to the node goes left there."""
    path = []
    while node > 0:
        path.append(((node - 1) // 2, node % 2 == 1))
        node = (node - 1) // 2
    return path


def lay_out(tree: Tree, depth: int, everywhere: bool = True) -> Frozen:
    """The layout of a tree that is at most `depth` deep.

    Places that no row can reach repeat what stands above them, or stay free where not `everywhere` is asked for.
    """
    layout = blank(depth)
    inner = len(layout.feature)

    def place(node: int, at: int) -> None:
        if at >= inner:
            layout.action[at - inner] = tree.action[node]
            return
        splits = tree.feature[node] >= 0
        layout.feature[at] = tree.feature[node] if splits else UNSPLIT
        layout.threshold[at] = tree.threshold[node] if splits else 0.0
        if splits or everywhere:
            place(int(tree.left[node]) if splits else node, 2 * at + 1)
        place(int(tree.right[node]) if splits else node, 2 * at + 2)

    place(0, 0)
    return layout


def read_off(layout: Frozen) -> Tree:
    """The tree of a layout without free entries; nodes that send every number one way are left out."""
    inner = len(layout.feature)

    def grow(at: int) -> Node:
        while at < inner and (layout.feature[at] == UNSPLIT or np.isinf(layout.threshold[at])):
            at = 2 * at + (1 if layout.feature[at] >= 0 and layout.threshold[at] > 0 else 2)
        if at >= inner:
            return Node(action=int(layout.action[at - inner]))
        left, right = grow(2 * at + 1), grow(2 * at + 2)
        return Node(-1, int(layout.feature[at]), float(layout.threshold[at]), left, right)

    return join(grow(0))


def leaf_numbers(layout: Frozen, features: Features) -> np.ndarray:
    """[row] the leaf, counted from 0, in which each row ends."""
    inner = len(layout.feature)
    at = np.zeros(len(features), dtype=np.int64)
    while inner and at.size and at.min() < inner:  # all rows are on the same level
        feature = layout.feature[at]
        value = features[np.arange(len(features)), np.maximum(feature, 0)] if features.shape[1] else np.inf
        left = (feature >= 0) & (value < layout.threshold[at])
        at = 2 * at + np.where(left, 1, 2)
    return at - inner


def simplest(problem: TreeProblem) -> Frozen:
    """The layout that obeys what is frozen, splits no more, and gives the free leaves their best actions.

    A free node above a frozen split must split (the paper's d_t <= d_p(t)); it sends all rows to the child with the
    fewer leaves.
    """
    rules = restrictions(problem)
    inner = len(rules.feature)
    feature, threshold = rules.feature.copy(), np.array(rules.threshold, dtype=np.float64)
    leaves = np.ones(2 * inner + 1, dtype=np.int64)
    for node in range(inner - 1, -1, -1):
        left, right = leaves[2 * node + 1], leaves[2 * node + 2]
        if feature[node] >= 0:
            leaves[node] = left + right
        elif feature[node] == FREE:
            above_split = any(feature[child] >= 0 for child in (2 * node + 1, 2 * node + 2) if child < inner)
            feature[node] = 0 if above_split else UNSPLIT
            threshold[node] = -np.inf if right <= left else np.inf
            leaves[node] = min(left, right)
    return with_best_actions(Frozen(feature, threshold, rules.action), problem.features, problem.gain)


def with_best_actions(layout: Frozen, features: Features, gain: PerStateAction) -> Frozen:
    """The layout with the best action for its rows in each free leaf."""
    sums = np.zeros((len(layout.action), gain.shape[1]))
    np.add.at(sums, leaf_numbers(layout, features), gain)
    action = np.where(layout.action == FREE, sums.argmax(axis=1), layout.action).astype(np.int32)
    return Frozen(layout.feature, layout.threshold, action)


def fits(layout: Frozen, problem: TreeProblem) -> bool:
    """Whether a layout obeys what is frozen and the limit on leaves."""
    rules = restrictions(problem)
    fixed = rules.feature != FREE
    same = np.array_equal(layout.feature[fixed], rules.feature[fixed])
    split = fixed & (rules.feature >= 0)
    same = same and np.array_equal(layout.threshold[split], rules.threshold[split])
    leaf = rules.action != FREE
    same = same and np.array_equal(layout.action[leaf], rules.action[leaf])
    return bool(same) and (problem.max_leaves is None or read_off(layout).num_leaves <= problem.max_leaves)
