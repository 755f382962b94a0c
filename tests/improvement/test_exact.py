"""The exact engine gives the oracle's value, whatever its switches, threads, limits and frozen nodes."""

import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest

from oracles.step import best_value
from spotree.errors import InvalidProblemError
from spotree.improvement.engines.exact import Exact, Preparation
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem
from spotree.improvement.result import Status, StepResult
from spotree.trees.tree import Tree

ONE = Limits(threads=1)
SWITCHES = [
    Exact(cache=cache, interval_bound=bound, kernel=kernel, share_small=True)
    for cache, bound, kernel in itertools.product(
        (True, False), (True, False), ("automatic", "table", "sweep", "incremental", "triple")
    )
]


def random_problem(rng: np.random.Generator, depth: int, rows: int = 40) -> TreeProblem:
    n, features, actions = rng.integers(1, rows), rng.integers(1, 5), rng.integers(1, 7)
    values = rng.integers(1, 6, features)  # 1 value: a constant feature
    matrix = np.stack([rng.integers(0, v, n) for v in values], axis=1)
    gain = rng.normal(size=(n, actions)) if rng.random() < 0.5 else rng.integers(0, 4, (n, actions))
    return TreeProblem(matrix, gain * 10.0 ** rng.integers(-9, 10), depth)


def freeze(rng: np.random.Generator, problem: TreeProblem, share: float) -> Frozen:
    inner = 2**problem.depth - 1
    features, actions = problem.features.shape[1], problem.gain.shape[1]
    kinds = np.where(rng.random(inner) < share, rng.integers(UNSPLIT, features, inner), FREE)
    chosen = np.where(rng.random(inner + 1) < share, rng.integers(0, actions, inner + 1), FREE)
    return Frozen(kinds.astype(np.int32), rng.integers(-1, 6, inner) - 0.5, chosen.astype(np.int32))


def spread(problem: TreeProblem) -> float:
    return float((problem.gain.max(axis=1) - problem.gain.min(axis=1)).sum())


def agrees(problem: TreeProblem, found: StepResult) -> None:
    """The tree is worth what it claims, that is the optimum, and the bound is one."""
    actions = found.tree.actions(problem.features)
    tolerance = 1e-11 * spread(problem) + 1e-13 * np.abs(problem.gain).sum()
    assert found.value == problem.gain[np.arange(len(actions)), actions].sum()
    assert found.value == pytest.approx(best_value(problem), abs=tolerance)
    assert found.value <= found.bound <= found.value + tolerance
    assert found.status is Status.OPTIMAL
    assert found.tree.depth <= problem.depth
    assert found.tree.num_leaves <= (problem.max_leaves or 2**problem.depth)


def nodes(tree: Tree) -> list[list[float]]:
    return [part.tolist() for part in (tree.feature, tree.threshold, tree.left, tree.right, tree.action)]


@pytest.mark.parametrize("seed", range(25))
def test_random_problems_give_the_oracles_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        depth = int(rng.integers(0, 5))
        problem = random_problem(rng, depth, rows=40 if depth < 4 else 16)
        agrees(problem, Exact().best_tree(problem, ONE))


