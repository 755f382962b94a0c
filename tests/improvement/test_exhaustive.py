"""The referee itself, checked by hand and against a list of all trees written out another way."""

import itertools

import numpy as np
import pytest

from spotree.errors import InvalidProblemError
from spotree.improvement.engines.exhaustive import Exhaustive
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem


def solve(features, gain, depth, **rest):
    return Exhaustive().best_tree(TreeProblem(features, gain, depth, **rest), Limits())


def every_tree_value(features, gain, depth, frozen=None):
    """Best value over all assignments of splits and actions to the complete tree, by brute force."""
    num_inner = 2**depth - 1
    middles = [
        (j, (lo + hi) / 2)
        for j in range(features.shape[1])
        for lo, hi in itertools.pairwise(np.unique(features[:, j]))
    ]
    free = [*middles, (0, -np.inf), (0, np.inf)]
    options = [
        free if frozen is None or frozen.feature[t] == FREE else [(frozen.feature[t], frozen.threshold[t])]
        for t in range(num_inner)
    ]
    best = -np.inf
    for splits in itertools.product(*options):
        node = np.zeros(len(gain), dtype=int)
        for _ in range(depth):
            feature = np.array([splits[t][0] for t in node])
            threshold = np.array([splits[t][1] for t in node])
            node = np.where(features[np.arange(len(gain)), feature] < threshold, 2 * node + 1, 2 * node + 2)
        total = 0.0
        for leaf in range(num_inner + 1):
            sums = gain[node == leaf + num_inner].sum(axis=0)
            fixed = frozen is not None and frozen.action[leaf] != FREE
            total += sums[frozen.action[leaf]] if fixed else sums.max()
        best = max(best, total)
    return best


XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
XOR_GAIN = np.array([[1.0, 0], [0, 1], [0, 1], [1, 0]])


def test_depth_zero_takes_the_action_with_the_largest_column_sum():
    step = solve([[0.0], [1.0]], [[1.0, 0.0], [0.0, 3.0]], 0)
    assert step.value == step.bound == 3.0
    assert step.tree.num_nodes == 1
    assert step.optimal


def test_xor_needs_two_levels():
    assert [solve(XOR, XOR_GAIN, depth).value for depth in (0, 1, 2, 3)] == [2, 2, 4, 4]


def test_a_leaf_limit_below_the_depth_binds():
    # xor: with 3 leaves one half is right (2), the other is a tie (1)
    assert [solve(XOR, XOR_GAIN, 2, max_leaves=leaves).value for leaves in (1, 2, 3, 4)] == [2, 2, 3, 4]
    assert solve(XOR, XOR_GAIN, 2, max_leaves=3).tree.num_leaves <= 3


def test_a_frozen_split_and_a_frozen_action_are_kept():
    frozen = Frozen(np.array([1], np.int32), np.array([0.5]), np.array([1, FREE], np.int32))
    step = solve(XOR, XOR_GAIN, 1, frozen=frozen)
    assert step.tree.feature[0] == 1
    assert step.value == 2  # left gets action 1: rows 00 and 10 give 0 + 1; right its best: 1
    assert step.tree.actions(XOR)[0] == 1


def test_an_unsplit_node_sends_its_rows_to_the_rightmost_leaf_below():
    free3 = np.full(3, FREE, np.int32)
    frozen = Frozen(np.array([UNSPLIT, *free3[1:]], np.int32), np.zeros(3), np.array([0, 0, 0, 1], np.int32))
    assert solve(XOR, XOR_GAIN * [3, 1], 2, frozen=frozen).value == 2  # action 1 everywhere: 0 + 1 + 1 + 0


def test_the_recursion_agrees_with_all_trees_written_out():
    rng = np.random.default_rng(0)
    for _ in range(40):
        depth = int(rng.integers(0, 3))
        features = rng.integers(0, 3, (rng.integers(1, 7), 2)).astype(float)
        gain = rng.normal(size=(len(features), 3))
        frozen = Frozen(
            np.where(rng.random(2**depth - 1) < 0.3, 0, FREE).astype(np.int32),
            np.full(2**depth - 1, 0.5),
            np.where(rng.random(2**depth) < 0.3, 1, FREE).astype(np.int32),
        )
        for given in (None, frozen):
            expected = every_tree_value(features, gain, depth, given)
            assert solve(features, gain, depth, frozen=given).value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_no_rows_and_no_features_are_problems_too(depth):
    assert solve(np.zeros((0, 2)), np.zeros((0, 3)), depth).value == 0
    assert solve(np.zeros((2, 0)), [[1.0, 2.0], [5.0, 1.0]], depth).value == 6


def test_an_absurd_number_of_trees_is_refused():
    features = np.random.default_rng(0).random((400, 5))
    with pytest.raises(InvalidProblemError, match="too many to enumerate"):
        solve(features, np.ones((400, 2)), 3)


def test_more_frozen_splits_than_leaves_are_refused():
    frozen = Frozen(np.zeros(1, np.int32), np.array([0.5]), np.full(2, FREE, np.int32))
    with pytest.raises(InvalidProblemError, match="max_leaves is 1"):
        solve(XOR, XOR_GAIN, 1, max_leaves=1, frozen=frozen)
