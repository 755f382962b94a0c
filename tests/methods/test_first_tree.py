"""The first tree of a run that had no time for the optimum, and what a search makes of it."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import spotree
from spotree import _core
from spotree.evaluation import Optimum, certified_return, occupancy, policy_iteration
from spotree.mdp.native import core_model
from spotree.results.solution import SolveStatus
from spotree.search import run_context as frames
from spotree.search.cart import cart
from spotree.search.first_tree import first_tree
from spotree.search.run_context import RunContext
from spotree.trees.tree import leaf

MODELS = ["frozenlake_8x8", "tiger_vs_antelope", "inventory_management"]


def rough(mdp: spotree.MDP, sweeps: int) -> Optimum:
    """What so many sweeps of value iteration know."""
    value = _core.sweep(core_model(mdp), np.zeros(mdp.num_states), sweeps, None)
    of_action = spotree.evaluation.action_values(mdp, value)
    return Optimum(float(mdp.initial @ value), value, of_action.argmax(axis=1).astype(np.int32), math.inf)


@pytest.fixture
def no_time_for_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum is broken off after 30 sweeps, whatever the clock says."""

    def broken_off(mdp: spotree.MDP, *, stop: _core.Stop) -> Optimum:
        assert stop.check()
        return rough(mdp, 30)

    monkeypatch.setattr(frames, "OPTIMUM_SHARE", 0.0)
    monkeypatch.setattr(frames, "optimum", broken_off)


@pytest.mark.parametrize("name", MODELS)
def test_it_is_at_least_as_good_as_imitation_of_the_best_policy(name: str) -> None:
    mdp = spotree.load(name)
    frame = RunContext(mdp, 3, None, "test", time_limit=60.0)
    weight = np.maximum(occupancy(mdp, frame.optimum.actions), 0.0)
    imitation = cart(mdp.features, frame.optimum.actions, weight, 3)
    assert frame.return_of(first_tree(frame)) >= frame.return_of(imitation) - 1e-9


@pytest.mark.parametrize("name", MODELS)
def test_rough_values_are_enough_for_more_than_a_leaf(name: str) -> None:
    mdp = spotree.load(name)
    frame = RunContext(mdp, 3, None, "test", time_limit=60.0)
    frame.optimum = rough(mdp, 30)
    tree = first_tree(frame)
    assert tree.num_leaves > 1
    assert tree.depth <= 3


def test_a_better_given_tree_stays_and_a_worse_one_goes() -> None:
    mdp = spotree.load("tiger_vs_antelope")
    best = spotree.solve(mdp, 3, time_limit=None, max_rounds=8, threads=1).policy.tree
    frame = RunContext(mdp, 3, None, "test", time_limit=60.0)
    assert first_tree(frame, best) is best
    worse = leaf(0)
    assert frame.return_of(first_tree(frame, worse)) > frame.return_of(worse)


def test_a_limit_on_leaves_holds() -> None:
    frame = RunContext(spotree.load("tiger_vs_antelope"), 3, 3, "test", time_limit=60.0)
    assert 1 < first_tree(frame).num_leaves <= 3


def test_without_a_time_limit_the_clock_has_no_part_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "LARGE", 0)
    mdp = spotree.load("tiger_vs_antelope")
    one, two = (spotree.solve(mdp, 3, time_limit=None, max_rounds=2, threads=1, seed=5) for _ in range(2))
    assert str(one.policy) == str(two.policy)
    assert one.value == two.value


@pytest.mark.usefixtures("no_time_for_the_optimum")
@pytest.mark.parametrize("method", ["neighbourhood", "viper", "spot"])
def test_a_run_without_the_optimum_still_finds_a_tree(method: str) -> None:
    mdp = spotree.load("tiger_vs_antelope")
    found = spotree.solve(mdp, 3, time_limit=1.5, method=method, threads=1)
    assert found.policy.num_leaves > 1
    assert not found.proved_optimal
    assert found.value == pytest.approx(certified_return(mdp, found.policy).value, abs=1e-9)
    assert found.bound >= 0.8743  # what a tree of depth 3 is known to return


@pytest.mark.usefixtures("no_time_for_the_optimum")
def test_a_search_goes_on_from_rough_values() -> None:
    mdp = spotree.load("tiger_vs_antelope")
    found = spotree.solve(mdp, 3, time_limit=600.0, max_rounds=6, threads=1)
    assert found.history[-1].round == 6
    assert found.value > 0.8


@pytest.mark.usefixtures("no_time_for_the_optimum")
def test_an_answer_without_a_round_says_so() -> None:
    mdp = spotree.load("frozenlake_8x8")
    found = spotree.solve(mdp, 3, time_limit=600.0, method="spot", rounds=5)
    assert found.status is SolveStatus.NO_ROUND
    assert "before a round" in str(found.status)


@pytest.mark.parametrize("discount", [0.9, 0.99, 0.999])
def test_rough_evaluations_lead_to_the_same_optimum(monkeypatch: pytest.MonkeyPatch, discount: float) -> None:
    mdp = replace(spotree.load("tiger_vs_antelope"), discount=discount)
    exactly = spotree.optimum(mdp)
    monkeypatch.setattr(policy_iteration, "_LARGE", 0)
    roughly = spotree.optimum(mdp)
    assert roughly.value == pytest.approx(exactly.value, abs=roughly.error + exactly.error)
    assert roughly.error <= 1e-9


@pytest.mark.parametrize("reduction", [0.5, 1e-2, 1e-6])
def test_a_rough_solution_knows_its_error(reduction: float) -> None:
    mdp = spotree.load("tiger_vs_antelope")
    rows = mdp.choice_of[:, 0].astype(np.int32)
    chain_solver = partial(
        _core.ChainSolver,
        row_start=mdp.row_start,
        row_of=rows,
        target=mdp.target,
        probability=mdp.probability,
        discount=mdp.discount,
        roots=None,
    )
    truth, _ = chain_solver().solve(mdp.reward_of_choice[rows])
    solver = chain_solver(dense=0, sparse=0, reduction=reduction)
    assert solver.num_iterated > 0
    value, error = solver.solve(mdp.reward_of_choice[rows])
    assert np.abs(value - truth).max() <= error
    assert error <= reduction * np.abs(mdp.reward_of_choice[rows]).max() / (1 - mdp.discount) * 1.01
