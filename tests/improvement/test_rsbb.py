"""The branch and bound: its answers, its switches, its limits, its plain twin."""

import os
import signal
import threading

import numpy as np
import pytest

from oracles.rsbb import Rsbb as Twin
from spotree.errors import InvalidProblemError
from spotree.improvement.engines.exhaustive import Exhaustive
from spotree.improvement.engines.rsbb import Rsbb
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem
from spotree.improvement.result import Status
from spotree.trees.tree import leaf, make_tree

SWITCHES = ["settled", "grouped", "snapped", "primal", "actions", "parallel"]


def random_problem(rng, rows, features, values, actions, depth, **rest):
    return TreeProblem(
        rng.integers(0, values, (rows, features)).astype(float), rng.normal(size=(rows, actions)), depth, **rest
    )


def random_frozen(rng, depth, features, values, actions):
    inner = 2**depth - 1
    return Frozen(
        np.where(rng.random(inner) < 0.3, rng.integers(UNSPLIT, features, inner), FREE).astype(np.int32),
        rng.random(inner) * values,
        np.where(rng.random(inner + 1) < 0.2, rng.integers(0, actions, inner + 1), FREE).astype(np.int32),
    )


def tolerance(problem):
    return 1e-9 * np.ptp(problem.gain, axis=1).sum()


@pytest.mark.parametrize("off", [None, *SWITCHES])
def test_a_switch_changes_the_time_and_never_the_answer(off):
    rng = np.random.default_rng(1)
    for _ in range(15):
        problem = random_problem(rng, 8, 2, 3, 3, int(rng.integers(0, 3)))
        step = Rsbb(**({} if off is None else {off: False})).best_tree(problem, Limits())
        best = Exhaustive().best_tree(problem, Limits()).value
        assert step.optimal
        assert step.value == pytest.approx(best, abs=tolerance(problem))
        assert step.value <= step.bound <= step.value + tolerance(problem)


@pytest.mark.parametrize("grouped", [True, False])
def test_the_plain_twin_expands_the_same_regions(grouped):
    rng = np.random.default_rng(2)
    for seed in range(25):
        features = rng.integers(0, 4, (rng.integers(1, 9), rng.integers(1, 4))).astype(float)
        gain = rng.integers(0, 9, (len(features), rng.integers(1, 4))).astype(float)  # whole: sums are exact
        depth = int(rng.integers(0, 3))
        loss, expanded = Twin(features, gain, depth, seed, grouped).solve()
        engine = Rsbb(seed, parallel=False, grouped=grouped, primal=False)
        step = engine.best_tree(TreeProblem(features, gain, depth), Limits())
        assert step.value == gain.max(axis=1).sum() - loss
        assert step.counts["regions expanded"] == expanded


@pytest.mark.parametrize("limit", ["frozen", "leaves", "both"])
def test_frozen_nodes_and_leaf_limits_are_kept(limit):
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(60):
        depth = int(rng.integers(1, 4))
        rest = {}
        if limit != "leaves":
            rest["frozen"] = random_frozen(rng, depth, 2, 3, 3)
        if limit != "frozen":
            rest["max_leaves"] = int(rng.integers(1, 2**depth + 1))
        problem = random_problem(rng, 12, 2, 3, 3, depth, **rest)
        try:
            best = Exhaustive().best_tree(problem, Limits()).value
        except InvalidProblemError:
            refused += 1
            with pytest.raises(InvalidProblemError, match="max_leaves is"):
                Rsbb().best_tree(problem, Limits())
            continue
        step = Rsbb(actions=depth < 3).best_tree(problem, Limits())
        assert step.value == pytest.approx(best, abs=tolerance(problem))
        assert step.tree.num_leaves <= rest.get("max_leaves", 8)
        assert step.tree.depth <= depth
    assert refused < 30


def test_one_thread_and_one_seed_give_one_run():
    problem = random_problem(np.random.default_rng(4), 40, 3, 4, 3, 2)
    runs = [Rsbb(seed=7, parallel=False).best_tree(problem, Limits()) for _ in range(2)]
    assert runs[0].counts == runs[1].counts
    assert np.array_equal(runs[0].tree.threshold, runs[1].tree.threshold)
    assert Rsbb(seed=8, parallel=False).best_tree(problem, Limits()).counts != runs[0].counts


