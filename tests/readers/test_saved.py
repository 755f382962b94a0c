"""What `MDP.save` writes, `read` reads; shipped models and environments take options of their own."""

from pathlib import Path

import pytest

from small_models import differences
from spotree import load, optimum, read
from spotree.errors import InfeasibleError, InvalidModelError, ReadError


@pytest.mark.parametrize("ending", [".npz", ".umb", ".umb.gz", ".umb.xz"])
def test_a_saved_model_is_read_back_bit_for_bit(ending: str, tmp_path: Path) -> None:
    mdp = load("frozenlake_4x4")
    path = tmp_path / f"lake{ending}"
    mdp.save(path)
    assert differences(read(path), mdp) == []


def test_a_drn_model_is_saved_as_a_folder(tmp_path: Path) -> None:
    load("frozenlake_4x4").save(tmp_path / "lake" / "model.drn")
    assert {path.name for path in (tmp_path / "lake").iterdir()} >= {"model.drn", "state-valuations.json"}


@pytest.mark.parametrize(
    ("name", "words"), [("lake.csv", "a model is saved as .npz, .umb"), ("lake.drn", "give FOLDER/model.drn")]
)
def test_a_model_is_not_saved_under_a_name_that_nobody_reads(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=words):
        load("frozenlake_4x4").save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_shipped_model_takes_another_discount() -> None:
    plain, other = load("frozenlake_4x4"), load("frozenlake_4x4", discount=0.5)
    assert differences(plain, other) == ["discount"]
    assert optimum(load("frozenlake_4x4", discount=1)).value == pytest.approx(14 / 17, abs=1e-3)


def test_a_shipped_model_takes_another_rule_for_missing_actions() -> None:
    ended = load("navigation_3d", missing="end", missing_reward=-7.0)
    assert (ended.missing, ended.missing_reward, ended.name) == ("end", -7.0, "navigation_3d")


@pytest.mark.parametrize("name", ["csma_2_2", "csma_2_2_paper"])
def test_a_shipped_protocol_takes_the_same_options(name: str) -> None:
    pytest.importorskip("stormpy")
    mdp = load(name, discount=0.9, missing="stay")
    assert (mdp.discount, mdp.missing, mdp.name) == (0.9, "stay", name)


def test_an_error_about_a_shipped_protocol_names_the_model_and_no_file() -> None:
    pytest.importorskip("stormpy")
    with pytest.raises(ReadError, match=r"^firewire: with missing='end'"):
        load("firewire", missing="end")


def test_undiscounted_costs_without_an_end_are_refused() -> None:
    with pytest.raises((InvalidModelError, InfeasibleError)):
        load("inventory_management", discount=1)


def test_a_reward_for_an_end_that_never_comes_is_refused(tmp_path: Path) -> None:
    words = r"missing_reward=-5.0 means nothing with missing='random'; pass missing='end'"
    with pytest.raises(InvalidModelError, match=words):
        load("frozenlake_4x4", missing_reward=-5.0)
    load("frozenlake_4x4").save(tmp_path / "lake.npz")
    with pytest.raises(InvalidModelError, match=words):
        read(tmp_path / "lake.npz", missing_reward=-5.0)
    load("frozenlake_4x4", missing="end").save(tmp_path / "ends.npz")
    assert read(tmp_path / "ends.npz", missing_reward=-5.0).missing_reward == -5


def test_an_environment_takes_keyword_arguments() -> None:
    pytest.importorskip("gymnasium")
    lake = read("FrozenLake-v1", env_kwargs={"map_name": "8x8", "is_slippery": False}, discount=1)
    assert lake.num_states == 64
    assert optimum(lake).value == 1.0  # on dry ground the goal is surely reached
    assert lake.notes["made with"] == "map_name=8x8, is_slippery=False"


def test_keyword_arguments_that_an_environment_refuses_are_named() -> None:
    pytest.importorskip("gymnasium")
    with pytest.raises(ReadError, match=r"cannot be made with env_kwargs=\{'colour': 'red'\}"):
        read("FrozenLake-v1", env_kwargs={"colour": "red"})


def test_keyword_arguments_mean_nothing_for_a_file(tmp_path: Path) -> None:
    load("frozenlake_4x4").save(tmp_path / "lake.npz")
    with pytest.raises(ReadError, match=r"env_kwargs=\{'a': 1\} means nothing for a .npz file"):
        read(tmp_path / "lake.npz", env_kwargs={"a": 1})
