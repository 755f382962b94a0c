"""UMB: nothing is lost on the way out and back, and Storm reads what we write."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.umb import Members, rewritten, some_mdp
from small_models import differences
from spotree.mdp import Missing
from spotree.readers.read import read
from spotree.readers.umb.valuations import unpack
from spotree.readers.umb.writer import write_umb


@pytest.mark.parametrize("missing", ["random", "end", "stay", "forbid"])
@pytest.mark.parametrize("ending", [True, False])
def test_what_is_written_is_read_bit_for_bit(tmp_path: Path, missing: Missing, ending: bool) -> None:
    mdp = some_mdp(missing, ending)
    write_umb(mdp, tmp_path / "model.umb")
    assert differences(mdp, read(tmp_path / "model.umb")) == []


@pytest.mark.parametrize("compression", ["gz", "xz"])
def test_compressed_files_hold_the_same_model(tmp_path: Path, compression: str) -> None:
    mdp = some_mdp()
    write_umb(mdp, tmp_path / "model.umb", compression)
    assert differences(mdp, read(tmp_path / "model.umb")) == []


def test_options_count_more_than_what_the_file_says(tmp_path: Path) -> None:
    write_umb(some_mdp(), tmp_path / "model.umb")
    mdp = read(tmp_path / "model.umb", discount=0.5, missing="stay", sense="min", drop_actions=["a"])
    assert (mdp.discount, mdp.missing, mdp.action_names) == (0.5, "stay", ("z", "↑"))
    assert mdp.notes["reward"] == "-(reward)"
    choice = some_mdp().choice_of[4, 1]
    assert mdp.reward[4, 1] == -some_mdp().reward_of_choice[choice]


@pytest.mark.parametrize("ending", [True, False])
def test_storm_reads_what_we_write(tmp_path: Path, ending: bool) -> None:
    stormpy = pytest.importorskip("stormpy")
    mdp = some_mdp(ending=ending)
    write_umb(mdp, tmp_path / "model.umb")
    model = stormpy.build_model_from_umb(str(tmp_path / "model.umb"))
    assert model.nr_states == mdp.num_states + ending  # one sink for the ends of episodes
    assert model.nr_choices == mdp.num_choices + ending
    assert set(model.choice_labeling.get_labels()) == set(mdp.action_names)
    rewards = list(model.reward_models["reward"].state_action_rewards)[: mdp.num_choices]
    assert rewards == mdp.reward_of_choice[mdp.choice_action >= 0].tolist()


def test_a_file_that_storm_has_rewritten_is_still_the_same_decision_process(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    mdp = some_mdp(ending=False)
    write_umb(mdp, tmp_path / "ours.umb")
    model = stormpy.build_model_from_umb(str(tmp_path / "ours.umb"))
    stormpy.io.export_to_umb(model, str(tmp_path / "theirs.umb"))
    again = read(tmp_path / "theirs.umb", discount=mdp.discount)
    assert sorted(again.action_names) == sorted(mdp.action_names)
    for name in mdp.action_names:
        mine, theirs = mdp.action_names.index(name), again.action_names.index(name)
        assert again.available[:, theirs].tolist() == mdp.available[:, mine].tolist()
        np.testing.assert_allclose(again.transition_matrix(theirs).toarray(), mdp.transition_matrix(mine).toarray())
        np.testing.assert_allclose(again.reward[:, theirs], mdp.reward[:, mine], atol=1e-15)


def test_bit_packed_records_come_apart() -> None:
    # from the lowest bit up: bool 1, uint(3) 5 with offset 2, one bit of padding, int(4) -3, double 0.75, 7 bits
    bits = "1" + "101" + "0" + "1011" + f"{np.float64(0.75).view(np.uint64):064b}"[::-1] + "0" * 7
    record = np.packbits([int(bit) for bit in bits], bitorder="little")
    entries = [
        {"name": "flag", "type": {"type": "bool"}},
        {"name": "level", "type": {"type": "uint", "size": 3}, "offset": 2},
        {"padding": 1},
        {"name": "depth", "type": {"type": "int", "size": 4}},
        {"name": "share", "type": {"type": "double"}},
        {"padding": 7},
    ]
    columns, left_out = unpack(np.vstack((record, record)), entries)
    assert {name: column.tolist() for name, column in columns.items()} == {
        "flag": [1, 1],
        "level": [7, 7],  # 5 + 2
        "depth": [-3, -3],
        "share": [0.75, 0.75],
    }
    assert left_out == {}


def test_repeated_branches_are_added_up(tmp_path: Path) -> None:
    def split_the_first_branch(members: Members, index: dict[str, Any]) -> None:
        starts = np.frombuffer(members["choice-to-branches.bin"], "<u8").copy()
        starts[1:] += 1
        target = np.frombuffer(members["branch-to-target.bin"], "<u8")
        probability = np.frombuffer(members["branch-to-probability.bin"], "<f8")
        half = probability[0] / 2
        members["choice-to-branches.bin"] = starts.tobytes()
        members["branch-to-target.bin"] = np.insert(target, 0, target[0]).tobytes()
        members["branch-to-probability.bin"] = np.concatenate(([half, half], probability[1:])).tobytes()
        index["transition-system"]["#branches"] += 1

    assert differences(some_mdp(), read(rewritten(tmp_path, split_the_first_branch))) == []


def test_without_a_probability_every_branch_is_certain(tmp_path: Path) -> None:
    def one_branch_per_choice(members: Members, index: dict[str, Any]) -> None:
        system = index["transition-system"]
        del (
            members["branch-to-probability.bin"],
            system["branch-probability-type"],
            members["choice-to-branches.bin"],
        )
        system["#branches"] = system["#choices"]
        members["branch-to-target.bin"] = np.zeros(system["#choices"], "<u8").tobytes()
        index["file-data"]["parameters"]["spotree"]["sink"] = False

    mdp = read(rewritten(tmp_path, one_branch_per_choice))
    assert (mdp.transition_matrix("↑").toarray()[:, 0] == 1).all()