@pytest.mark.parametrize("seed", range(20))
def test_switches_and_threads_change_neither_value_nor_tree(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    problem = random_problem(rng, 3 + seed % 2, rows=60)
    if seed % 4 == 0:  # two values everywhere: the case of sums over triples
        problem = TreeProblem(rng.integers(0, 2, (60, 7)), rng.normal(size=(60, 3)), problem.depth)
    found = Exact().best_tree(problem, ONE)
    for engine, threads in itertools.product(SWITCHES, (1, 2)):
        other = engine.best_tree(problem, Limits(threads=threads))
        assert nodes(other.tree) == nodes(found.tree), engine


@pytest.mark.parametrize("seed", range(25))
def test_frozen_nodes_and_leaf_limits_give_the_oracles_value(seed: int) -> None:
    rng = np.random.default_rng(2000 + seed)
    for _ in range(6):
        depth = int(rng.integers(1, 4))
        plain = random_problem(rng, depth, rows=25)
        leaves = int(rng.integers(1, 2**depth + 1))
        limited = TreeProblem(plain.features, plain.gain, depth, max_leaves=leaves)
        agrees(limited, Exact().best_tree(limited, ONE))
        frozen = freeze(rng, plain, rng.random())
        agrees_with_frozen(TreeProblem(plain.features, plain.gain, depth, frozen=frozen))
        agrees_with_frozen(TreeProblem(plain.features, plain.gain, depth, leaves, frozen))


def agrees_with_frozen(problem: TreeProblem) -> None:
    if best_value(problem) == -np.inf:
        with pytest.raises(InvalidProblemError, match="frozen splits alone"):
            Exact().best_tree(problem, ONE)
    else:
        agrees(problem, Exact().best_tree(problem, ONE))


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4])
@pytest.mark.parametrize(
    ("rows", "features", "actions"), [(0, 2, 2), (1, 2, 3), (5, 0, 2), (6, 2, 1), (4, 3, 2), (0, 0, 1)]
)
def test_degenerate_sizes_are_solved(depth: int, rows: int, features: int, actions: int) -> None:
    rng = np.random.default_rng(depth)
    problem = TreeProblem(np.ones((rows, features)), rng.normal(size=(rows, actions)), depth)
    agrees(problem, Exact().best_tree(problem, ONE))


def test_of_ties_the_smallest_feature_and_threshold_wins_and_leaves_come_before_splits() -> None:
    features = np.array([[0, 0, 0], [1, 1, 0], [2, 1, 1], [3, 0, 1]], dtype=float)
    gain = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    tree = Exact().best_tree(TreeProblem(features, gain, 3), ONE).tree
    assert nodes(tree) == [[0, -1, -1], [1.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1]]


def test_one_preparation_serves_many_gains_and_refuses_other_features() -> None:
    rng = np.random.default_rng(5)
    features = rng.integers(0, 4, (60, 4)).astype(float)
    engine = Exact(preparation=Preparation(features))
    for _ in range(20):
        rows = rng.random((60, 1)) < 0.6  # the rows with a preference change, too
        problem = TreeProblem(features, rng.normal(size=(60, 3)) * rows, int(rng.integers(1, 5)))
        found, fresh = engine.best_tree(problem, ONE), Exact().best_tree(problem, ONE)
        assert nodes(found.tree) == nodes(fresh.tree)
    with pytest.raises(InvalidProblemError, match="other features"):
        engine.best_tree(TreeProblem(features[:9], np.ones((9, 2)), 1), ONE)


def test_many_actions_are_padded_and_dominated_ones_dropped() -> None:
    rng = np.random.default_rng(6)
    for actions in (4, 5, 16, 17, 23, 40):
        problem = TreeProblem(rng.integers(0, 3, (40, 3)), rng.normal(size=(40, actions)), 3)
        agrees(problem, Exact().best_tree(problem, ONE))
    gain = np.hstack([problem.gain[:, :3], problem.gain[:, :3] - 1.0])
    assert Exact().best_tree(TreeProblem(problem.features, gain, 2), ONE).counts["actions"] <= 3


def medium_problem(seed: int, depth: int = 4) -> TreeProblem:
    rng = np.random.default_rng(seed)
    return TreeProblem(rng.integers(0, 2, (400, 24)), rng.normal(size=(400, 5)), depth)


def test_stopped_at_any_instant_the_bounds_hold_the_optimum() -> None:
    problem = medium_problem(0)
    done = Exact().best_tree(problem, ONE)
    rng = np.random.default_rng(1)
    stopped = 0
    for k in range(50):
        limits = Limits(time=float(rng.uniform(0, done.seconds)), threads=1 + k % 2)
        found = Exact().best_tree(problem, limits)
        stopped += found.status is Status.TIME_LIMIT
        assert found.value <= done.bound
        assert done.value <= found.bound
        assert found.tree.depth <= 4
    assert stopped > 10


