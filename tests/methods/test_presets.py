"""Settings of SPOT: what is given wins over the preset, and what cannot be used is refused, never dropped."""

import time

import numpy as np
import pytest

import spotree
from oracles.neighbourhood import random_mdp
from spotree.errors import InvalidProblemError
from spotree.methods.exploration import none
from spotree.methods.presets import PAPER_SECONDS, spot_settings
from spotree.methods.weights import softmax_visits

MDP = random_mdp(np.random.default_rng(0))


def test_a_number_of_rounds_wins_over_the_preset():
    mdp = spotree.load("frozenlake_8x8")  # a tree of depth 1 does not reach its optimum
    found = spotree.solve(mdp, 1, method="spot", preset="paper", rounds=2, time_limit=10, threads=1)
    assert len(found.history) == 2
    assert found.seconds < 9


def test_every_setting_that_is_given_wins_over_the_preset():
    given = {
        "weights": "softmax",
        "exploration": "none",
        "free_probability": 0.25,
        "round_seconds": 7.0,
        "rounds": 3,
        "patience": 2,
    }
    found = spot_settings(7200.0, preset="paper", engine="rsbb", **given)
    assert found.engine.name == "rsbb"
    assert (found.weigh, found.exploration_rate) == (softmax_visits, none)
    assert (found.free_probability, found.round_seconds) == (0.25, 7.0)
    assert (found.stop.seconds, found.stop.rounds, found.stop.patience) == (7200.0, 3, 2)
    assert spot_settings(None, preset="paper").stop.seconds == PAPER_SECONDS
    assert spot_settings(None).stop.seconds is None


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"weights": "heavy"}, "weights 'heavy'"),
        ({"preset": "mine"}, "preset 'mine' is unknown"),
        ({"round_seconds": float("nan")}, "round_seconds is nan"),
        ({"colour": "red"}, r"method 'spot\+ws' has no setting 'colour'; it has omdt_seconds, preset, engine"),
        ({"omdt_seconds": -1.0}, "omdt_seconds is -1.0"),
    ],
)
def test_the_warm_start_refuses_a_wrong_setting_before_omdt_spends_its_time(settings, words):
    began = time.perf_counter()
    with pytest.raises(InvalidProblemError, match=words):
        spotree.solve(spotree.load("frozenlake_8x8"), 3, method="spot+ws", time_limit=12, **settings)
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize("method", ["neighbourhood", "omdt", "viper"])
def test_a_preset_is_refused_where_there_is_none_and_those_who_have_it_are_named(method):
    with pytest.raises(
        InvalidProblemError, match=r"no setting 'preset'; .*'preset' is a setting of spot, spot\+ws"
    ):
        spotree.solve(MDP, 1, method=method, preset="paper")


def test_the_search_keeps_its_own_settings():
    from spotree.methods.ladder import Neighbourhood

    found = spotree.solve(MDP, 1, max_rounds=1, settings=Neighbourhood(climb=1), threads=1)
    assert found.policy.depth <= 1
