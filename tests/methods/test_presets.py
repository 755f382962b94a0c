"""Settings of SPOT: what is given wins over the preset, and what cannot be used is refused, never dropped."""

import time
from dataclasses import dataclass, replace

import numpy as np
import pytest

import spotree
from oracles.neighbourhood import random_mdp
from spotree.errors import InvalidProblemError
from spotree.improvement.engines.rsbb import Rsbb
from spotree.methods.method import Method
from spotree.methods.neighbourhood import Neighbourhood
from spotree.methods.registry import chosen
from spotree.methods.spot.algorithm import Spot
from spotree.methods.spot.options import Stop, none, softmax_visits
from spotree.methods.spot.spot_from_omdt import PAPER, SpotFromOmdt
from spotree.methods.viper import Viper
from spotree.results.solution import SolveStatus
from spotree.search.request import Request
from spotree.search.run_context import RunContext
from spotree.trees.tree import leaf

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
    found = chosen("spot", {"preset": "paper", "engine": "rsbb"} | given)
    assert found == replace(PAPER, engine="rsbb", **given)
    assert found.stop(Request(1, time_limit=7200.0)) == Stop(seconds=7200.0, rounds=3, patience=2)
    assert found.stop(Request(1, time_limit=None)).seconds == 3600.0
    assert Spot(rounds=1).stop(Request(1, time_limit=None)).seconds is None


@pytest.mark.parametrize("method", ["neighbourhood", "spot", "spot+ws"])
def test_a_run_that_would_never_end_is_refused(method):
    with pytest.raises(InvalidProblemError, match=r"never ends? by .*: give a time_limit"):
        spotree.solve(MDP, 1, method=method, time_limit=None)


def test_the_preset_is_a_value_that_can_be_changed():
    assert chosen("spot", {"preset": "paper"}) == PAPER == Spot(seconds=3600.0)
    assert chosen("spot+ws", {"preset": "paper"}) == SpotFromOmdt(seconds=3600.0, omdt_seconds=300.0)
    mine = replace(PAPER, rounds=2)
    assert len(spotree.solve(spotree.load("frozenlake_8x8"), 1, method=mine, threads=1).history) == 2
    with pytest.raises(InvalidProblemError, match="preset='paper' goes with the name of a method"):
        spotree.solve(MDP, 1, method=Spot(), preset="paper")


def test_a_name_with_settings_is_shorthand_for_the_value():
    assert chosen("spot", {"engine": "rsbb", "rounds": 3}) == Spot(engine="rsbb", rounds=3)
    assert chosen(Viper(samples=5), {"rounds": 2}) == Viper(rounds=2, samples=5)
    assert chosen("neighbourhood", {}) == Neighbourhood()
    one, two = (
        spotree.solve(MDP, 1, time_limit=None, threads=1, **asked)
        for asked in (
            {"method": "spot", "engine": "rsbb", "weights": "softmax", "exploration": "none", "rounds": 3},
            {"method": Spot(engine=Rsbb(), weights=softmax_visits, exploration=none, rounds=3)},
        )
    )
    assert [line.current for line in one.history] == [line.current for line in two.history]
    assert one.method == two.method == "spot"


def test_a_method_of_ones_own_is_a_value_with_one_verb():
    @dataclass(frozen=True)
    class Guess(Method):
        action: int = 0

        @property
        def name(self):
            return "guess"

        def run(self, mdp, request):
            frame = RunContext(mdp, request.depth, request.max_leaves, self.name, request.seed, request.time_limit)
            return frame.solution(leaf(self.action), SolveStatus.FINISHED)

    found = spotree.solve(MDP, 1, method=Guess(), action=1)
    assert found.method == "guess"
    assert found.policy.tree.action.tolist() == [1]
    with pytest.raises(
        InvalidProblemError, match="method 'guess' has no setting 'rounds'; it has action; 'rounds' is"
    ):
        spotree.solve(MDP, 1, method=Guess(), rounds=3)
    with pytest.raises(
        InvalidProblemError, match=r"method is of type ABCMeta; give one of neighbourhood, .* Spot\(\)"
    ):
        spotree.solve(MDP, 1, method=Guess)


@pytest.mark.parametrize(
    ("limit", "seconds", "share"),
    [
        (None, None, 300),
        (90, None, 30),
        (3600, None, 300),
        (3600, 300, 300),
        (30, 300, 10),
        (3, 1, 1),
        (None, 7, 7),
    ],
)
def test_omdt_gets_its_seconds_or_a_third_of_the_time(limit, seconds, share):
    assert SpotFromOmdt(omdt_seconds=seconds)._omdt_share(limit) == share


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"weights": "heavy"}, "weights 'heavy'"),
        ({"preset": "mine"}, "preset 'mine' is unknown"),
        ({"round_seconds": float("nan")}, "round_seconds is nan"),
        ({"colour": "red"}, r"method 'spot\+ws' has no setting 'colour'; it has preset, engine, .*, omdt_seconds"),
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
    found = spotree.solve(MDP, 1, max_rounds=1, climb=1, threads=1)
    assert found.policy.depth <= 1
    assert chosen("neighbourhood", {"max_rounds": 1, "climb": 1}) == Neighbourhood(max_rounds=1, climb=1)