@pytest.mark.parametrize("parallel", [False, True])
def test_bounds_hold_wherever_the_search_stops(parallel):
    rng = np.random.default_rng(5)
    problem = random_problem(rng, 30, 3, 4, 3, 2)
    best = Exhaustive().best_tree(problem, Limits()).value
    stopped = 0
    for _ in range(50):
        engine = Rsbb(seed=int(rng.integers(100)), parallel=parallel, primal=bool(rng.integers(2)))
        step = engine.best_tree(problem, Limits(memory=int(10 ** rng.uniform(2.5, 5)), threads=2))
        stopped += step.status is Status.MEMORY_LIMIT
        assert step.value - tolerance(problem) <= best <= step.bound + tolerance(problem)
    assert stopped > 25


def test_no_time_at_all_still_gives_a_tree_and_a_bound():
    problem = random_problem(np.random.default_rng(6), 200, 5, 9, 4, 3)
    step = Rsbb().best_tree(problem, Limits(time=0))
    assert step.status is Status.TIME_LIMIT
    assert problem.gain.sum(axis=0).max() <= step.value <= step.bound <= problem.gain.max(axis=1).sum() + 1e-9


def test_a_start_is_never_lost():
    problem = random_problem(np.random.default_rng(7), 60, 3, 5, 3, 2)
    best = Exhaustive().best_tree(problem, Limits())
    for engine in (Rsbb(), Rsbb(primal=False)):
        step = engine.best_tree(problem, Limits(time=0), start=best.tree)
        assert step.value == best.value
    too_deep = make_tree([0, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 0])
    shallow = TreeProblem(problem.features, problem.gain, 0)
    with pytest.raises(InvalidProblemError, match="start has depth 1; trees of depth 0"):
        Rsbb().best_tree(shallow, Limits(), start=too_deep)
    assert Rsbb().best_tree(shallow, Limits(), start=leaf(1)).optimal


def test_within_the_gap_tolerance_is_said_to_be_so():
    problem = random_problem(np.random.default_rng(8), 60, 3, 6, 3, 2)
    best = Exhaustive().best_tree(problem, Limits()).value
    step = Rsbb().best_tree(problem, Limits(gap_tolerance=0.3))
    assert step.status is Status.GAP
    assert step.value <= best <= step.bound
    assert 0 <= step.gap <= 0.3


def test_ctrl_c_gives_the_best_tree_so_far():
    rng = np.random.default_rng(9)
    problem = TreeProblem(rng.integers(0, 2, (2000, 25)).astype(float), rng.normal(size=(2000, 6)), 3)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    step = Rsbb().best_tree(problem, Limits(time=60))
    timer.join()
    assert step.status is Status.INTERRUPTED
    assert step.value <= step.bound


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("shape", [(0, 2, 3), (1, 2, 3), (5, 0, 3), (5, 2, 1), (0, 0, 1)])
def test_degenerate_problems_are_solved(depth, shape):
    rows, features, actions = shape
    problem = random_problem(np.random.default_rng(10), rows, features, 3, actions, depth)
    expected = Exhaustive().best_tree(problem, Limits()).value
    assert Rsbb().best_tree(problem, Limits()).value == pytest.approx(expected)


def test_more_than_64_features_and_actions_are_no_limit():
    rng = np.random.default_rng(11)
    problem = TreeProblem(rng.integers(0, 2, (90, 150)).astype(float), rng.random((90, 130)), 1)
    best = Exhaustive().best_tree(problem, Limits()).value
    assert Rsbb().best_tree(problem, Limits()).value == pytest.approx(best)


def test_values_a_rounding_error_apart_are_told_apart():
    features = np.array([[1.0], [np.nextafter(1.0, 2.0)], [1e9], [1e300]])
    gain = np.eye(4)
    assert Rsbb().best_tree(TreeProblem(features, gain, 2), Limits()).value == 4


def test_a_frozen_number_out_of_range_is_named():
    frozen = Frozen(np.array([7], np.int32), np.zeros(1), np.full(2, FREE, np.int32))
    with pytest.raises(InvalidProblemError, match="frozen feature of node 0 is 7; features are 0 to 1"):
        Rsbb().best_tree(TreeProblem(np.zeros((2, 2)), np.ones((2, 2)), 1, frozen=frozen), Limits())
    frozen = Frozen(np.full(1, FREE, np.int32), np.zeros(1), np.array([FREE, 5], np.int32))
    with pytest.raises(InvalidProblemError, match="frozen action of leaf 1 is 5; actions are 0 to 1"):
        Rsbb().best_tree(TreeProblem(np.zeros((2, 2)), np.ones((2, 2)), 1, frozen=frozen), Limits())
