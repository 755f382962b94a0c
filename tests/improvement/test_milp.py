"""The paper's program: the referee's answers, honest bounds, and a clock that is kept."""

import os
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest

from oracles.programs import violation
from spotree.errors import InvalidProblemError
from spotree.improvement.engines.exhaustive import Exhaustive
from spotree.improvement.engines.milp import Milp
from spotree.improvement.engines.milp import highs_process as child
from spotree.improvement.engines.milp.complete_tree import lay_out, leaf_numbers, read_off, simplest
from spotree.improvement.engines.milp.formulation import Scale, decode, paper_program, place_variables
from spotree.improvement.engines.milp.highs_process import End, Orders
from spotree.improvement.engines.milp.linear_program import Builder
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem
from spotree.improvement.result import Status
from spotree.trees.tree import leaf, make_tree


def random_problem(rng, most_rows=12, depths=(0, 1, 2), frozen=False, leaves=False):
    depth = int(rng.choice(depths))
    num_features, num_actions = rng.integers(1, 4), rng.integers(1, 4)
    features = rng.integers(0, 4, (rng.integers(1, most_rows), num_features)).astype(float)
    gain = rng.normal(size=(len(features), num_actions)).round(rng.integers(0, 4)) * 10.0 ** rng.integers(-9, 10)
    inner = 2**depth - 1
    rules = Frozen(
        rng.choice([FREE, FREE, UNSPLIT, *range(num_features)], inner).astype(np.int32),
        rng.choice([-0.5, 0.5, 1.5, 3.5], inner),  # with some that send all rows one way
        rng.choice([FREE, FREE, *range(num_actions)], inner + 1).astype(np.int32),
    )
    most = int(rng.integers(1, 5)) if leaves else None
    return TreeProblem(features, gain, depth, most, rules if frozen else None)


def value_of(problem, layout):
    actions = read_off(layout).actions(problem.features)
    return problem.gain[np.arange(len(actions)), actions].sum()


@pytest.fixture(scope="module")
def slow():
    """A problem on which HiGHS soon finds better trees and needs many seconds for the proof."""
    rng = np.random.default_rng(3)
    return TreeProblem(rng.integers(0, 9, (60, 4)).astype(float), rng.normal(size=(60, 4)), 3)


def assert_same_as_the_referee(problem, engine):
    try:
        best = Exhaustive().best_tree(problem, Limits()).value
    except InvalidProblemError:
        with pytest.raises(InvalidProblemError, match="frozen splits alone make more leaves"):
            engine.best_tree(problem, Limits())
        return
    step = engine.best_tree(problem, Limits())
    assert step.value == pytest.approx(best, rel=1e-9, abs=0)
    assert step.bound == step.value
    assert step.status is Status.OPTIMAL
    assert step.tree.depth <= problem.depth
    collected = problem.gain[np.arange(len(problem.gain)), step.tree.actions(problem.features)].sum()
    assert step.value == pytest.approx(collected, rel=1e-12, abs=0)


@pytest.mark.parametrize("leaves", [False, True])
@pytest.mark.parametrize("frozen", [False, True])
def test_highs_gives_the_referees_value(frozen, leaves):
    rng = np.random.default_rng(17)
    for _ in range(25):
        assert_same_as_the_referee(random_problem(rng, frozen=frozen, leaves=leaves), Milp())


@pytest.mark.parametrize("leaves", [False, True])
def test_gurobi_gives_the_referees_value(leaves):
    gurobipy = pytest.importorskip("gurobipy")
    rng = np.random.default_rng(18)
    for depths in [(0, 1, 2)] * 40 + [(3,)] * 10:
        problem = random_problem(rng, 10, depths, frozen=True, leaves=leaves)
        try:
            assert_same_as_the_referee(problem, Milp(solver="gurobi"))
        except gurobipy.GurobiError as error:
            pytest.skip(f"Gurobi's licence refuses: {error}")


def test_a_gain_that_is_a_billion_with_a_spread_of_one_is_no_trouble():
    features = np.arange(6.0)[:, None]
    gain = 1e9 + np.array([[1.0, 0], [1, 0], [0, 1], [0, 1], [1, 0], [1, 0]])
    step = Milp().best_tree(TreeProblem(features, gain, 2), Limits())
    assert step.value == 6e9 + 6  # three groups, so two thresholds
    assert step.optimal


