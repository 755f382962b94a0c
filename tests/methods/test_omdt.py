"""OMDT's program: brute force on small models, published optima, bounds that hold, a clock that is kept."""

import os
import signal
import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import spotree
from oracles.programs import violation
from oracles.tree_policies import tree_policies
from small_models import random_mdp
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.evaluation import expected_return
from spotree.mdp import build_mdp
from spotree.methods.omdt.milp import Grouping, decode, occupancy_program, reward_unit
from spotree.results.solution import SolveStatus
from spotree.trees.tree import leaf, make_tree

omdt = partial(spotree.solve, method="omdt")
viper = partial(spotree.solve, method="viper")

MISSING = ("random", "end", "stay", "forbid")


def best_by_brute_force(mdp, depth, max_leaves=None):
    best = -np.inf
    for policy in tree_policies(mdp.features, mdp.num_actions, depth, max_leaves):
        try:
            best = max(best, expected_return(mdp, np.array(policy)))
        except InfeasibleError:
            continue
    return best


def assert_proves_the_best_tree(mdp, depth, max_leaves=None, **settings):
    best = best_by_brute_force(mdp, depth, max_leaves)
    if best == -np.inf:
        with pytest.raises(InfeasibleError):
            omdt(mdp, depth, max_leaves=max_leaves, **settings)
        return
    found = omdt(mdp, depth, max_leaves=max_leaves, **settings)
    assert found.value == pytest.approx(best, rel=1e-9)
    assert found.proved_optimal
    assert found.policy.depth <= depth
    assert max_leaves is None or found.policy.num_leaves <= max_leaves


@pytest.mark.parametrize("missing", MISSING)
def test_it_proves_what_brute_force_finds(missing):
    rng = np.random.default_rng(MISSING.index(missing))
    for depth in (0, 1, 1, 2, 2, 2):
        mdp = random_mdp(rng, 6, 3, features=2, missing=missing, offered=0.6)
        assert_proves_the_best_tree(mdp, depth)


@pytest.mark.parametrize("max_leaves", [1, 2, 3])
def test_it_keeps_to_a_number_of_leaves(max_leaves):
    rng = np.random.default_rng(7)
    for missing in MISSING:
        assert_proves_the_best_tree(random_mdp(rng, 6, 3, missing=missing, offered=0.7), 2, max_leaves)


def test_gurobi_proves_the_same():
    gurobipy = pytest.importorskip("gurobipy")
    rng = np.random.default_rng(9)
    for missing in MISSING:
        try:
            mdp = random_mdp(rng, 6, 3, features=2, missing=missing, offered=0.6)
            assert_proves_the_best_tree(mdp, 2, solver="gurobi")
        except gurobipy.GurobiError as error:
            pytest.skip(f"Gurobi's licence refuses: {error}")


@pytest.mark.parametrize(
    ("name", "depth", "best"),
    [("frozenlake_4x4", 3, 0.520125), ("blackjack", 1, -2.352616)],  # proved elsewhere, by other means
)
def test_it_proves_known_optima(name, depth, best):
    found = omdt(spotree.load(name), depth, time_limit=60)
    assert found.value == pytest.approx(best, abs=5e-7)
    assert found.proved_optimal


def test_a_tree_is_a_feasible_vector_worth_its_return_and_comes_back_from_it():
    rng = np.random.default_rng(1)
    for missing in ("random", "end", "stay"):
        mdp = random_mdp(rng, 9, 3, features=2, missing=missing, offered=0.6)
        grouping = Grouping.of(mdp)
        tree = make_tree(
            [1, -1, 0, -1, -1], [1.5, 0, 0.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 2, -1, 0, 1]
        )
        for candidate in (tree, leaf(1)):
            value = expected_return(mdp, candidate)
            for max_leaves in (None, 3):
                program = occupancy_program(mdp, grouping, 2, max_leaves, candidate)
                assert violation(program, program.start) < 1e-9
                assert program.objective @ program.start * reward_unit(mdp) == pytest.approx(value)
                back = decode(program.start, mdp, grouping, 2)
                assert expected_return(mdp, back) == pytest.approx(value)


def test_a_model_without_a_split_needs_one_action():
    mdp = build_mdp(np.full((2, 3, 3), 1 / 3), np.array([[1.0, 2], [0, 3], [5, 0]]), 0.5, features=np.ones((3, 1)))
    found = omdt(mdp, 2)
    assert found.value == pytest.approx(4.0)  # action 0: (1 + 0 + 5) / 3 each step, twice that in all
    assert found.proved_optimal
    assert found.policy.num_leaves == 1


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_a_time_limit_is_kept(limit):
    mdp = spotree.load("tictactoe_vs_random")
    spotree.optimum(mdp)
    began = time.perf_counter()
    found = omdt(mdp, 3, time_limit=limit)
    assert time.perf_counter() - began < limit + 0.2 + 1.0  # 1 s for the model's own figures on a loaded machine
    assert found.status is SolveStatus.TIME_LIMIT
    assert found.value <= found.bound <= found.optimum


@pytest.mark.slow
def test_stopping_early_leaves_a_bound_that_holds():
    mdp = spotree.load("frozenlake_4x4")
    best = omdt(mdp, 2).value
    for limit in np.linspace(0, 0.6, 6):
        found = omdt(mdp, 2, time_limit=float(limit))
        assert found.value <= best + 1e-9 <= found.bound + 2e-9


def test_ctrl_c_returns_the_best_so_far():
    mdp = spotree.load("tiger_vs_antelope")
    threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    found = omdt(mdp, 3, time_limit=60)
    assert found.status is SolveStatus.INTERRUPTED
    assert found.seconds < 30


def test_the_answer_is_never_worse_than_the_start_and_the_history_rises():
    mdp = spotree.load("frozenlake_8x8")
    start = viper(mdp, 2, rounds=5).policy.tree
    found = omdt(mdp, 2, start=start, time_limit=0.5)
    values = [line.value for line in found.history]
    assert found.value >= expected_return(mdp, start)
    assert values == sorted(values)
    assert all(line.value <= line.bound for line in found.history)


def test_progress_is_told():
    lines = []
    omdt(spotree.load("frozenlake_4x4"), 1, progress=lines.append)
    assert lines[-1].value == pytest.approx(lines[-1].bound)


def test_an_undiscounted_model_is_refused():
    mdp = replace(spotree.load("frozenlake_4x4"), discount=1.0)
    with pytest.raises(InvalidProblemError, match="discount below 1"):
        omdt(mdp, 1)
