"""Played episodes earn what the linear solve says, and the interval says honestly how sure that is."""

import math
import time

import numpy as np
import pytest

from small_models import random_mdp
from spotree import build_mdp, evaluate, load, optimum, simulate
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
    assert 35 <= sum(run.agrees for run in narrow) <= 65


def test_a_wrong_value_would_be_found_out() -> None:
    mdp = load("tiger_vs_antelope")
    run = simulate(mdp, optimum(mdp).actions)
    assert run.high - run.low < 0.005
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
    ],
)
def test_what_cannot_be_played_is_refused(asked: dict[str, float], words: str) -> None:
    mdp = load("frozenlake_4x4")
    with pytest.raises(InvalidProblemError, match=words):
        simulate(mdp, optimum(mdp).actions, **asked)  # type: ignore[arg-type]


def test_the_exact_return_is_that_of_evaluate() -> None:
    mdp = load("frozenlake_4x4")
    assert simulate(mdp, np.zeros(16, dtype=int), episodes=10).exact == evaluate(mdp, np.zeros(16, dtype=int))
