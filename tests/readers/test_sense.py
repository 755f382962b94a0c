"""A model of costs says so, and goes on saying so in every file and answer."""

from pathlib import Path

import numpy as np
import pytest

import spotree
from spotree.errors import InvalidModelError

COSTS = """mdp
module m
  x : [0..2] init 0;
  [slow] x < 2 -> (x' = x + 1);
  [fast] x = 0 -> 0.5 : (x' = 2) + 0.5 : (x' = 0);
endmodule
rewards "time"
  true : 1;
endrewards
label "done" = x = 2;
"""


@pytest.fixture
def mdp(tmp_path: Path) -> spotree.MDP:
    pytest.importorskip("stormpy")
    path = tmp_path / "m.prism"
    path.write_text(COSTS)
    return spotree.read(path, reward="time", sense="min", goal="done")


@pytest.mark.parametrize("suffix", [".npz", ".umb"])
def test_a_model_of_costs_stays_one_in_a_file(mdp: spotree.MDP, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"copy{suffix}"
    (spotree.write_npz if suffix == ".npz" else spotree.write_umb)(mdp, path)
    assert mdp.sense == spotree.read(path).sense == "min"


def test_a_solution_says_what_was_solved_after_saving_and_loading(mdp: spotree.MDP, tmp_path: Path) -> None:
    solution = spotree.solve(mdp, 1, time_limit=1)
    solution.save(tmp_path / "run.json")
    again = spotree.Solution.load(tmp_path / "run.json")
    assert again.sense == "min"
    assert again.notes == dict(mdp.notes)
    assert "done" in again.notes["goal"]


def test_a_file_of_an_older_version_holds_rewards(tmp_path: Path) -> None:
    path = tmp_path / "old.npz"
    spotree.write_npz(spotree.load("frozenlake_4x4"), path)
    with np.load(path) as stored:
        arrays = {key: stored[key] for key in stored if key != "sense"}
    np.savez(path, **arrays)
    assert spotree.read(path).sense == "max"


def test_an_unknown_sense_is_refused() -> None:
    with pytest.raises(InvalidModelError, match="sense='down' is unknown; choose one of max, min"):
        spotree.build_mdp(np.ones((1, 1, 1)), 0.0, 0.9, sense="down")  # type: ignore[arg-type]
