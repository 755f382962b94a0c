"""Played episodes earn what the linear solve says, and the interval says honestly how sure that is."""

import math
import time
from typing import Any

import numpy as np
import pytest

from small_models import random_mdp
from spotree import MDP, build_mdp, evaluate, load, optimum, simulate
from spotree.errors import InvalidProblemError

SHORT = ("frozenlake_4x4", "frozenlake_8x8", "tictactoe_vs_random", "tiger_vs_antelope")  # whose episodes end
MODELS = (
    "blackjack",
    "frozenlake_4x4",
    "frozenlake_8x8",
    "inventory_management",
    "navigation_3d",
    "system_administrator_tree",
    "tictactoe_vs_random",
    "tiger_vs_antelope",
    "traffic_intersection",
    "xor",
)


@pytest.mark.parametrize("name", MODELS)
def test_the_exact_return_lies_in_the_interval_in_nearly_all_runs(name: str) -> None:
    mdp = load(name)
    actions = optimum(mdp).actions
    inside = [
        simulate(mdp, actions, episodes=1000 if name in SHORT else 200, seed=seed).agrees for seed in range(6)
    ]
    assert sum(inside) >= 5


def test_a_hundred_runs_on_a_small_model_agree_as_often_as_they_say() -> None:
    mdp = random_mdp(np.random.default_rng(1), 6, 2, discount=0.8)
    policy = np.zeros(6, dtype=int)
    wide = [simulate(mdp, policy, episodes=400, seed=seed) for seed in range(100)]
    assert sum(run.agrees for run in wide) >= 97
    narrow = [simulate(mdp, policy, episodes=400, seed=seed, confidence=0.5) for seed in range(100)]
    assert sum(run.agrees for run in narrow) >= 50
    assert all(one.high - one.low < other.high - other.low for one, other in zip(narrow, wide, strict=True))


