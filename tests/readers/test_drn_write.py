"""DRN as it is written: Storm and our own reader find the same model in it."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import spotree
from oracles.mdps import mdps
from spotree.errors import InvalidModelError
from spotree.evaluation import evaluate, optimum
from spotree.mdp import MDP, build_mdp
from spotree.readers.drn import WrittenDrn, write_drn
from spotree.readers.read import read

stormpy = pytest.importorskip("stormpy")


def read_back(mdp: MDP, folder: Path) -> tuple[WrittenDrn, MDP]:
    written = write_drn(mdp, folder)
    return written, read(folder / "model.drn", discount=mdp.discount, missing="forbid")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mdps(most_states=8, discounts=(0.5, 0.99)))
def test_a_policy_is_worth_the_same_in_the_file(tmp_path: Path, case) -> None:
    mdp, rng = case
    if mdp.num_states == 1:
        return  # its one feature is constant, and then there is nothing to read
    written, there = read_back(mdp, tmp_path)
    assert optimum(there).value == pytest.approx(written.scale * optimum(mdp).value, rel=1e-9, abs=1e-12)
    taken = np.array([rng.choice(np.flatnonzero(row >= 0)) for row in mdp.choice_of], dtype=np.int32)
    same = [there.action_names.index(written.action_names[action]) for action in taken]  # unused ones are not there
    extra = np.zeros(there.num_states - mdp.num_states, dtype=np.int32)
    value = evaluate(there, np.concatenate((np.array(same, dtype=np.int32), extra)))
    assert value == pytest.approx(written.scale * evaluate(mdp, taken), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["frozenlake_4x4", "blackjack", "tiger_vs_antelope", "csma_2_2", "firewire"])
def test_a_shipped_model_comes_back_with_its_optimum_and_features(name: str, tmp_path: Path) -> None:
    mdp = spotree.load(name)
    written, there = read_back(mdp, tmp_path)
    assert optimum(there).value == pytest.approx(written.scale * optimum(mdp).value, rel=1e-9)
    assert there.feature_names == mdp.feature_names
    assert np.array_equal(there.features[: mdp.num_states], mdp.features)
    assert sorted(there.action_names) == sorted(written.action_names)


def by_storm(folder: Path) -> float:
    """What Storm says of the two files, up to a precision of its own."""
    model = stormpy.build_model_from_drn(str(folder / "model.drn"))
    assert len(model.initial_states) == 1
    (formula,) = stormpy.parse_properties((folder / "discounted.props").read_text())
    return stormpy.model_checking(model, formula).get_value(model.initial_states[0])


def test_storm_finds_the_discounted_optimum(tmp_path: Path) -> None:
    mdp = spotree.load("frozenlake_8x8")
    write_drn(mdp, tmp_path)
    assert by_storm(tmp_path) == pytest.approx(optimum(mdp).value, rel=1e-4)


def test_storm_finds_the_total_of_an_undiscounted_model(tmp_path: Path) -> None:
    # Each step pays 1 and ends with probability 1/4: 4 in all; from a distribution, and that step costs nothing
    mdp = build_mdp([np.eye(2) * 0.75], 1.0, 1.0, ends=[[0.25], [0.25]], undiscounted=True)
    assert write_drn(mdp, tmp_path).scale == 1.0
    assert by_storm(tmp_path) == pytest.approx(4.0, rel=1e-4)


def test_without_a_future_there_is_no_step_to_spare(tmp_path: Path) -> None:
    with pytest.raises(InvalidModelError, match="discount 0 and 2 initial states"):
        write_drn(build_mdp([np.eye(2)], 1.0, 0.0), tmp_path)


def test_an_initial_distribution_costs_one_step(tmp_path: Path) -> None:
    # Both states pay 1 for ever: 1 / (1 - 0.9) = 10; the fresh state pays nothing once: 0.9 * 10
    mdp = build_mdp([np.eye(2)], 1.0, 0.9)
    written, there = read_back(mdp, tmp_path)
    assert written.scale == 0.9
    assert there.num_states == 3
    assert optimum(there).value == pytest.approx(9.0)


def test_one_initial_state_costs_nothing(tmp_path: Path) -> None:
    written, there = read_back(build_mdp([np.eye(2)], 1.0, 0.9, initial=1), tmp_path)
    assert written.scale == 1.0
    assert there.num_states == 2
    assert optimum(there).value == pytest.approx(10.0)


def test_features_that_are_no_integers_become_ranks_with_a_way_back(tmp_path: Path) -> None:
    mdp = build_mdp([np.eye(3)], 0.0, 0.9, initial=0, features=[[0.5, 7], [-2.25, 9], [8.0, 7]])
    written = write_drn(mdp, tmp_path)
    assert json.loads((tmp_path / "state-valuations.json").read_text()) == [
        [["feature_0", 1], ["feature_1", 7]],
        [["feature_0", 0], ["feature_1", 9]],
        [["feature_0", 2], ["feature_1", 7]],
    ]
    assert [values is None for values in written.values] == [False, True]
    for largest, below in [(-1, 0), (0, 1), (1, 2), (2, 3)]:
        assert np.count_nonzero(mdp.features[:, 0] < written.threshold(0, largest)) == below
    assert written.threshold(0, 0) == -0.875  # (-2.25 + 0.5) / 2
    assert written.threshold(1, 7) == 7.5


def test_names_are_single_words_and_stay_apart(tmp_path: Path) -> None:
    actions = ["buy 1", "buy_1", "don't"]
    mdp = build_mdp([np.eye(2)] * 3, 0.0, 0.9, initial=0, feature_names=["2nd item"], action_names=actions)
    written, there = read_back(mdp, tmp_path)
    assert written.action_names == ("buy_1", "buy_1_1", "don_t")
    assert set(there.action_names) == set(written.action_names)
    assert there.feature_names == written.feature_names == ("_2nd_item",)
