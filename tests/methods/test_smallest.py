"""The smallest tree is what trying every tree says; what is called needed is needed."""

import itertools
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
from spotree.mdp.transforms import reordered
from spotree.results.smallest import Smallest
from spotree.results.solution import SolveStatus
from spotree.search.run_context import RunContext


def found_in(mdp: MDP, tolerance: float = 0.0, **asked) -> Smallest:
    return spotree.smallest(mdp, tolerance, **{"max_rounds": 1, "time_limit": 20, "threads": 1} | asked)


def holds(mdp: MDP, tolerance: float) -> None:
    truth = best_by_leaves(mdp, MOST)
    try:
        found = found_in(mdp, tolerance)
    except InfeasibleError:
        assert truth[-1] == -math.inf
        return
    close = close_to(mdp)
    enough = [leaves for leaves, best in enumerate(truth, 1) if best >= found.target - close]
    assert found.least_leaves <= (enough[0] if enough else math.inf), "the bound on leaves is no bound"
    if enough:
        assert found.reached
        assert found.leaves == enough[0]
    elif found.reached:
        assert found.leaves > MOST
    assert found.value == pytest.approx(spotree.evaluate(mdp, found.policy), rel=1e-12, abs=1e-12)
    if found.reached:
        assert found.value >= found.target - close
    if found.proved:
        assert found.leaves == (enough[0] if enough else found.leaves)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_no_smaller_tree_is_good_enough(seed: int, tolerance: float) -> None:
    holds(tiny(seed), tolerance)


@pytest.mark.parametrize("seed", range(9))
def test_the_same_for_probabilities_and_costs_until_a_goal(seed: int) -> None:
    try:
        mdp = tiny_goal(seed)
    except (InfeasibleError, InvalidModelError):
        pytest.skip("no policy has a finite total")
    holds(mdp, 0.0)


def test_what_is_a_share_of_what() -> None:
    mdp = spotree.load("frozenlake_4x4")
    best, random = spotree.optimum(mdp).value, 0.0123558
    assert found_in(mdp, 0.05).target == pytest.approx(0.95 * best)
    assert found_in(mdp, 0.05, of="random").target == pytest.approx(best - 0.05 * (best - random), abs=1e-6)
    by_value = found_in(mdp, value=0.5)
    assert (by_value.target, by_value.of) == (0.5, "return")
    assert by_value.value >= 0.5
    assert by_value.asked == "the smallest tree with a return of at least 0.500000"
    exact = found_in(mdp, max_rounds=None)
    assert (exact.leaves, exact.proved, exact.exact, exact.least_leaves) == (7, True, True, 7)
    assert exact.words == "7 leaves: smallest possible"
    assert not found_in(mdp, 1e-6).exact


def test_what_makes_no_sense_is_refused() -> None:
    mdp = spotree.load("frozenlake_4x4")
    for wrong in (math.nan, math.inf, -0.1, "much", None):
        with pytest.raises(InvalidProblemError, match="tolerance is"):
            found_in(mdp, wrong)
    for wrong in (math.nan, math.inf, "much"):
        with pytest.raises(InvalidProblemError, match="value is"):
            found_in(mdp, value=wrong)
    with pytest.raises(InvalidProblemError, match="of is 'all'"):
        found_in(mdp, of="all")
    with pytest.raises(InvalidProblemError, match="without a tolerance"):
        found_in(mdp, 0.1, value=0.2)
    with pytest.raises(InvalidProblemError, match=r"reaches a return of 0\.6"):
        found_in(mdp, value=0.6)
    with pytest.raises(InvalidProblemError, match="never ends"):
        spotree.smallest(mdp, time_limit=None)


def balanced() -> MDP:
    """The best policy's return is 0; action 1 loses."""
    return build_mdp(
        np.stack([np.eye(3)] * 2), np.array([[0, -1], [0, -1], [-1, 0]]), 0.5, features=np.arange(3)[:, None]
    )


def test_a_share_of_nothing_is_refused_with_the_way_out() -> None:
    mdp = balanced()
    with pytest.raises(InvalidProblemError, match=r"the best return is 0.*of='random'"):
        found_in(mdp, 0.1)
    assert found_in(mdp).leaves == 2
    assert found_in(mdp, 0.9, of="random").leaves == 1
    even = build_mdp(
        np.stack([np.eye(2)] * 2), np.ones((2, 2)), 0.5, available=np.eye(2, dtype=bool), missing="forbid"
    )
    with pytest.raises(InvalidProblemError, match=r"random actions is 0.*of='optimum'"):
        found_in(even, 0.1, of="random")
    assert found_in(even).leaves == 2


def test_nothing_is_a_share_of_what_is_infinite(monkeypatch) -> None:
    monkeypatch.setattr(RunContext, "random_value", property(lambda _: -math.inf))
    mdp = spotree.load("frozenlake_4x4")
    with pytest.raises(InvalidProblemError, match="infinite: take of='optimum'"):
        found_in(mdp, 0.1, of="random")
    assert found_in(mdp, 0.1).reached
    assert found_in(mdp, max_rounds=None).proved


