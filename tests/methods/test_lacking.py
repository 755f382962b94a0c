"""A tree that takes actions which visited states do not offer says so: where it is shown, saved and exported."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from spotree import MDP, Solution, build_mdp, export, load, solve
from spotree.cli.app import app
from spotree.errors import ReadError
from spotree.evaluation.availability import MissingActions, lacking
from spotree.exports.registry import FORMATS

SAID = "1 of 2 visited states (50 % of visits) do not offer the tree's action; a random one is taken there"
FORBID = "with missing=forbid this tree is refused, and the best policy keeps its return"


def pair(missing: str = "random") -> MDP:
    """Two states in turn; the second does not offer "go", which alone is worth something in the first."""
    rows = np.zeros((2, 2, 2))
    rows[:, 0, 1] = rows[:, 1, 0] = 1.0
    return build_mdp(
        rows,
        [[1.0, 0.0], [0.0, 0.0]],
        0.99999999,
        initial=0,
        available=[[True, True], [False, True]],
        action_names=["go", "wait"],
        missing=missing,  # type: ignore[arg-type]
    )


@pytest.fixture(scope="module")
def found() -> Solution:
    mdp = pair()
    solution = solve(mdp, 0, time_limit=5, max_rounds=1, threads=1)
    assert solution.lacking == MissingActions(1, 2, pytest.approx(0.5))
    return solution


def test_one_line_says_how_many_states_how_often_and_what_forbid_gives(found: Solution) -> None:
    assert found.lacking is not None
    assert found.lacking.text(found.missing) == f"{SAID}; {FORBID}"


def test_the_line_is_shown_and_survives_a_file(found: Solution, tmp_path: Path) -> None:
    found.save(tmp_path / "run.json")
    assert Solution.load(tmp_path / "run.json").lacking == found.lacking
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "run.json")], catch_exceptions=False)
    assert f"missing      {SAID}; {FORBID}" in shown.stdout


@pytest.mark.parametrize(
    "name", [name for name, form in FORMATS.items() if form.gives == "text" and name != "storm"]
)
def test_every_text_that_is_exported_holds_the_line(name: str, found: Solution) -> None:
    mdp = pair()
    text = export(found, name, model=mdp if FORMATS[name].needs_model else None)
    assert text.count(FORBID) == 1
    assert "50 % of visits" in text


def test_onnx_and_png_hold_the_line_as_metadata(found: Solution) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(export(found, "onnx"))
    assert FORBID in {entry.key: entry.value for entry in model.metadata_props}["remark"]
    pytest.importorskip("matplotlib")
    assert FORBID.encode() in export(found, "png")


def test_the_command_says_it_for_formats_without_a_place(found: Solution, tmp_path: Path) -> None:
    pair().save(tmp_path / "model.npz")
    found.save(tmp_path / "run.json")
    words = ["export", str(tmp_path / "run.json"), str(tmp_path / "model.npz"), "--to", "storm"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert json.loads(done.stdout)
    assert done.stderr == f"note: {SAID}; {FORBID}\n"


def test_a_tree_whose_actions_are_all_there_says_nothing() -> None:
    solution = solve(load("frozenlake_4x4"), 1, time_limit=1, max_rounds=1, threads=1)
    assert solution.lacking is not None
    assert solution.lacking.text(solution.missing) == ""
    assert "note" not in export(solution, "text")


@pytest.mark.parametrize(
    ("rule", "words"), [("end", "the episode ends there"), ("stay", "the state stays as it is")]
)
def test_other_rules_say_what_they_do(rule: str, words: str) -> None:
    text = lacking(pair(rule), np.zeros(2, dtype=int)).text(rule)
    assert words in text
    assert text.endswith("the best policy may return less")


@pytest.mark.parametrize(
    "entry",
    [
        {"states": -1, "reached": 1, "share": 0},
        {"states": 1, "reached": 1, "share": 2},
        {"states": "*/"},
        [1],
        "text",
    ],
)
def test_a_forged_entry_is_refused(entry: Any, found: Solution, tmp_path: Path) -> None:
    document = found.document() | {"lacking": entry}
    (tmp_path / "run.json").write_text(json.dumps(document))
    with pytest.raises(ReadError, match="lacking"):
        Solution.load(tmp_path / "run.json")


def test_a_rule_that_nobody_knows_forges_no_comment(found: Solution) -> None:
    text = export(replace(found, missing="*/ int main(){}"), "c")
    assert "int main" not in text


def test_the_answer_says_where_the_random_policy_is_as_good_as_the_best_one(tmp_path: Path) -> None:
    build_mdp([[[1.0]], [[1.0]]], 1.0, 0.5).save(tmp_path / "same.npz")
    words = ["solve", str(tmp_path / "same.npz"), "--depth", "0", "--time", "1"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert "random      2.000000: the random policy is as good as the best one" in done.stdout
