"""The best return for each number of leaves is what trying every tree says, and never falls."""

import json
import math
import time
from html import escape

import numpy as np
import pytest

import spotree
from oracles.sizes import MOST, best_by_leaves, close_to, tiny, tiny_goal
from spotree.errors import InfeasibleError, InvalidModelError, InvalidProblemError
from spotree.mdp import MDP, build_mdp
from spotree.results.frontier import Frontier
from spotree.results.solution import SolveStatus
from spotree.search.feature_classes import rank_features
from spotree.search.leaf_search import LeafSearch
from spotree.search.run_context import RunContext


def trees_of(mdp: MDP, most: int = MOST, **asked) -> Frontier:
    return spotree.frontier(mdp, most, **{"max_rounds": 1, "time_limit": 20, "threads": 1} | asked)


def holds(mdp: MDP, found: Frontier, truth: list[float]) -> None:
    close = close_to(mdp)
    for leaves, best in enumerate(truth, 1):
        if best > -math.inf:
            assert found.at(leaves).value == pytest.approx(best, rel=1e-7, abs=close), leaves
            assert found.at(leaves).bound >= best - close
    values = [point.value for point in found.points]
    sizes = [point.policy.num_leaves for point in found.points]
    assert values == sorted(set(values))
    assert sizes == sorted(set(sizes))
    for point in found.points:
        assert point.value == pytest.approx(spotree.evaluate(mdp, point), rel=1e-12, abs=1e-12)
        assert point.max_leaves == point.policy.num_leaves
        assert [size.value for size in point.frontier] == values
    optimal = [leaves for leaves, best in enumerate(truth, 1) if best >= found.points[0].optimum - close]
    assert found.least_leaves <= (optimal[0] if optimal else MOST + 1), "the bound on leaves is no bound"


@pytest.mark.parametrize("seed", range(24))
def test_every_number_of_leaves_has_the_best_return_of_all_trees(seed: int) -> None:
    mdp = tiny(seed)
    truth = best_by_leaves(mdp, MOST)
    if truth[-1] == -math.inf:
        with pytest.raises(InfeasibleError):
            trees_of(mdp)
        return
    holds(mdp, trees_of(mdp, max_rounds=4), truth)


@pytest.mark.parametrize("seed", range(9))
def test_the_same_for_probabilities_and_costs_until_a_goal(seed: int) -> None:
    try:
        mdp = tiny_goal(seed)
    except (InfeasibleError, InvalidModelError):
        pytest.skip("no policy has a finite total")
    truth = best_by_leaves(mdp, MOST)
    if truth[-1] == -math.inf:
        pytest.skip("no tree of the size ends")
    holds(mdp, trees_of(mdp), truth)


def test_costs_are_minimised() -> None:
    rng = np.random.default_rng(4)
    cost = rng.random((5, 2))
    mdp = build_mdp(rng.dirichlet(np.ones(5), size=(2, 5)), -cost, 0.9, features=np.arange(5)[:, None])
    holds(mdp, trees_of(mdp), best_by_leaves(mdp, MOST))


@pytest.mark.parametrize("seed", range(4))
def test_a_depth_is_kept_too(seed: int) -> None:
    mdp = tiny(seed)
    found = trees_of(mdp, depth=1)
    assert max(point.policy.depth for point in found.points) <= 1
    holds(mdp, found, best_by_leaves(mdp, MOST, depth=1))


@pytest.mark.parametrize("seed", range(8))
def test_the_loss_that_the_search_sees_is_what_a_tree_loses(seed: int) -> None:
    mdp = tiny(seed)
    frame = RunContext(mdp, 9, None, "test", 0, 20)
    search = LeafSearch(frame, rank_features(mdp), 1, None, None, 1_000_000)
    search.aim([])
    search.round(0, 10.0)
    for sized in search.archive:
        truth = spotree.optimum(mdp).value - spotree.evaluate(mdp, sized.tree)
        assert sized.loss == pytest.approx(truth, abs=1e-9 * max(1.0, abs(frame.optimum.value)))
        assert sized.tree.num_leaves == sized.leaves


def test_models_with_nothing_to_decide() -> None:
    alone = build_mdp(np.ones((1, 1, 1)), np.ones((1, 1)), 0.5)
    one_action = build_mdp(np.full((1, 3, 3), 1 / 3), np.ones((3, 1)), 0.5, features=np.arange(3)[:, None])
    blind = build_mdp(np.stack([np.eye(3), np.eye(3)]), np.arange(6).reshape(3, 2), 0.5, features=np.ones((3, 1)))
    for mdp in (alone, one_action, blind):
        found = trees_of(mdp)
        assert [point.policy.num_leaves for point in found.points] == [1]
        assert found.points[0].proved_optimal
        assert "1 leaf: " in found.words


