"""Models as .npz files: nothing is lost, and nothing half-written remains."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from small_models import differences
from spotree.errors import ReadError
from spotree.mdp import MDP, Missing, build_mdp, reachable_part
from spotree.readers.npz import write_npz
from spotree.readers.read import read


def some_mdp(missing: Missing = "random", seed: int = 5, **more: Any) -> MDP:
    """Twenty states, four actions; some actions are missing and some choices end the episode."""
    rng = np.random.default_rng(seed)
    ends = np.where(rng.random((20, 4)) < 0.2, rng.random((20, 4)), 0.0)
    ends[3, 0] = 1.0
    transitions = rng.dirichlet(np.full(20, 0.1), (4, 20)) * (1 - ends.T[:, :, None])
    available = rng.random((20, 4)) < 0.6
    available[:, 0] = True
    settings: dict[str, Any] = {
        "initial": rng.dirichlet(np.ones(20)),
        "features": rng.normal(size=(20, 3)),
        "feature_names": ["x", "Höhe", "z z"],
        "action_names": ["go", "stop", "[a] & b", "↑"],
        "missing_reward": -1 / 3,
        "name": "some",
        "notes": {"reward": "time + energy", "features": "dropped: clock"},
        "state_number": rng.permutation(100)[:20],
    }
    reward = rng.normal(size=(20, 4))
    return build_mdp(transitions, reward, 0.97, available=available, missing=missing, ends=ends, **settings | more)


@pytest.mark.parametrize("missing", ["random", "end", "stay", "forbid"])
def test_what_is_written_is_read_bit_for_bit(tmp_path: Path, missing: Missing) -> None:
    mdp = some_mdp(missing)
    write_npz(mdp, tmp_path / "model.npz")
    assert differences(mdp, read(tmp_path / "model.npz")) == []


def test_the_comparison_would_see_a_single_bit() -> None:
    mdp = some_mdp()
    features = mdp.features.copy()
    features[7, 1] = np.nextafter(features[7, 1], 9.0)
    assert differences(mdp, some_mdp(features=features)) == ["features"]


def test_a_restricted_model_comes_back_with_its_old_state_numbers(tmp_path: Path) -> None:
    mdp = reachable_part(some_mdp(initial=3))
    write_npz(mdp, tmp_path / "part.npz")
    assert differences(mdp, read(tmp_path / "part.npz")) == []


def test_an_undiscounted_model_comes_back(tmp_path: Path) -> None:
    mdp = build_mdp([[[0.5]]], 1.0, 1.0, ends=[[0.5]], undiscounted=True)
    write_npz(mdp, tmp_path / "goal.npz")
    assert differences(mdp, read(tmp_path / "goal.npz")) == []


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    write_npz(some_mdp(), tmp_path / "one.npz")
    write_npz(read(tmp_path / "one.npz"), tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_the_caller_may_change_discount_rule_and_name(tmp_path: Path) -> None:
    write_npz(some_mdp("random"), tmp_path / "model.npz")
    changed = read(tmp_path / "model.npz", discount=0.5, missing="end", missing_reward=-9.0, name="other")
    assert differences(changed, some_mdp("end", missing_reward=-9.0, name="other")) == ["discount"]
    assert changed.discount == 0.5


def test_reachable_leaves_out_what_nobody_reaches(tmp_path: Path) -> None:
    write_npz(build_mdp([np.eye(3)], 0.0, 0.9, initial=1), tmp_path / "loops.npz")
    assert read(tmp_path / "loops.npz").num_states == 3
    assert read(tmp_path / "loops.npz", reachable=True).state_number.tolist() == [1]


def test_every_array_of_the_schema_is_needed(tmp_path: Path) -> None:
    write_npz(some_mdp(), tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as archive:
        arrays = dict(archive)
    assert len(arrays) == 23
    for name in set(arrays) - {"sense"}:  # which files of older versions lack
        np.savez(tmp_path / "less.npz", **{key: value for key, value in arrays.items() if key != name})
        with pytest.raises(ReadError, match=f"the array '{name}' is missing"):
            read(tmp_path / "less.npz")


@pytest.mark.parametrize("letter", [0x110000, 0xFFFFFFFF, 0xD800])
def test_names_with_letters_that_are_none_are_refused(tmp_path: Path, letter: int) -> None:
    path = tmp_path / "model.npz"
    write_npz(some_mdp(), path)
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["action_names"].view(np.uint32)[0] = letter
    np.savez(path, **arrays)
    with pytest.raises(ReadError, match=r"'action_names' .letters that are none"):
        read(path)
