"""What every method of `solve` promises, whatever it does inside: the grid of methods and promises, on tiny models."""

import re
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import spotree
from oracles.certify import best_return
from oracles.neighbourhood import random_mdp
from spotree.api.solve import solve
from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.mdp.transforms import reordered
from spotree.methods.registry import METHODS
from spotree.results.solution import Solution, SolveStatus
from spotree.trees.policy import TreePolicy
from spotree.trees.prune import prune
from spotree.trees.tree import Tree, leaf, make_tree

QUICK = {
    "neighbourhood": {"max_rounds": 2},
    "spot": {"rounds": 4},
    "spot+ws": {"rounds": 4},
    "omdt": {},
    "viper": {"rounds": 4, "samples": 200},
}
SIZES = [(0, None), (1, None), (2, 1), (2, 3)]  # depth, max_leaves
FEATURES, ACTIONS = ("x", "y"), ("go", "wait")


@cache
def model(seed: int, missing: str = "random") -> MDP:
    rng = np.random.default_rng(seed)
    found = random_mdp(rng, size=5, num_actions=2, num_features=2, missing=missing, ends=0.3)
    return replace(found, feature_names=FEATURES, action_names=ACTIONS)


@cache
def turned(seed: int) -> MDP:
    return reordered(model(seed), ("y", "x"), ("wait", "go"))


@cache
def best(seed: int, missing: str, depth: int, max_leaves: int | None) -> float:
    return best_return(model(seed, missing), depth, max_leaves)


def run(method: str, mdp: MDP, depth: int, **asked) -> Solution:
    given = {"method": method, "time_limit": 10, "threads": 1} | QUICK[method] | asked
    return solve(mdp, depth, **given)


def chain(mdp: MDP, depth: int, actions: int = 2) -> Tree:
    """A tree of that depth of which no split can be pruned, for these models."""
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        inner, last = np.arange(depth) * 2, 2 * depth
        feature, threshold = np.full(last + 1, -1), np.zeros(last + 1)
        left, right, action = (np.full(last + 1, -1) for _ in range(3))
        feature[inner], threshold[inner] = rng.integers(0, 2, depth), rng.integers(0, 4, depth) + 0.5
        left[inner], right[inner] = inner + 1, inner + 2
        leaves = [*(inner + 1), last]
        action[leaves] = rng.integers(0, actions, depth + 1)
        tree = make_tree(feature, threshold, left, right, action)
        if prune(tree, mdp.features).depth == depth:
            return tree
    raise AssertionError("no such tree")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("depth", "max_leaves"), SIZES)
def test_the_size_is_kept_and_value_bound_and_status_are_true(method, depth, max_leaves):
    for seed, missing in [(0, "random"), (1, "end"), (2, "stay")]:
        mdp = model(seed, missing)
        found = run(method, mdp, depth, max_leaves=max_leaves)
        truth = best(seed, missing, depth, max_leaves)
        close = 1e-6 * max(abs(found.optimum), abs(found.optimum - found.random_value))
        assert found.policy.depth <= depth
        assert found.policy.num_leaves <= (max_leaves or 2**depth)
        assert found.value == pytest.approx(spotree.evaluate(mdp, found.policy), rel=1e-12)
        assert found.value <= found.bound <= found.optimum + close
        assert found.value <= truth + close
        assert found.bound >= truth - close, "the bound is no bound"
        if found.proved_optimal:
            assert found.value >= truth - close, "not optimal, but called so"
        assert found.method == method
        assert (found.depth, found.max_leaves) == (depth, max_leaves)
        assert [line.value for line in found.history] == sorted(line.value for line in found.history)


@pytest.mark.parametrize("method", METHODS)
def test_the_answer_is_never_worse_than_the_start(method):
    for seed in range(3):
        mdp = model(seed)
        start = spotree.certify(mdp, 2, time_limit=10, threads=1)
        found = run(method, mdp, 2, start=start, time_limit=0.5)
        assert found.value >= start.value - 1e-12
        assert found.policy.depth <= 2


@pytest.mark.parametrize("method", METHODS)
def test_a_start_that_is_larger_than_asked_is_refused(method):
    mdp = model(0)
    for depth, max_leaves, words in [
        (1, None, "start has depth 2; trees of depth 1"),
        (2, 2, "start has 3 leaves"),
    ]:
        for start in (chain(mdp, 2), TreePolicy(chain(mdp, 2), FEATURES, ACTIONS)):
            with pytest.raises(InvalidProblemError, match=words):
                run(method, mdp, depth, max_leaves=max_leaves, start=start)


@pytest.mark.parametrize("method", METHODS)
def test_a_start_that_fits_once_its_idle_splits_are_gone_is_taken(method):
    idle = make_tree([0, -1, -1], [99.0, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 1, 0])
    found = run(method, model(0), 0, start=idle)
    assert found.policy.depth == 0
    assert found.value >= spotree.evaluate(model(0), leaf(1)) - 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_a_start_and_an_answer_are_known_by_their_names(method):
    mdp, other = model(1), turned(1)
    start = TreePolicy(chain(mdp, 2), FEATURES, ACTIONS)
    found = run(method, other, 2, start=start, time_limit=0.5)
    assert found.value >= spotree.evaluate(mdp, start) - 1e-9
    assert found.policy.feature_names == other.feature_names
    assert spotree.evaluate(mdp, found) == pytest.approx(found.value, rel=1e-9)
    for strange, words in [
        (TreePolicy(start.tree, ("x", "w"), ACTIONS), "feature 'w' of the policy"),
        (TreePolicy(start.tree, FEATURES, ("go", "stop")), "action 'stop' of the policy"),
        (leaf(2), "takes action 2; there are 2"),
    ]:
        with pytest.raises(InvalidProblemError, match=words):
            run(method, mdp, 2, start=strange)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_answer(method):
    one, two = (run(method, model(2), 1, seed=7) for _ in range(2))
    for part in ("feature", "threshold", "action"):
        assert np.array_equal(getattr(one.policy.tree, part), getattr(two.policy.tree, part))
    assert one.value == two.value
    assert one.status == two.status


@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_gives_the_best_tree_so_far(method):
    def interrupt(_):
        raise KeyboardInterrupt

    found = run(method, model(0), 2, progress=interrupt)
    assert found.status in (SolveStatus.INTERRUPTED, SolveStatus.OPTIMAL)
    assert found.value <= best(0, "random", 2, None) + 1e-9 <= found.bound + 2e-9


@pytest.mark.parametrize("method", METHODS)
def test_the_time_limit_is_kept(method):
    mdp = spotree.load("frozenlake_8x8")
    unlimited = {name: None for name in QUICK[method] if name in ("rounds", "max_rounds") and method != "viper"}
    began = time.perf_counter()
    found = run(method, mdp, 3, time_limit=0.3, **unlimited)
    assert time.perf_counter() - began < 0.3 + 3.0  # others may keep the machine busy
    assert found.value <= found.bound


@pytest.mark.parametrize("method", METHODS)
def test_a_setting_that_a_method_does_not_have_is_refused_by_name_at_once(method):
    began = time.perf_counter()
    words = re.escape(f"method '{method}' has no setting 'colour'; it has ")
    with pytest.raises(InvalidProblemError, match=words):
        run(method, model(0), 1, colour="red")
    assert time.perf_counter() - began < 1.0