def test_a_start_is_never_lost_when_the_time_is_up() -> None:
    problem = medium_problem(2)
    start = Exact().best_tree(TreeProblem(problem.features, problem.gain, 3), ONE)
    found = Exact().best_tree(problem, Limits(time=0.0, threads=1), start.tree)
    assert found.status is Status.TIME_LIMIT
    assert start.value <= found.value <= found.bound


def test_a_start_changes_neither_value_nor_tree() -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        problem = random_problem(rng, 3)
        found = Exact().best_tree(problem, ONE)
        weaker = Exact().best_tree(TreeProblem(problem.features, problem.gain, 2), ONE)
        for start in (found.tree, weaker.tree):
            assert nodes(Exact().best_tree(problem, ONE, start).tree) == nodes(found.tree)


def test_preparing_many_rows_counts_against_the_time_limit() -> None:
    rng = np.random.default_rng(9)
    features = rng.integers(0, 100, (400_000, 13)).astype(float)
    gain = rng.normal(size=(400_000, 4))
    gain[:, 2] += 0.1  # the best single action
    features[0, 0], gain[0] = -1.0, [9.0, 0.0, 0.0, 0.0]  # the start gives this row another one
    start = Exact().best_tree(TreeProblem([[-1.0], [0.0]], [[1, 0, 0], [0, 0, 1]], 1), ONE).tree
    frozen = Frozen(np.array([3, UNSPLIT, FREE]), np.array([50.0, 0.0, 0.0]), np.array([FREE, 1, FREE, FREE]))
    plain, fixed = TreeProblem(features, gain, 3), TreeProblem(features, gain, 2, frozen=frozen)
    ends = []
    for problem, limit, given in ((plain, 0.02, None), (plain, 0.1, start), (fixed, 0.02, None)):
        began = time.process_time()
        ends.append(Exact().best_tree(problem, Limits(time=limit, threads=1), given))
        assert time.process_time() - began < limit + 0.2  # CPU time: less than the clock's on a busy machine
        assert ends[-1].status is Status.TIME_LIMIT
        assert ends[-1].bound == pytest.approx(gain.max(axis=1).sum(), rel=1e-12)
    assert ends[0].value == pytest.approx(gain.sum(axis=0).max(), rel=1e-9)
    assert ends[1].value == pytest.approx(ends[0].value + 9.0, rel=1e-9)
    assert nodes(ends[2].tree) == [[3, -1, -1], [50.0, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 1, 2]]


def test_an_interrupt_ends_the_search_with_a_result() -> None:
    problem = medium_problem(3, depth=7)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        found = Exact().best_tree(problem, Limits(time=60.0, threads=2))
    finally:
        timer.cancel()
    assert found.status is Status.INTERRUPTED
    assert found.value <= found.bound


def test_a_gap_tolerance_is_kept_and_named() -> None:
    problem = medium_problem(4)
    done = Exact().best_tree(problem, ONE)
    found = Exact().best_tree(problem, Limits(gap_tolerance=0.05, threads=1))
    assert found.status is Status.GAP
    assert done.value <= found.bound <= found.value + 0.05 * max(abs(found.value), abs(found.bound)) + 1e-9
    assert Exact().best_tree(problem, Limits(gap_tolerance=1e-15, threads=1)).status is Status.OPTIMAL


def test_little_memory_slows_but_does_not_change_the_answer() -> None:
    problem = medium_problem(5, depth=3)
    found = Exact().best_tree(problem, ONE)
    small = Exact().best_tree(problem, Limits(memory=10_000, threads=2))
    assert nodes(small.tree) == nodes(found.tree)


def test_an_unknown_kernel_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="kernel is 'fast'"):
        Exact(kernel="fast")


@pytest.mark.parametrize("depth", [31, 32, 39])
def test_with_limited_leaves_the_depth_may_exceed_31(depth: int) -> None:
    features = np.arange(44.0)[:, None]
    gain = np.stack([features[:, 0] < 20, features[:, 0] >= 20], axis=1).astype(float)
    found = Exact().best_tree(TreeProblem(features, gain, depth, max_leaves=40), Limits(threads=1, time=20.0))
    assert found.status is Status.OPTIMAL
    assert found.value == 44.0
