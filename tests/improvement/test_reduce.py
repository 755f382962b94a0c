"""Reducing a problem changes its size, never its answer."""

import numpy as np
import pytest

from oracles.step import best_value
from spotree.improvement.engines.exhaustive import Exhaustive
from spotree.improvement.limits import Limits
from spotree.improvement.presolve import reduce
from spotree.improvement.problem import FREE, Frozen, TreeProblem
from spotree.trees.tree import make_tree


def random_problem(rng: np.random.Generator, depth: int = 2) -> TreeProblem:
    rows, features, actions = rng.integers(1, 25), rng.integers(1, 4), rng.integers(1, 4)
    gain = rng.integers(0, 3, (rows, actions)) * 10.0 ** rng.integers(-9, 10)
    return TreeProblem(rng.integers(0, 4, (rows, features)), gain, depth)


@pytest.mark.parametrize("seed", range(40))
def test_the_reduced_problem_has_the_same_optimum_and_the_expanded_tree_collects_it(seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed))
    reduced = reduce(problem)
    found = reduced.expand(Exhaustive().best_tree(reduced.problem, Limits()))
    scale = np.abs(problem.gain).sum()
    assert found.value == pytest.approx(best_value(problem), abs=1e-12 * scale)
    assert found.value <= found.bound <= found.value + 1e-11 * scale


def test_equal_rows_are_added_and_rows_without_preference_dropped() -> None:
    features = [[0.0, 5.0], [0.0, 5.0], [1.0, 5.0], [2.0, 5.0]]
    gain = [[1.0, 0.0], [2.0, 0.0], [7.0, 7.0], [0.0, 4.0]]
    reduced = reduce(TreeProblem(features, gain, 1))
    assert reduced.problem.gain.tolist() == [[3.0, 0.0], [0.0, 4.0]]
    assert reduced.problem.features.tolist() == [[0.0], [1.0]]  # the constant column is gone
    assert reduced.dropped_best == 7.0


def test_a_mirrored_split_is_kept_once() -> None:
    features = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    reduced = reduce(TreeProblem(features, [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], 1))
    assert len(reduced.columns) == 1


def test_frozen_thresholds_come_back_unchanged_even_outside_the_data() -> None:
    features = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]])
    for threshold in (-3.0, 0.25, 1.9, 7.0):
        frozen = Frozen(
            np.array([0, FREE, FREE], np.int32), np.array([threshold, 0.0, 0.0]), np.full(4, FREE, np.int32)
        )
        problem = TreeProblem(features, [[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]], 2, frozen=frozen)
        reduced = reduce(problem)
        found = reduced.expand(Exhaustive().best_tree(reduced.problem, Limits()))
        assert (found.tree.feature[0], found.tree.threshold[0]) == (0, threshold)
        assert found.value == pytest.approx(best_value(problem))


def test_a_start_keeps_its_splits_through_both_ways() -> None:
    features = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]])
    problem = TreeProblem(features, [[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]], 2)
    start = make_tree([1, -1, -1], [0.3, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 1, 0])
    reduced = reduce(problem, start)
    small = reduced.shrink(start)
    assert small.actions(reduced.problem.features).tolist() == start.actions(features).tolist()


def test_nothing_left_still_makes_a_problem() -> None:
    reduced = reduce(TreeProblem(np.ones((4, 2)), np.ones((4, 3)), 2))
    found = reduced.expand(Exhaustive().best_tree(reduced.problem, Limits()))
    assert found.value == found.bound == 4.0
