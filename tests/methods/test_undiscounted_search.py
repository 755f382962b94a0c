"""The search on undiscounted models: candidates that never end are judged as the plain twin judges them."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings

from oracles.undiscounted import policy_values, tangled
from spotree.api.solve import solve
from spotree.errors import InfeasibleError
from spotree.mdp import MDP
from spotree.methods.neighbourhood import Neighbourhood
from spotree.methods.spot.algorithm import Spot
from spotree.methods.spot.options import WEIGHTINGS
from spotree.search.depth_search import DepthSearch
from spotree.search.feature_classes import rank_features
from spotree.search.run_context import RunContext
from spotree.trees.layouts import CompleteTree

QUICK = Neighbourhood(round_work=300_000)


def built(build) -> MDP:
    try:
        return build()
    except InfeasibleError:
        assume(False)
        raise


def plain_return(mdp: MDP, actions) -> float:
    rows = mdp.choice_of[np.arange(mdp.num_states), actions]
    value = policy_values(mdp, rows)
    return float(mdp.initial[mdp.initial > 0] @ value[mdp.initial > 0])


def best_return(mdp: MDP, depth: int) -> float:
    """Of all trees over the one feature, the state's number: 2^depth intervals at most, an action for each."""
    best = -np.inf
    for cuts in itertools.combinations(range(1, mdp.num_states), min(2**depth, mdp.num_states) - 1):
        place = np.searchsorted(cuts, np.arange(mdp.num_states), side="right")
        for actions in itertools.product(range(mdp.num_actions), repeat=len(cuts) + 1):
            best = max(best, plain_return(mdp, np.array(actions)[place]))
    return best


@settings(max_examples=100, deadline=None)
@given(tangled(most_states=9))
def test_a_candidate_is_worth_what_the_plain_twin_says(build) -> None:
    mdp = built(build)
    ranks = rank_features(mdp)
    assume(len(ranks.rank) > 1)
    search = DepthSearch(
        RunContext(mdp, 2, None, "neighbourhood", 0), ranks, 1, Neighbourhood(round_work=1000)
    ).deep
    assume(len(search.tree[2]) == 4)
    rng = np.random.default_rng(0)
    for _ in range(12):
        cut = rng.integers(0, len(ranks.values[0]) + 1, 3).astype(np.int32)
        tree = CompleteTree(np.zeros(3, np.int32), cut, rng.integers(0, mdp.num_actions, 4).astype(np.int32))
        truth = plain_return(mdp, tree.tree(ranks.values).actions(mdp.features))
        found = search.expected_return(tree.feature, tree.cut, tree.action, -np.inf)
        assert found == pytest.approx(truth, rel=1e-9, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(tangled(most_states=6))
def test_the_best_of_all_trees_is_found_on_tiny_models(build) -> None:
    mdp = built(build)
    best = best_return(mdp, 2)
    assume(best > -np.inf)
    found = solve(mdp, 2, threads=1, time_limit=None, max_rounds=12, method=QUICK)
    assert found.value == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert found.proved_optimal or found.bound - found.value <= 1e-10  # returns of 0 known only up to that


@settings(max_examples=25, deadline=None)
@given(tangled(most_states=6))
def test_policy_iteration_with_trees_runs_on_and_tells_the_truth(build) -> None:
    mdp = built(build)
    best = best_return(mdp, 1)
    for weigh in WEIGHTINGS.values():
        for rate in (lambda round: 0.0, lambda round: 1.0 / round):
            method = Spot(weights=weigh, exploration=rate, rounds=4, patience=200)
            try:
                found = solve(mdp, 1, method=method, time_limit=None, threads=1)
            except InfeasibleError:
                continue  # no feasible tree among those of four rounds
            assert found.value <= best + 1e-9 * max(1.0, abs(best))
            assert found.value == pytest.approx(
                plain_return(mdp, found.policy.tree.actions(mdp.features)), abs=1e-9
            )
