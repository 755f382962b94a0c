"""Trees: routing, pruning, candidate splits and text."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spotree.errors import InvalidProblemError
from spotree.trees.policy import TreePolicy
from spotree.trees.prune import prune
from spotree.trees.splits import candidate_splits, midpoint
from spotree.trees.tree import Tree, leaf, make_tree


def random_tree(rng: np.random.Generator, depth: int, num_features: int, num_actions: int) -> Tree:
    """A tree with random shape of at most `depth`."""
    feature, threshold, left, right, action = [], [], [], [], []

    def grow(below: int) -> int:
        node = len(feature)
        inner = below > 0 and rng.random() < 0.8
        feature.append(int(rng.integers(num_features)) if inner else -1)
        threshold.append(float(rng.integers(5)) if inner else 0.0)
        action.append(-1 if inner else int(rng.integers(num_actions)))
        left.append(-1)
        right.append(-1)
        if inner:
            left[node] = grow(below - 1)
            right[node] = grow(below - 1)
        return node

    grow(depth)
    return make_tree(feature, threshold, left, right, action)


def walk(tree: Tree, row: np.ndarray) -> int:
    """The action for one row, step by step: the judge of the routing kernel."""
    node = 0
    while tree.feature[node] >= 0:
        node = tree.left[node] if row[tree.feature[node]] < tree.threshold[node] else tree.right[node]
    return int(tree.action[node])


@given(st.integers(0, 10**6))
def test_routing_agrees_with_a_walk_down_the_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, depth=4, num_features=3, num_actions=4)
    features = rng.integers(0, 5, size=(20, 3)).astype(float)
    assert tree.actions(features).tolist() == [walk(tree, row) for row in features]


@given(st.integers(0, 10**6))
@example(12329)  # equal sides that rows would make different
def test_pruning_keeps_every_decision_and_never_adds_a_node(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, depth=5, num_features=2, num_actions=2)
    everywhere = np.stack(np.meshgrid(np.arange(-1, 6), np.arange(-1, 6)), -1).reshape(-1, 2).astype(float)
    some = everywhere[rng.random(len(everywhere)) < 0.3]
    assert prune(tree).actions(everywhere).tolist() == tree.actions(everywhere).tolist()
    smaller = prune(tree, some)
    assert smaller.actions(some).tolist() == tree.actions(some).tolist()
    assert smaller.num_nodes <= prune(tree).num_nodes <= tree.num_nodes
    assert (
        np.bincount(smaller.leaf_of(some), minlength=smaller.num_nodes)[smaller.feature < 0] > 0
    ).all() or not len(some)


def test_a_split_with_equal_sides_is_pruned_to_one_leaf() -> None:
    tree = make_tree([0, -1, 1, -1, -1], [1, 0, 2, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 1, -1, 1, 1])
    assert prune(tree).num_nodes == 1
    assert prune(tree).action[0] == 1


@given(st.integers(0, 10**6))
def test_candidate_splits_are_all_distinct_partitions_and_each_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 3, size=(rng.integers(0, 7), 3)).astype(float)
    relevant = rng.random(len(features)) < 0.8
    rows = features[relevant]

    def partition(feature: int, threshold: float) -> frozenset[frozenset[int]]:
        below = rows[:, feature] < threshold
        return frozenset({frozenset(np.flatnonzero(below)), frozenset(np.flatnonzero(~below))})

    whole = {
        partition(f, t) for f in range(3) for t in np.arange(-0.5, 3.5) if 0 < (rows[:, f] < t).sum() < len(rows)
    }
    splits = candidate_splits(features, relevant)
    found = [partition(int(f), float(t)) for f, t in zip(splits.feature, splits.threshold, strict=True)]
    assert len(found) == len(set(found))
    assert set(found) == whole


def test_a_threshold_parts_neighbouring_floats() -> None:
    low = np.array([0.0, 1.0, -1.0])
    high = np.array([1.0, np.nextafter(1.0, 2.0), 1.0])
    middle = midpoint(low, high)
    assert (low < middle).all()
    assert (middle <= high).all()
    assert middle[0] == 0.5


def test_text_reads_from_root_to_leaf() -> None:
    tree = make_tree(
        [0, -1, 1, -1, -1], [0.5, 0, 2.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 0, -1, 1, 0]
    )
    assert str(TreePolicy(tree, ("x", "y"), ("go", "wait"))).splitlines() == [
        "x < 0.5?",
        "├─ yes: go",
        "└─ no:  y < 2.5?",
        "    ├─ yes: wait",
        "    └─ no:  go",
    ]
    assert str(TreePolicy(leaf(1), ("x", "y"), ("go", "wait"))) == "wait"


def test_depth_and_leaves_are_counted() -> None:
    tree = make_tree(
        [0, -1, 1, -1, -1], [0.5, 0, 2.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 0, -1, 1, 0]
    )
    assert (tree.depth, tree.num_leaves, tree.num_nodes) == (2, 3, 5)
    assert leaf(0).depth == 0


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (([0], [0.5], [0], [0], [-1]), "child"),
        (([0, -1, -1], [0.5, 0, 0], [1, -1, -1], [1, -1, -1], [-1, 0, 0]), "child"),
        (([0, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, -1]), "node 2 is a leaf"),
    ],
)
def test_malformed_trees_are_refused(arrays: tuple[list[float], ...], words: str) -> None:
    with pytest.raises(InvalidProblemError, match=words):
        make_tree(*arrays)


def test_routing_names_a_feature_that_is_not_there() -> None:
    tree = make_tree([3, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])
    with pytest.raises(InvalidProblemError, match="feature number 3"):
        tree.actions(np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-1.7e308, 1.7e308),
        (-np.finfo(float).max, np.finfo(float).max),
        (1.6e308, 1.7e308),
        (0.0, 5e-324),
        (-5e-324, -0.0),
        (-5e-324, 5e-324),
        (5e-324, 1e-323),
        (1.0, np.nextafter(1.0, 2.0)),
        (np.nextafter(-1.0, -2.0), -1.0),
        (-1.7e308, 5e-324),
    ],
)
def test_a_midpoint_is_finite_above_low_and_not_above_high(low: float, high: float) -> None:
    with np.errstate(all="raise", under="ignore"):
        middle = float(midpoint(np.array([low]), np.array([high]))[0])
    assert np.isfinite(middle)
    assert low < middle <= high
    assert str(middle) != "-0.0"


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_midpoint_parts_any_two_numbers(one: float, other: float) -> None:
    low, high = sorted((one, other))
    if low < high:
        assert low < midpoint(np.array(low), np.array(high)) <= high


ASKS_TWO = make_tree(
    [0, -1, 2, -1, -1], [0.5, 0, 2.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 0, -1, 1, 2]
)


def test_nan_in_a_feature_that_the_tree_asks_for_is_refused_by_name() -> None:
    features = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, np.nan]])
    with pytest.raises(InvalidProblemError, match="row 1, feature 2: value is nan"):
        ASKS_TWO.actions(features)
    with pytest.raises(InvalidProblemError, match="row 1, feature 'height': value is nan"):
        TreePolicy(ASKS_TWO, ("x", "y", "height"), ("a", "b", "c")).actions(features)


def test_nan_elsewhere_and_infinities_are_routed() -> None:
    features = np.array([[-np.inf, np.nan, 0.0], [np.inf, np.nan, -np.inf], [1.0, np.nan, np.inf]])
    assert ASKS_TWO.actions(features).tolist() == [0, 1, 2]
    assert leaf(1).actions(np.full((2, 3), np.nan)).tolist() == [1, 1]


@pytest.mark.parametrize("features", [[["a", "b", "c"]], [[1j, 0, 0]], [[None, 0, 0]], [[1, 2, 3], [4]]])
def test_what_is_no_number_is_not_routed(features: list[list[object]]) -> None:
    with pytest.raises(InvalidProblemError, match="features: "):
        ASKS_TWO.actions(features)  # type: ignore[arg-type]
