"""Figures on a terminal: costs as costs, bars that can be compared, and no line wider than the terminal."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import spotree
from spotree.cli.app import app
from spotree.cli.bars import bars
from spotree.cli.commands.compare import show_comparison
from spotree.cli.output import show_facts
from spotree.cli.progress_line import LiveLine
from spotree.cli.solution_output import show_solution
from spotree.mdp.model import MDP
from spotree.readers.npz import write_npz
from spotree.results.progress import Progress


def costly(sense: str = "min", shift: float = 0.0, missing: str = "random") -> MDP:
    """Three states in a row; each step costs 1, the slow action 1.5 (less a shift); the last state ends."""
    move = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], float)
    ends = np.array([0, 0, 1.0])
    return spotree.build_mdp(
        [move, move],
        (np.array([[1, 1.5], [1, 1.5], [1, 1.5]]) - shift) * (1 if sense == "min" else -1),
        0.9,
        initial=0,
        features=np.arange(3.0)[:, None],
        feature_names=["place"],
        action_names=["fast", "slow"],
        available=None if missing == "random" else np.array([[1, 1], [1, 0], [1, 1]], bool),
        missing=missing,
        ends=np.stack([ends, ends], axis=1),
        sense=sense,
        name="steps",
        notes={"reward": "-(time)", "goal": "there: 1 state"} if sense == "min" else {},
    )


def solved(mdp: MDP) -> spotree.Solution:
    return spotree.solve(mdp, depth=1, max_rounds=1, threads=1, time_limit=5)


def printed(solution: spotree.Solution, capsys: pytest.CaptureFixture[str]) -> str:
    show_solution(solution)
    return capsys.readouterr().out


def test_a_cost_model_prints_positive_costs_and_names_reward_sense_and_goal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    best = solved(costly())
    text = printed(replace(best, value=best.value * 1.1, status=spotree.SolveStatus.TIME_LIMIT), capsys)
    assert not re.search(r"-\d", text.replace("e-", "e"))
    assert "aim        the smallest expected cost (time) until there" in re.sub(r"aim +", "aim        ", text)
    assert "cost         2.981000" in text
    assert "10 % more than the best policy   (optimum 2.710000)" in text
    assert "no tree of the size costs less" in text
    assert "expected cost, less is better:" in text
    assert "of optimum" not in text
    assert "return" not in text


@pytest.mark.parametrize("columns", [30, 60, 80, 140])
def test_no_bar_is_wider_than_the_terminal_and_lengths_are_in_proportion(columns: int) -> None:
    lines = bars([("best policy", 2.0), ("this tree", 1.0), ("random", 0.0)], columns)
    assert max(map(len, lines)) <= columns
    best, tree, random = (line.count("█") for line in lines)
    assert abs(best - 2 * tree) <= 1
    assert random == 0


def test_bars_of_negative_numbers_end_at_0_and_of_both_signs_meet_there() -> None:
    negative = bars([("best", -1.0), ("random", -2.0)], 60)
    assert len(negative[0]) == len(negative[1])
    assert negative[0].count("█") < negative[1].count("█")
    both = bars([("best", 1.0), ("random", -1.0)], 60)
    assert both[0].index("█") == both[1].rindex("█") + 1


def test_an_infinite_figure_has_a_word_and_no_bar() -> None:
    assert bars([("best", 1.0), ("random", float("-inf"))], 60)[1].split() == ["random", "-infinite"]


def test_a_forbidden_random_policy_leaves_no_ratio_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    solution = replace(solved(costly()), random_value=-np.inf)
    text = printed(solution, capsys)
    assert "over random" not in text
    assert "infinite" in text


def test_an_optimum_of_0_is_no_denominator(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(solved(costly("max", shift=1.0)), capsys)
    assert "of optimum" not in text
    assert "nan" not in text
    assert "return       0.000000" in text


def test_the_live_line_shows_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    live = LiveLine(sense="min")
    monkeypatch.setattr(live, "say", said.append)
    live.show(Progress(1.0, 2, -12.5, -10.0))
    live.show(Progress(1.0, 0, -np.inf, -10.0))
    assert "cost 12.500000  bound 10.000000  gap 25 %" in said[0]
    assert "cost infinite  bound 10.000000  gap unknown" in said[1]


def run(*words: str) -> str:
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_every_command_shows_costs_of_a_cost_model(tmp_path: Path) -> None:
    model, proof = str(tmp_path / "steps.npz"), str(tmp_path / "proof")
    write_npz(costly(), model)
    told = run("info", model)
    assert re.search(r"cost +1 to 1.5 per choice", told)
    assert re.search(r"best policy +2.710000", told)
    told = run("compare", model, "--methods", "viper,spot", "--time", "1", "--depth", "1")
    assert re.search(r"method +cost +from best +over random +bound", told)
    assert "-2.71" not in told
    assert re.search(r"cost +2.710000 of the tree", run("improve", model, "--depth", "1"))
    run("certify", model, "--depth", "1", "--certificate", proof)
    told = run("check", proof, model)
    assert "cost 2.71, evaluated here" in told
    assert "no tree of depth 1 costs less than 2.71" in told


def test_json_has_null_and_a_word_for_a_ratio_that_means_nothing(tmp_path: Path) -> None:
    model = str(tmp_path / "free.npz")
    write_npz(costly("max", shift=1.0), model)
    found = json.loads(run("solve", model, "--depth", "1", "--time", "1", "--json"))
    assert found["of_optimum"] is None
    assert found["why_null"] == {"of_optimum": "the best policy's return is 0 up to the error of the numbers"}
    assert found["over_random"] == 1.0
    assert found["cost"] is None
    write_npz(costly(), model)
    found = json.loads(run("solve", model, "--depth", "1", "--time", "1", "--json"))
    assert found["cost"] == pytest.approx(2.71)
    assert found["value"] == pytest.approx(-2.71)
    assert found["above_best"] == pytest.approx(0.0)
    assert found["why_null"] == {"of_optimum": "the ratio of costs rises as a tree gets worse"}


@pytest.mark.parametrize("columns", [40, 60, 80, 140])
def test_a_comparison_is_no_wider_than_its_terminal(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    solution = replace(solved(costly()), status=spotree.SolveStatus.TIME_LIMIT)
    show_comparison([solution, replace(solution, method="viper", value=-3.0)])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert lines[0].startswith("method         cost      from best")
    assert ("status" in lines[0]) == (columns >= 80)
    assert ("over random" in lines[0]) == (columns == 140)


def test_bars_are_plain_signs_where_the_encoding_has_no_blocks() -> None:
    from spotree.cli.stdio import _plainer

    text = "███▌▏"
    assert _plainer(UnicodeEncodeError("ascii", text, 0, len(text), "no"))[0] == "####."


def test_facts_are_folded_on_a_narrow_terminal_and_whole_in_a_file(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    words = "stopped at the time limit; the tree is the best found (neighbourhood, 10.0 s)"
    monkeypatch.setenv("COLUMNS", "60")
    show_facts([("status", words), ("model", "x" * 90)])
    assert f"status  {words}\n" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    show_facts([("status", words), ("model", "x" * 90)])
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert len(first) <= 60
    assert second.startswith("        ")
    assert " ".join([first[8:], second[8:]]) == words
    assert rest == ["model   " + "x" * 90]