def test_the_same_seed_gives_the_same_trees_whatever_the_threads_do() -> None:
    mdp = spotree.load("frozenlake_8x8")
    one, two = (trees_of(mdp, 10, seed=3, threads=2, max_rounds=2, time_limit=60) for _ in range(2))
    assert [(str(p.policy), p.value) for p in one.points] == [(str(p.policy), p.value) for p in two.points]


@pytest.mark.slow
def test_the_answer_is_never_worse_than_the_start() -> None:
    mdp = spotree.load("frozenlake_8x8")
    start = spotree.smallest(mdp, 0.05, time_limit=3)
    found = trees_of(mdp, start.leaves, start=start.solution, max_rounds=None, time_limit=0.2)
    assert found.at(start.leaves).value >= start.value - 1e-12


def test_limits_and_ctrl_c() -> None:
    mdp = spotree.load("tiger_vs_antelope")

    def interrupt(_):
        raise KeyboardInterrupt

    began = time.perf_counter()
    found = trees_of(mdp, 8, max_rounds=None, time_limit=1.0)
    assert time.perf_counter() - began < 4.0
    assert found.status is SolveStatus.TIME_LIMIT
    stopped = trees_of(mdp, 8, progress=interrupt, max_rounds=None)
    assert stopped.status is SolveStatus.INTERRUPTED
    assert stopped.points[0].policy.num_leaves == 1
    at_once = trees_of(mdp, 8, time_limit=0.0, max_rounds=None)
    assert at_once.points[0].value <= at_once.points[0].bound


def test_strange_sizes_are_refused_or_taken() -> None:
    mdp = spotree.load("frozenlake_4x4")
    for wrong in (0, -1, 2.5, None):
        with pytest.raises(InvalidProblemError, match="max_leaves"):
            trees_of(mdp, wrong)
    with pytest.raises(InvalidProblemError, match="never ends"):
        spotree.frontier(mdp, 4, time_limit=None)
    assert [point.policy.num_leaves for point in trees_of(mdp, 1).points] == [1]
    found = trees_of(mdp, 10**9)
    assert found.points[-1].policy.num_leaves == 7
    with pytest.raises(InvalidProblemError, match="leaves is 0"):
        found.at(0)
    assert found.at(10**6) is found.points[-1]


def test_points_are_saved_with_the_others_and_show_themselves(tmp_path) -> None:
    found = trees_of(spotree.load("frozenlake_4x4"), 8)
    knee = found.knee
    knee.save(tmp_path / "knee.json")
    again = spotree.Solution.load(tmp_path / "knee.json")
    assert again.frontier == knee.frontier
    document = json.loads(json.dumps(found.document()))
    assert document["format"] == "spotree-frontier"
    assert [point["leaves"] for point in document["points"]] == [size.leaves for size in knee.frontier]
    assert escape(found.words) in found._repr_html_()
    assert found.words in repr(found)
    knee.report(tmp_path / "page.html", spotree.load("frozenlake_4x4"))
    assert '"frontier":[{' in (tmp_path / "page.html").read_text()
    from spotree.report.data import report_data

    data = report_data(again, spotree.load("frozenlake_4x4"))
    assert [size["leaves"] for size in data["frontier"]] == [size.leaves for size in knee.frontier]


def test_where_every_leaf_brings_as_much_the_knee_is_the_last_one() -> None:
    for size in (2, 3):
        mdp = build_mdp(np.stack([np.eye(size)] * size), np.eye(size), 0.9, features=np.arange(size)[:, None])
        found = trees_of(mdp)
        assert found.knee.policy.num_leaves == size
        assert found.words == f"{size} leaves: 100 % of the best policy's"


def test_the_search_ends_where_there_is_nothing_else_to_find() -> None:
    for reward in (np.ones((2, 2)), np.eye(2)):
        mdp = build_mdp(np.stack([np.eye(2)] * 2), reward, 0.9, features=np.arange(2)[:, None])
        found = spotree.frontier(mdp, time_limit=1e6, threads=1)
        assert found.status is SolveStatus.FINISHED
        assert all(point.proved_optimal for point in found.points)