def test_two_gains_that_differ_by_one_in_a_hundred_million_are_told_apart():
    gain = np.array([[1.0, 1.0 + 1e-8, 0.0]] * 3 + [[0.0, 0.0, 1.0]])
    step = Milp().best_tree(TreeProblem(np.array([[0.0], [0], [0], [1]]), gain, 1), Limits())
    assert step.tree.actions([[0.0], [1.0]]).tolist() == [1, 2]
    assert step.optimal


@pytest.mark.parametrize(("rows", "features", "actions"), [(0, 2, 2), (1, 2, 3), (4, 0, 2), (5, 2, 1)], ids=str)
def test_degenerate_problems_are_solved(rows, features, actions):
    gain = np.arange(float(rows * actions)).reshape(rows, actions) % 3
    for depth in (0, 2):
        step = Milp().best_tree(TreeProblem(np.ones((rows, features)), gain, depth), Limits())
        assert step.value == gain.sum(axis=0).max()  # no usable split: one action for all
        assert step.optimal


def test_values_too_close_for_a_midpoint_are_still_parted():
    low = 1.0
    high = float(np.nextafter(low, 2))
    step = Milp().best_tree(TreeProblem([[low], [high]], [[1.0, 0], [0, 1]], 1), Limits())
    assert step.value == 2.0