def test_no_optimal_tree_exists_where_equal_features_need_different_actions() -> None:
    mdp = build_mdp(np.stack([np.eye(2)] * 2), np.eye(2), 0.5, features=np.ones((2, 1)), initial=[0.6, 0.4])
    found = found_in(mdp)
    assert not found.reached
    assert not found.proved
    assert found.leaves == 1
    assert "not reached" in found.words
    assert found.value == pytest.approx(1.2)


def test_sizes_do_not_depend_on_the_order_of_names() -> None:
    for seed in range(6):
        mdp = tiny(seed)
        turned = reordered(mdp, mdp.feature_names[::-1], mdp.action_names[::-1])
        assert found_in(mdp).leaves == found_in(turned).leaves


def test_sizes_do_not_depend_on_the_order_of_states() -> None:
    rng = np.random.default_rng(5)
    transitions, reward = rng.dirichlet(np.ones(6) / 3, size=(2, 6)), rng.normal(size=(6, 2))
    features = rng.integers(0, 3, size=(6, 2))
    order = rng.permutation(6)
    one = build_mdp(transitions, reward, 0.9, features=features)
    two = build_mdp(transitions[:, order][:, :, order], reward[order], 0.9, features=features[order])
    assert found_in(one).leaves == found_in(two).leaves


def test_the_same_seed_gives_the_same_tree() -> None:
    mdp = spotree.load("frozenlake_8x8")
    one, two = (found_in(mdp, 0.01, seed=5, threads=2, max_rounds=2, time_limit=60) for _ in range(2))
    assert str(one.policy) == str(two.policy)


def test_limits_ctrl_c_and_a_start() -> None:
    mdp = spotree.load("tictactoe_vs_random")

    def interrupt(_):
        raise KeyboardInterrupt

    began = time.perf_counter()
    found = found_in(mdp, 0.05, max_rounds=None, time_limit=1.5)
    assert time.perf_counter() - began < 5.0
    assert found.status is SolveStatus.TIME_LIMIT
    stopped = found_in(mdp, 0.05, progress=interrupt, max_rounds=None)
    assert stopped.status is SolveStatus.INTERRUPTED
    if found.reached:
        again = found_in(mdp, 0.05, start=found.solution, max_rounds=0)
        assert again.reached
        assert again.leaves <= found.leaves
    at_once = found_in(mdp, 0.05, start=found.solution, max_rounds=None, time_limit=0.0)
    assert at_once.least_leaves == 1, "nothing was tried"


def test_a_depth_is_kept() -> None:
    mdp = spotree.load("frozenlake_4x4")
    found = found_in(mdp, depth=2)
    assert found.policy.depth <= 2
    assert not found.reached


def test_depth_and_leaves_are_kept_together_by_solve() -> None:
    mdp = spotree.load("frozenlake_8x8")
    for depth, leaves in itertools.product((None, 5, 9), (1, 6, 10**9)):
        found = spotree.solve(mdp, depth, max_leaves=leaves, max_rounds=1, time_limit=20, threads=1)
        assert found.policy.num_leaves <= leaves
        assert found.policy.depth <= (leaves if depth is None else depth)


@pytest.mark.slow
def test_a_million_states_and_three_seconds() -> None:
    size = 1_000_000
    rng = np.random.default_rng(0)
    from scipy.sparse import csr_array

    ahead = [
        csr_array((np.ones(size), ((np.arange(size)), np.minimum(np.arange(size) + step, size - 1))), (size, size))
        for step in (1, 2)
    ]
    mdp = build_mdp(ahead, rng.random((size, 2)), 0.9, features=rng.integers(0, 50, (size, 2)))
    began = time.perf_counter()
    found = spotree.smallest(mdp, 0.1, time_limit=3)
    assert time.perf_counter() - began < 12.0
    assert found.leaves >= 1


def test_an_answer_shows_itself_and_is_saved_with_what_was_asked(tmp_path) -> None:
    found = found_in(spotree.load("frozenlake_4x4"), 0.05)
    assert escape(found.words) in found._repr_html_()
    assert found.words in repr(found)
    found.save(tmp_path / "run.json")
    notes = spotree.Solution.load(tmp_path / "run.json").notes
    assert notes["sought"] == found.asked == "the smallest tree within 5 % of the best policy's return"
    assert notes["found"].startswith(found.words)
    document = json.loads(json.dumps(found.document()))
    assert (document["format"], document["leaves"]) == ("spotree-smallest", found.leaves)
    assert document["solution"]["format"] == "spotree-solution"


def test_an_answer_to_a_huge_size_can_be_read_back(tmp_path) -> None:
    mdp = spotree.load("frozenlake_4x4")
    spotree.solve(mdp, max_leaves=10**9, max_rounds=1, time_limit=20, threads=1).save(tmp_path / "run.json")
    assert spotree.Solution.load(tmp_path / "run.json").max_leaves == 10**9


