"""The commands about sizes: what a person reads, what a program reads, and how they end."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import spotree
from spotree.cli.app import app


def run(*arguments: object, code: int = 0, **env: str) -> str:
    done = CliRunner().invoke(
        app,
        [str(word) for word in arguments],
        catch_exceptions=True,
        env={"COLUMNS": "80"} | env,
        prog_name="spotree",
    )
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout


def test_smallest_says_what_was_sought_and_what_is_proved(tmp_path: Path) -> None:
    text = run("smallest", "frozenlake_4x4", "-t", 20, "-o", tmp_path / "run.json", "--exit-code")
    assert "sought       the smallest tree that is exactly optimal, up to rounding" in text
    assert "found        7 leaves: smallest possible (no gap to the best policy)" in text
    assert "7 leaves: smallest possible" in run("show", tmp_path / "run.json")
    run("report", tmp_path / "run.json")
    assert "smallest possible" in (tmp_path / "run.html").read_text()
    run("export", tmp_path / "run.json", "--to", "c")
    run("evaluate", "frozenlake_4x4", tmp_path / "run.json")


def test_what_is_not_proved_ends_with_10_if_asked() -> None:
    text = run("smallest", "frozenlake_4x4", "--within", 0.1, "-t", 0.3, "--exit-code", code=10)
    assert re.search(r"found +\d leaves; at least 2 are needed \([\d.]+ % of the best policy's, stopped at", text)
    run("smallest", "frozenlake_4x4", "--within", 0.1, "-t", 0.3)


def test_a_cost_is_given_as_a_cost() -> None:
    document = json.loads(run("smallest", "firewire", "--return", 71, "-t", 2, "--json"))
    assert document["target"] == -71
    assert document["solution"]["cost"] <= 71
    assert document["asked"] == "the smallest tree with a cost of at most 71.000000"
    with pytest.raises(spotree.SpotreeError, match="reaches a cost of 60"):
        CliRunner().invoke(app, ["smallest", "firewire", "--return", "60", "-t", "2"], catch_exceptions=False)


@pytest.mark.parametrize(
    "arguments",
    [("--within", "-1"), ("--within", "nan"), ("--return", "0.1", "--within", "0.1"), ("--depth", "-1")],
)
def test_bad_options_are_refused(arguments: tuple[str, ...]) -> None:
    run("smallest", "frozenlake_4x4", *arguments, code=2)


@pytest.mark.parametrize("columns", [80, 60])
def test_the_frontier_is_a_table_with_bars_that_fits(columns: int, tmp_path: Path) -> None:
    text = run("frontier", "frozenlake_4x4", "-k", 8, "-t", 2, "-o", tmp_path / "knee.json", COLUMNS=str(columns))
    table = text.split("\n\n")[2].splitlines()
    assert table[0].split() == ["leaves", "return", "of", "best", "gap"]
    assert max(map(len, table)) <= columns
    assert " 100 %  proved  ███" in table[-1]
    assert "an optimal tree has at least 7 leaves" in text
    assert "5 leaves: 83.72 % of the best policy's; 2 more bring 16.3 %" in text
    assert [size.leaves for size in spotree.Solution.load(tmp_path / "knee.json").frontier] == list(range(1, 8))
    run("report", tmp_path / "knee.json")


@pytest.mark.slow
def test_the_frontier_of_costs_shows_costs_and_another_tree_can_be_chosen(tmp_path: Path) -> None:
    arguments = ("frontier", "firewire", "-k", 4, "-t", 2, "--leaves", 3)
    text = run(*arguments, "--plot", tmp_path / "sizes.svg")
    assert re.search(r"leaves +cost  over best +gap", text)
    assert "73.369790" in text
    assert (tmp_path / "sizes.svg").stat().st_size > 1000
    document = json.loads(run(*arguments, "--json"))
    assert document["format"] == "spotree-frontier"
    assert document["points"][0]["cost"] == pytest.approx(73.36979)


def test_simplify_keeps_what_the_tree_returns(tmp_path: Path) -> None:
    run("solve", "frozenlake_4x4", "-d", 4, "-t", 1, "-o", tmp_path / "run.json")
    document = json.loads(run("simplify", "frozenlake_4x4", tmp_path / "run.json", "-t", 2, "--json"))
    given = spotree.Solution.load(tmp_path / "run.json")
    assert document["reached"]
    assert document["leaves"] <= given.policy.num_leaves
    assert document["solution"]["value"] >= given.value - 1e-9
    text = run("simplify", "frozenlake_4x4", tmp_path / "run.json", "-t", 0.5, "--within", 0.2)
    assert "the smallest tree within 20 % of the given one's return" in text


def test_solve_takes_leaves_alone_a_depth_alone_or_neither() -> None:
    def asked(*arguments: object) -> tuple[int, int | None]:
        document = json.loads(run("solve", "frozenlake_8x8", "-t", 0.5, "--json", *arguments))
        return document["depth"], document["max_leaves"]

    assert asked() == (3, None)
    assert asked("--max-leaves", 9) == (8, 9)
    assert asked("--max-leaves", 9, "-d", 4) == (4, 9)


def needs_three(folder: Path) -> Path:
    """No tree with fewer than three leaves avoids its forbidden actions."""
    import numpy as np

    mdp = spotree.build_mdp(
        np.stack([np.eye(3)] * 3), np.ones((3, 3)), 0.9, available=np.eye(3, dtype=bool), missing="forbid"
    )
    mdp.save(folder / "three.npz")
    return folder / "three.npz"


def test_a_size_that_no_tree_has_costs_no_result(tmp_path: Path) -> None:
    text = run("frontier", needs_three(tmp_path), "--leaves", 2, "-t", 1, "-o", tmp_path / "run.json")
    assert "The tree above has 3 leaves." in text
    assert spotree.Solution.load(tmp_path / "run.json").policy.num_leaves == 3


@pytest.mark.parametrize(
    ("arguments", "size"),
    [(("frontier", "-k", 2), "at most 2 leaves"), (("smallest", "-d", 1), "depth 1")],
)
def test_where_no_tree_is_feasible_the_size_asked_for_is_named(arguments, size: str, tmp_path: Path) -> None:
    command, *options = map(str, arguments)
    with pytest.raises(spotree.SpotreeError, match=f"no tree of {size} that avoids forbidden actions"):
        CliRunner().invoke(app, [command, str(needs_three(tmp_path)), "-t", "1", *options], catch_exceptions=False)


def test_a_sweep_of_one_seed_shows_no_columns_over_seeds_and_fits() -> None:
    text = run("sweep", "xor", "--depths", "1", "-t", 1)
    assert "median" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "median" in run("sweep", "xor", "--depths", "1", "--seeds", 2, "-t", 1)
