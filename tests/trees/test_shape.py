"""A tree in preorder is the same tree."""

import numpy as np
import pytest

from spotree.trees.layouts import Shape, preorder
from spotree.trees.tree import Tree, leaf, make_tree

VALUES = [np.array([0.0, 1.0, 4.0]), np.array([-1.0, 2.0])]


def random_tree(rng: np.random.Generator, size: int) -> Tree:
    """With thresholds anywhere, also outside the values."""
    count = 2 * size + 1
    feature, threshold = np.full(count, -1), np.zeros(count)
    left, right, action = (np.full(count, -1) for _ in range(3))
    open_nodes, free = [0], 1
    for _ in range(size):
        node = open_nodes.pop(int(rng.integers(len(open_nodes))))
        feature[node], threshold[node] = rng.integers(2), rng.uniform(-2, 5)
        left[node], right[node] = free, free + 1
        open_nodes += [free, free + 1]
        free += 2
    action[feature < 0] = rng.integers(0, 3, int((feature < 0).sum()))
    return make_tree(feature, threshold, left, right, action)


@pytest.mark.parametrize("seed", range(40))
def test_there_and_back_acts_the_same_where_the_values_occur(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, int(rng.integers(0, 9)))
    rows = np.array([[x, y] for x in VALUES[0] for y in VALUES[1]])
    shape = preorder(tree, VALUES)
    again = shape.tree(VALUES)
    assert np.array_equal(tree.actions(rows), again.actions(rows))
    assert again.num_leaves <= tree.num_leaves


def test_a_leaf_is_one_node() -> None:
    shape = preorder(leaf(2), VALUES)
    assert (list(shape.feature), list(shape.cut), list(shape.right)) == ([-1], [2], [0])
    assert Shape(shape.feature, shape.cut, shape.right).tree(VALUES).num_leaves == 1


def test_a_long_chain_needs_no_recursion() -> None:
    count = 3000
    values = [np.arange(float(count + 1))]
    inner = np.arange(count) * 2
    feature, threshold = np.full(2 * count + 1, -1), np.zeros(2 * count + 1)
    left, right, action = (np.full(2 * count + 1, -1) for _ in range(3))
    feature[inner], threshold[inner], left[inner], right[inner] = 0, np.arange(count) + 0.5, inner + 1, inner + 2
    action[feature < 0] = np.arange(count + 1) % 2  # equal siblings would be merged
    tree = make_tree(feature, threshold, left, right, action)
    assert len(preorder(tree, values).tree(values).feature) == 2 * count + 1