def test_every_tree_is_a_feasible_vector_and_comes_back_from_it():
    rng = np.random.default_rng(5)
    for _ in range(100):
        problem = random_problem(rng, depths=(0, 1, 2, 3), frozen=rng.random() < 0.5)
        layout = simplest(problem)
        if problem.frozen is None:  # any splits and actions
            feature = rng.choice([UNSPLIT, *range(problem.features.shape[1])], len(layout.feature))
            threshold = rng.choice([0.5, 1.5, 2.5], len(feature))
            for node in range(1, len(feature)):
                feature[node] = UNSPLIT if feature[(node - 1) // 2] == UNSPLIT else feature[node]
            action = rng.integers(0, problem.gain.shape[1], len(layout.action))
            layout = lay_out(read_off(Frozen(feature, threshold, action)), problem.depth)
        program, scale = paper_program(problem, layout), Scale.of(problem)
        assert violation(program, program.start) < 1e-12
        back = decode(program.start, problem, scale)
        assert np.array_equal(leaf_numbers(back, problem.features), leaf_numbers(layout, problem.features))
        objective = scale.best + program.objective @ program.start * scale.unit
        assert objective == pytest.approx(value_of(problem, layout), rel=1e-9, abs=1e-9 * scale.unit)


def test_the_solvers_routing_is_the_routing_of_the_decoded_tree():
    rng = np.random.default_rng(6)
    problem = TreeProblem(rng.normal(size=(14, 2)), rng.normal(size=(14, 2)), 2)  # 14 values a feature
    scale, seen = Scale.of(problem), []
    at = place_variables(Builder(), problem, scale)

    def listen(news):
        if news.solution is not None:
            seen.append(news.solution)
        return False

    assert child.run(partial(paper_program, problem), Orders(), listen) is End.PROVED
    for x in seen:
        assert np.array_equal(x[at.z].argmax(axis=1), leaf_numbers(decode(x, problem, scale), problem.features))
    assert seen


@pytest.mark.parametrize("limit", [0.0, 0.5, 1.5])
def test_a_time_limit_is_kept_on_a_large_problem(limit):
    rng = np.random.default_rng(0)
    problem = TreeProblem(rng.integers(0, 40, (8000, 12)).astype(float), rng.normal(size=(8000, 6)), 3)
    began = time.perf_counter()
    step = Milp().best_tree(problem, Limits(time=limit))
    assert time.perf_counter() - began < limit + 0.2 + 0.3  # 0.3 s for a loaded machine
    assert step.status is Status.TIME_LIMIT
    assert problem.gain.sum(axis=0).max() <= step.value <= step.bound <= problem.gain.max(axis=1).sum() + 1e-9


def test_stopping_early_leaves_a_tree_and_a_bound_that_hold():
    rng = np.random.default_rng(8)
    problem = TreeProblem(rng.integers(0, 4, (14, 2)).astype(float), rng.normal(size=(14, 3)), 2)
    best = Exhaustive().best_tree(problem, Limits()).value
    for limit in np.linspace(0, 0.6, 7):
        step = Milp().best_tree(problem, Limits(time=float(limit)))
        assert step.value <= best + 1e-9
        assert step.bound >= best - 1e-9


def test_ctrl_c_returns_the_best_so_far(slow):
    threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    step = Milp().best_tree(slow, Limits(time=60))
    assert step.status is Status.INTERRUPTED
    assert step.seconds < 30
    assert slow.gain.sum(axis=0).max() <= step.value <= step.bound


def test_a_killed_process_loses_no_tree(slow, monkeypatch):
    taken, news_before = [], []
    take = child._take
    monkeypatch.setattr(child, "_take", lambda: taken.append(take()) or taken[-1])
    plain = child._converse

    def converse(process, orders, hear, began):
        def kill_after_two(news):
            news_before.append(news)
            if sum(n.solution is not None for n in news_before) == 2:
                process.process.kill()
            return hear(news)

        return plain(process, orders, kill_after_two, began)

    monkeypatch.setattr(child, "_converse", converse)
    step = Milp().best_tree(slow, Limits(time=60))
    assert taken[0].process.poll() == -signal.SIGKILL
    assert step.status is Status.INTERRUPTED
    scale = Scale.of(slow)
    told = max(value_of(slow, decode(n.solution, slow, scale)) for n in news_before if n.solution is not None)
    assert step.value == pytest.approx(told)


def test_a_memory_limit_is_a_result(slow):
    step = Milp().best_tree(slow, Limits(memory=1_000_000))
    assert step.status is Status.MEMORY_LIMIT
    assert step.value <= step.bound


def test_a_gap_tolerance_stops_before_the_proof():
    rng = np.random.default_rng(3)
    problem = TreeProblem(rng.integers(0, 5, (12, 3)).astype(float), rng.normal(size=(12, 3)), 2)
    best = Exhaustive().best_tree(problem, Limits()).value
    step = Milp().best_tree(problem, Limits(gap_tolerance=0.5))
    assert step.status in (Status.GAP, Status.OPTIMAL)
    assert 0 <= step.gap <= 0.5
    assert step.value <= best + 1e-9 <= step.bound + 2e-9


def test_a_start_is_never_lost_even_without_time(slow):
    split = make_tree([2, -1, -1], [4.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 3])
    value = slow.gain[np.arange(60), split.actions(slow.features)].sum()
    step = Milp().best_tree(slow, Limits(time=0), start=split)
    assert step.value >= value
    assert step.tree.actions(slow.features).tolist() == split.actions(slow.features).tolist()


def test_a_start_that_is_no_tree_of_the_problem_is_refused():
    split = make_tree([0, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])
    features, gain = [[0.0], [1.0]], [[1.0, 0.0], [0.0, 2.0]]
    for problem in (TreeProblem(features, gain, 0), TreeProblem(features, gain, 1, max_leaves=1)):
        with pytest.raises(InvalidProblemError, match="start has"):
            Milp().best_tree(problem, Limits(), start=split)
    assert Milp().best_tree(TreeProblem(features, gain, 1), Limits(), start=leaf(0)).value == 3.0


def test_an_unknown_solver_is_named():
    with pytest.raises(InvalidProblemError, match=r"'cplex'.*'highs', 'gurobi'"):
        Milp(solver="cplex")


def test_a_depth_beyond_reach_and_one_that_is_no_number_of_splits_are_named() -> None:
    features, gain = np.array([[0.0], [1.0]]), np.eye(2)
    with pytest.raises(InvalidProblemError, match=r"depth is 30; .* at most 10"):
        Milp().best_tree(TreeProblem(features, gain, 30), Limits())
    with pytest.raises(InvalidProblemError, match=r"depth is 2\.5"):
        TreeProblem(features, gain, 2.5)  # type: ignore[arg-type]