def ends_at_once(reward: list[list[float]], initial: list[float] | None = None, more: int = 0) -> MDP:
    """Each state ends the episode; `more` states stand beside them that nothing leads to, and earn 1e7."""
    states, actions = len(reward) + more, len(reward[0])
    start = np.zeros(states)
    start[: len(reward)] = np.full(len(reward), 1 / len(reward)) if initial is None else initial
    return build_mdp(
        transitions=np.zeros((actions, states, states)),
        ends=np.ones((states, actions)),
        reward=np.array([*reward, *[[1e7] * actions] * more]),
        discount=0.9,
        initial=start,
        features=np.arange(states, dtype=float)[:, None],
    )


def test_how_bad_random_actions_are_makes_no_tree_good_enough() -> None:
    mdp = ends_at_once([[1, 0.999, -3e6], [0.999, 1, -3e6]])  # a single leaf returns 0.9995, the best tree 1
    for asked in ({}, {"tolerance": 1e-6}, {"value": 0.99999}):
        found = found_in(mdp, **asked)
        assert found.reached
        assert found.leaves == 2
        assert found.value == pytest.approx(1.0)


def test_what_nothing_leads_to_makes_no_tree_good_enough() -> None:
    mdp = ends_at_once([[1, 0.999], [0.999, 1]], more=1)
    assert found_in(mdp).leaves == 2
    points = spotree.frontier(mdp, 2, max_rounds=1, threads=1).points
    assert [point.value for point in points] == pytest.approx([0.9995, 1.0])
    assert points[1].bound >= points[1].value


def test_without_a_discount_factor_what_comes_next_needs_no_leaf() -> None:
    onward = np.zeros((3, 3, 3))
    onward[:, :2, 2] = 1.0  # both first states lead to the third, which counts nothing at discount 0
    mdp = build_mdp(
        transitions=onward,
        ends=np.array([[0.0] * 3, [0.0] * 3, [1.0] * 3]),
        reward=np.eye(3),
        discount=0.0,
        initial=np.array([0.5, 0.5, 0.0]),
        features=np.arange(3.0)[:, None],
    )
    assert spotree.frontier(mdp, 3, max_rounds=1, threads=1).least_leaves <= 2
    assert found_in(mdp).leaves == 2


def test_a_tree_that_is_optimal_up_to_rounding_is_no_smaller_than_is_needed() -> None:
    mdp = ends_at_once([[1, 0, 0], [0, 1, 0], [0, 0, 1]], initial=[0.5, 0.5 - 1e-11, 1e-11])
    found = spotree.frontier(mdp, 3, max_rounds=1, threads=1)
    optimal = [point.policy.num_leaves for point in found.points if point.value >= 1 - 1e-10]
    assert found.least_leaves <= min(optimal)
    assert found_in(mdp).least_leaves <= found_in(mdp).leaves


def long_and_dear() -> MDP:
    """Three states need three actions; a wrong one loses 1 of a million, some ten thousand times."""
    reward = 1e6 - 1.0 + np.eye(3)
    return build_mdp(np.full((3, 3, 3), 1 / 3), reward, 0.9999, features=np.arange(3.0)[:, None])


def test_regrets_that_are_small_beside_the_values_add_up_over_a_long_time() -> None:
    mdp = long_and_dear()
    best = best_by_leaves(mdp, MOST)
    found = found_in(mdp)
    assert found.reached
    assert found.leaves == 3
    assert found.value == pytest.approx(best[2], rel=1e-12)
    points = spotree.frontier(mdp, 3, max_rounds=1, threads=1).points
    assert [point.value for point in points] == pytest.approx(best[:3], rel=1e-12)


def test_at_discount_0_no_forbidden_action_is_taken_in_what_comes_next() -> None:
    mdp = build_mdp(
        np.stack([np.eye(2)[::-1]] * 2),
        np.zeros((2, 2)),
        0.0,
        initial=0,
        features=np.arange(2.0)[:, None],
        available=np.eye(2, dtype=bool),
        missing="forbid",
    )
    assert found_in(mdp).words == "2 leaves: smallest possible"
    assert [p.policy.num_leaves for p in spotree.frontier(mdp, 2, max_rounds=1, threads=1).points] == [2]


def test_what_the_numbers_are_too_rough_for_is_not_called_a_target_missed() -> None:
    spikes = np.array([[0.0, 1.0], [-1e6, 0.0]])
    solution = found_in(build_mdp(np.stack([np.eye(2)] * 2), spikes, 0.5)).solution
    rough = Smallest(solution, solution.value, 0.0, "optimum", False, 1, SolveStatus.FINISHED)
    assert rough.words.endswith("the best return is known too roughly to say whether the target is reached")
    missed = Smallest(solution, solution.value + 1, 0.0, "optimum", False, 1, SolveStatus.FINISHED)
    assert missed.words.endswith("but the target is not reached")