def rare(probability: float, discount: float = 1.0, wait: float = 0.0) -> MDP:
    """Two steps: the first leads to a state that pays 1 with this probability, else to one that pays nothing."""
    go = [[wait, probability, 1.0 - wait - probability], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    return build_mdp(
        [go], [[0.0], [1.0], [0.0]], discount, ends=[[0.0], [1.0], [1.0]], initial=0, undiscounted=True
    )


ALONE = np.zeros(3, dtype=int)


@pytest.mark.parametrize("discount", [1.0, 0.9])
@pytest.mark.parametrize("probability", [1e-4, 1e-2])
def test_the_interval_of_a_rare_event_holds_its_probability(probability: float, discount: float) -> None:
    mdp = rare(probability, discount)
    runs = [simulate(mdp, ALONE, episodes=3000, seed=seed) for seed in range(100)]
    assert sum(run.agrees for run in runs) >= 97
    assert runs[0].interval == ("Clopper-Pearson" if discount == 1 else "empirical Bernstein")


def test_an_event_that_was_never_seen_may_still_happen_as_often_as_clopper_and_pearson_say() -> None:
    run = simulate(rare(1e-7), ALONE, episodes=3000)
    assert (run.mean, run.low) == (0.0, 0.0)
    assert run.high == pytest.approx(1 - 0.005 ** (1 / 3000), rel=1e-6)  # (1 - high)^3000 = half of 1 %


def test_two_values_of_any_size_and_sign_are_played_as_a_coin() -> None:
    mdp = build_mdp(
        [[[0.0, 0.3, 0.7], [0.0] * 3, [0.0] * 3]],
        [[0.0], [-5.0], [20.0]],
        1.0,
        ends=[[0.0], [1.0], [1.0]],
        initial=0,
        undiscounted=True,
    )
    run = simulate(mdp, ALONE, episodes=1000)
    assert (run.interval, run.least, run.most) == ("Clopper-Pearson", -5.0, 20.0)  # 0 is impossible
    assert run.agrees


def test_a_chain_that_float64_cannot_solve_has_no_exact_return_and_its_episodes_are_cut() -> None:
    mdp = build_mdp(
        [[[1 - 1e-17, 1e-17], [0.0, 0.0]]], [[0.0], [1.0]], 1.0, ends=[[0.0], [1.0]], initial=0, undiscounted=True
    )
    run = simulate(mdp, np.zeros(2, dtype=int), episodes=5, horizon=5)
    assert math.isnan(run.exact)
    assert (run.cut, run.low, run.high, run.interval) == (5, 0.0, 1.0, "Clopper-Pearson")


def test_where_an_episode_may_pay_without_limit_the_interval_says_that_it_is_only_approximate() -> None:
    mdp = build_mdp([[[0.5]]], 1.0, 1.0, ends=[[0.5]], undiscounted=True)
    run = simulate(mdp, np.array([0]), episodes=1000)
    assert (run.interval, run.least, run.most) == ("normal", 1.0, math.inf)


def test_the_range_of_a_discounted_return_is_that_of_its_paths() -> None:
    mdp = build_mdp([[[0.5, 0.5], [0.0, 1.0]]], [[1.0], [0.0]], 0.5, initial=0)
    run = simulate(mdp, np.zeros(2, dtype=int), episodes=100)
    assert run.least == pytest.approx(1.0)
    assert run.most == pytest.approx(2.0, rel=1e-2)  # 1 + 1/2 + 1/4 + ...
    assert run.agrees


def test_a_reward_that_is_always_the_same_leaves_no_range() -> None:
    run = simulate(build_mdp([[[1.0]]], 3.0, 0.9), np.zeros(1, dtype=int), episodes=2)
    assert (run.least, run.most) == (pytest.approx(30, rel=1e-3), pytest.approx(30, rel=1e-3))  # 3 / (1 - 0.9)


def test_a_time_limit_ends_the_play_and_counts_the_episodes_that_it_cut() -> None:
    mdp = rare(1e-7, wait=1 - 2e-7)
    run = simulate(mdp, ALONE, episodes=50, time_limit=0.0)
    assert (run.stopped, run.cut, run.steps) == ("time limit", 50, 0)
    assert (run.low, run.high) == (0.0, 1.0)  # nothing is known
    assert run.agrees


def test_progress_is_told_of_the_time_step_and_of_the_episodes_that_are_on() -> None:
    told: list[tuple[int, int]] = []
    simulate(rare(0.5), ALONE, episodes=50, progress=lambda step, on: told.append((step, on)))
    assert told[0] == (0, 50)


def test_ctrl_c_gives_what_was_played() -> None:
    def watch(step: int, *_: object) -> None:
        if step == 1:
            raise KeyboardInterrupt

    run = simulate(rare(0.25, wait=0.5), ALONE, episodes=400, watch=watch)
    assert (run.stopped, run.steps) == ("interrupted", 400)
    assert 0 < run.cut <= 400
    assert run.agrees


def test_a_wrong_value_would_be_found_out() -> None:
    mdp = load("tiger_vs_antelope")
    run = simulate(mdp, optimum(mdp).actions)
    assert run.high - run.low < 0.01
    assert not run.low <= run.exact + 0.01 <= run.high


def test_the_same_seed_plays_the_same_episodes() -> None:
    mdp = load("frozenlake_4x4")
    actions = optimum(mdp).actions
    one, again, other = (simulate(mdp, actions, episodes=100, seed=seed) for seed in (3, 3, 4))
    assert one == again
    assert one.mean != other.mean


def test_a_short_horizon_widens_the_interval_by_what_it_cuts_off() -> None:
    mdp = load("traffic_intersection")
    actions = optimum(mdp).actions
    short = simulate(mdp, actions, episodes=500, horizon=10)
    assert (short.cut, short.steps, short.horizon) == (500, 5000, 10)
    assert short.bias == pytest.approx(0.99**10 * np.abs(optimum(mdp).values).max())
    assert short.agrees


def test_an_undiscounted_episode_ends_or_is_counted_as_cut() -> None:
    mdp = load("frozenlake_4x4", discount=1)
    actions = optimum(mdp).actions
    whole = simulate(mdp, actions, episodes=2000)
    assert (whole.cut, whole.bias) == (0, 0.0)
    assert whole.agrees
    short = simulate(mdp, actions, episodes=2000, horizon=20)
    assert short.cut > 0
    assert short.bias >= short.cut / 2000 * optimum(mdp).values.max()
    assert short.agrees


def test_a_row_that_ends_the_episode_ends_it_as_often_as_it_says() -> None:
    mdp = build_mdp([[[0.5]]], 1.0, 1.0, ends=[[0.5]], undiscounted=True)
    run = simulate(mdp, np.array([0]), episodes=20_000)
    assert run.exact == 2.0
    assert run.agrees
    assert run.steps == pytest.approx(40_000, rel=0.05)


def test_a_policy_that_pays_for_ever_needs_a_horizon() -> None:
    stay = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
    mdp = build_mdp(stay, [[-1.0, -1.0], [0.0, 0.0]], 1.0, initial=0, undiscounted=True)
    with pytest.raises(InvalidProblemError, match="pass a horizon"):
        simulate(mdp, np.array([0, 0]))
    run = simulate(mdp, np.array([0, 0]), episodes=10, horizon=7)
    assert (run.mean, run.exact, run.low) == (-7.0, -math.inf, -math.inf)


def test_a_watcher_sees_every_time_step() -> None:
    mdp = load("frozenlake_4x4")
    actions = optimum(mdp).actions
    earned = np.zeros(50)
    steps = 0

    def watch(step: int, episodes: np.ndarray, states: np.ndarray, rewards: np.ndarray) -> None:
        nonlocal steps
        played = ~np.isnan(rewards)
        earned[episodes[played]] += mdp.discount**step * rewards[played]
        steps += int(played.sum())

    run = simulate(mdp, actions, episodes=50, watch=watch)
    assert steps == run.steps
    assert earned.mean() == pytest.approx(run.mean)


def test_a_hundred_thousand_time_steps_take_less_than_a_second() -> None:
    mdp = load("tiger_vs_antelope")
    actions = optimum(mdp).actions
    begin = time.perf_counter()
    steps = simulate(mdp, actions, episodes=40_000).steps
    assert steps / (time.perf_counter() - begin) > 100_000


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"episodes": 0}, "episodes is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"horizon": 0}, "horizon is 0"),
        ({"confidence": 1.0}, "confidence is 1.0"),
        ({"time_limit": math.nan}, "time_limit is nan"),
        ({"time_limit": "1"}, "time_limit is '1'"),
    ],
)
def test_what_cannot_be_played_is_refused(asked: dict[str, Any], words: str) -> None:
    mdp = load("frozenlake_4x4")
    with pytest.raises(InvalidProblemError, match=words):
        simulate(mdp, optimum(mdp).actions, **asked)


def test_the_exact_return_is_that_of_evaluate() -> None:
    mdp = load("frozenlake_4x4")
    assert simulate(mdp, np.zeros(16, dtype=int), episodes=10).exact == evaluate(mdp, np.zeros(16, dtype=int))
