"""The command line: what it prints, its exit codes, and that nothing is written on bad input."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import spotree as run


def test_models_lists_every_shipped_model() -> None:
    from spotree.models import names

    assert list(json.loads(run("models", "--json").stdout)["models"]) == list(names())
    assert "tiger_vs_antelope" in run("models").stdout


def test_the_module_is_the_same_command() -> None:
    done = subprocess.run([sys.executable, "-m", "spotree", "models", "--json"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, run("models", "--json").stdout, "")
    wrong = subprocess.run([sys.executable, "-m", "spotree", "info", "none"], capture_output=True, text=True)
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", run("info", "none").stderr)


def test_info_shows_sizes_and_returns() -> None:
    done = run("info", "frozenlake_4x4", "--json")
    facts = json.loads(done.stdout)
    assert (facts["states"], len(facts["actions"]), len(facts["features"])) == (16, 4, 2)
    assert facts["optimum"] == pytest.approx(0.542026, abs=1e-6)
    assert facts["random_value"] == pytest.approx(0.012356, abs=1e-6)
    text = run("info", "frozenlake_4x4").stdout
    assert "0.542026" in text
    assert "11 leave a choice" in text  # 16 cells less 4 holes and the goal


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("info", "no_such_model"), "no_such_model"),
        (("info", "missing.npz"), "missing.npz"),
        (("info", "tiger_vs_antelope", "--goal", "x"), "shipped model"),
        (("solve", "frozenlake_4x4", "--method", "magic"), "magic"),
        (("solve", "frozenlake_4x4", "--depth", "-1"), "--depth"),
        (("solve", "frozenlake_4x4", "--start", "none.json"), "none.json"),
        (("improve", "frozenlake_4x4", "--engine", "magic"), "magic"),
        (("improve", "frozenlake_4x4", "--policy", "magic"), "magic"),
        (("improve", "frozenlake_4x4", "--weights", "magic"), "magic"),
        (("compare", "frozenlake_4x4", "--methods", "magic"), "magic"),
        (("compare", "frozenlake_4x4", "--methods", ","), "neighbourhood"),
        (("info", "tiger_vs_antilope"), "did you mean tiger_vs_antelope"),
        (("solve", "frozenlake_4x4", "--time", "nan"), "--time"),
        (("solve", "frozenlake_4x4", "--seed", "-1"), "seed is -1"),
        (("solve", "frozenlake_4x4", "--method", "viper", "--preset", "paper"), "no setting 'preset'"),
        (("solve", "frozenlake_4x4", "--out", "none/run.json"), "--out"),
        (("fly",), "fly"),
    ],
)
def test_bad_input_gives_a_message_with_the_offender_and_exit_code_2(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_improve_shows_the_tree_and_its_proof() -> None:
    done = run(
        "improve", "frozenlake_4x4", "--depth", "2", "--policy", "optimal", "--weights", "occupancy", "--json"
    )
    step = json.loads(done.stdout)
    assert step["status"] == "OPTIMAL"
    assert step["value"] <= step["bound"]
    assert "proved optimal" in run("improve", "frozenlake_4x4", "--depth", "1").stdout


def test_solve_saves_a_solution_that_reloads(tmp_path: Path) -> None:
    from spotree import Solution

    out = tmp_path / "run.json"
    done = run("solve", "frozenlake_4x4", "--depth", "2", "--time", "1", "--method", "spot", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert f"{Solution.load(out).value:.6f}" in done.stdout


@pytest.mark.slow
def test_ctrl_c_shows_the_best_tree_so_far(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    command = [sys.executable, "-m", "spotree", "solve", "frozenlake_8x8", "--depth", "3", "--time", "60"]
    running = subprocess.Popen(
        [*command, "--method", "spot", "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(4)
    running.send_signal(signal.SIGINT)
    text, errors = running.communicate(timeout=30)
    assert "interrupted" in text, errors
    assert out.exists()
    assert running.returncode == 130


@pytest.mark.slow
def test_help_teaches_every_command() -> None:
    overview = run("--help").stdout
    for command in (
        "solve", "certify", "check", "compare", "show", "evaluate", "simulate", "diff", "info", "models", "improve"
    ):  # fmt: skip
        assert command in overview
        assert "--help" in run(command, "--help").stdout


@pytest.mark.slow
def test_solve_can_prove_and_the_proof_can_be_checked(tmp_path: Path) -> None:
    proof = tmp_path / "run.cert"
    done = run("solve", "frozenlake_4x4", "--depth", "3", "--time", "60", "--json", "--certificate", str(proof))
    solution = json.loads(done.stdout)
    assert solution["status"] == "OPTIMAL"
    assert solution["bound"] == pytest.approx(0.520125, abs=1e-6)
    assert "accepted" in run("check", str(proof), "frozenlake_4x4").stdout
    assert (
        run("certify", "frozenlake_4x4", "--depth", "2", "--time", "20", "--certificate", str(proof)).returncode
        == 0
    )
    assert "accepted" in run("check", str(proof), "frozenlake_4x4").stdout
    wrong = run("check", str(proof), "frozenlake_8x8")
    assert wrong.returncode == 1
    assert "rejected" in wrong.stdout
