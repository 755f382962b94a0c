"""The command line with `--discount 1`: the same goals as `read(..., discount=1)`."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from command_line import spotree

pytest.importorskip("stormpy", reason="the extra 'prism' is not installed")

COIN = """
mdp
module coin
    s : [0..3] init 0;
    [toss] s=0 -> 0.5:(s'=1) + 0.5:(s'=2);
    [wait] s=0 -> true;
    [again] s=1 -> (s'=0);
    [stop] s=1 -> (s'=3);
    [stop] s=2 -> (s'=2);
    [again] s=2 -> (s'=0);
endmodule
label "tails" = s=2;
label "over" = s=3;
rewards "tosses"
    [toss] true : 1;
endrewards
rewards "time"
    true : 1;
endrewards
"""


def run(folder: Path, *arguments: str) -> CompletedProcess[str]:
    (folder / "coin.prism").write_text(COIN)
    return spotree(*arguments, cwd=folder)


def facts(folder: Path, *arguments: str) -> dict:
    done = run(folder, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


COST = ("coin.prism", "--goal", "over", "--reward", "tosses", "--sense", "min", "--discount", "1")


def test_info_shows_the_chance_of_a_goal(tmp_path: Path) -> None:
    found = facts(tmp_path, "info", "coin.prism", "--goal", "tails", "--reward", "reach", "--discount", "1")
    assert found["optimum"] == 1.0  # toss until it is tails
    assert found["discount"] == 1.0


def test_solve_finds_a_tree_that_surely_reaches_the_goal(tmp_path: Path) -> None:
    found = facts(tmp_path, "solve", *COST, "--depth", "2", "--time", "1", "--threads", "1")
    assert found["value"] == pytest.approx(-2.0)  # half of the tosses fail
    assert found["status"] == "OPTIMAL"


def test_improve_starts_from_the_random_policy(tmp_path: Path) -> None:
    timed = ["time" if word == "tosses" else word for word in COST]
    found = facts(tmp_path, "improve", *timed, "--depth", "2", "--policy", "random")
    assert found["return"] == pytest.approx(-4.0)  # two steps a try, half of the tries fail


def test_an_infinite_value_is_one_line_that_names_a_state(tmp_path: Path) -> None:
    done = run(tmp_path, "info", "coin.prism", "--goal", "over", "--reward", "tosses", "--discount", "1")
    assert done.returncode == 2
    assert done.stderr.count("\n") <= 2
    assert "state 0, action 'toss': reward 1 can be had again and again" in " ".join(done.stderr.split())


AVOID = ("coin.prism", "--goal", "s=3 | s=2 & false", "--avoid", '"tails" & !"over"', "--reward", "reach")


def test_avoided_states_are_named_in_the_answer_and_the_run_knows_them(tmp_path: Path) -> None:
    solved = run(tmp_path, "solve", *AVOID, "--discount", "1", "--depth", "1", "--time", "1", "--out", "run.json")
    assert solved.returncode == 0, solved.stderr
    assert 'until s=3 | s=2 & false avoiding "tails" & !"over"' in solved.stdout
    found = json.loads((tmp_path / "run.json").read_text())
    assert found["value"] == pytest.approx(0.5)
    exported = run(tmp_path, "export", "run.json", "--to", "prism")
    assert exported.returncode == 0, exported.stderr
    assert "formula avoid = ((s = 2) & !((s = 3)));" in exported.stdout
    assert run(tmp_path, "report", "run.json", "--out", "run.html").returncode == 0
    assert "1 state, where the episode ends with nothing more" in (tmp_path / "run.html").read_text()


def test_avoiding_with_costs_is_refused_on_the_command_line(tmp_path: Path) -> None:
    done = run(tmp_path, "info", *COST, "--avoid", "tails")
    assert (done.returncode, done.stdout) == (2, "")
    assert "coin.prism: --avoid tails: an avoided state ends the episode, so with costs" in done.stderr
    assert "pass --reward reach" in done.stderr
