"""`spotree info` counts a file as Storm does, beside what remains after reading."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import spotree
from spotree.cli.app import app

# Two choices of one label in a state, a goal with a choice of its own, an action that is left out.
MODEL = """mdp
module m
  x : [0..3] init 0;
  [go] x < 2 -> 0.5 : (x' = x + 1) + 0.5 : (x' = x);
  [go] x = 0 -> (x' = 2);
  [back] x = 1 -> (x' = 0);
  [stop] x = 2 -> 0.25 : (x' = 3) + 0.75 : (x' = 2);
  [stop] x = 3 -> (x' = 0);
endmodule
rewards "time"
  true : 1;
endrewards
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pytest.importorskip("stormpy", reason="the extra 'prism' is not installed")
    path = tmp_path / "m.prism"
    path.write_text(MODEL)
    return path


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_counts_of_a_file_are_those_of_storm(path: Path) -> None:
    import stormpy

    built = stormpy.build_model(stormpy.parse_prism_program(str(path)))
    facts = json.loads(run("info", path, "--goal", "x=3", "--sense", "min", "--drop-action", "back", "--json"))
    assert facts["file"] == {
        "states": built.nr_states,
        "choices": built.nr_choices,
        "transitions": built.nr_transitions,
    }
    assert facts["file"] == {"states": 4, "choices": 6, "transitions": 9}
    assert (facts["states"], facts["choices"]) == (4, 7)  # 2, 1 and 1, and the goal has one for each of 3 actions


def test_the_counts_of_the_file_stand_above_those_of_the_model(path: Path) -> None:
    lines = run("info", path).splitlines()
    assert lines[1] == "in the file     4 states, 6 choices, 9 transitions"
    assert lines[2].startswith("states          4, of which")


def test_counts_stay_under_another_discount_and_are_not_made_up(path: Path, tmp_path: Path) -> None:
    mdp = spotree.read(path)
    assert spotree.read(path, discount=0.5).in_file == mdp.in_file is not None
    mdp.save(tmp_path / "copy.npz")
    assert json.loads(run("info", tmp_path / "copy.npz", "--json"))["file"] is None
    assert "in the file" not in run("info", "frozenlake_4x4")


def test_no_cost_of_0_is_shown_with_a_sign(tmp_path: Path) -> None:
    mdp = spotree.build_mdp([[[1.0]], [[1.0]]], [[0.0, 2.0]], 0.5, sense="min")
    mdp.save(tmp_path / "free.npz")
    spotree.solve(mdp, 0, time_limit=5).save(tmp_path / "run.json")
    model, tree = tmp_path / "free.npz", tmp_path / "run.json"
    said = [
        run("info", model),
        run("show", tree),
        run("evaluate", model, tree),
        run("simulate", model, tree, "-n", 10),
        run("diff", model, tree, tree),
        run("solve", model, "-d", 0, "-t", 1),
        run("frontier", model, "-k", 2, "-t", 1),
        run("improve", model, "-d", 0),
        run("compare", model, "--methods", "viper", "-d", 0, "-t", 1),
    ]
    assert "-0" not in "".join(said)
