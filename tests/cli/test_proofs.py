"""`spotree certify` and `spotree check` as a person meets them: messages, exit codes, Ctrl-C."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_line import spotree as run
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check
from spotree.cli.app import app
from spotree.cli.commands.check import _meaning
from spotree.cli.options import check_files
from spotree.models import load


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "spotree", *map(str, arguments)]


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("proofs") / "run.cert"
    certify(load("frozenlake_4x4"), 1, time_limit=20, search=0.0, certificate=path)
    return path


def test_a_file_that_was_not_written_is_not_said_to_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.cert"
    path.write_text("old")
    target = check_files(None, path)
    target.say(as_json=False)
    assert "no certificate" in capsys.readouterr().out
    path.write_text("of another run, and longer")
    path.touch()
    os.utime(path, ns=(0, 0))
    target.say(as_json=False)
    assert "certificate in" in capsys.readouterr().out


def test_an_accepted_proof_says_what_is_proved_and_assumed(proof: Path) -> None:
    done = run("check", proof, "frozenlake_4x4", "--depth", 1)
    assert done.returncode == 0, done.stderr
    for words in ("accepted", "no tree of depth 1", "the tree is optimal up to", "assumed"):
        assert words in done.stdout
    assert "rounding" not in done.stdout  # it is in the bound


def test_a_tree_is_called_optimal_only_where_the_tolerance_is_small(tmp_path: Path) -> None:
    path = tmp_path / "run.cert"
    solution = certify(load("frozenlake_4x4"), 1, time_limit=20, search=0.0, tolerance=0.5, certificate=path)
    verdict = check(load("frozenlake_4x4"), Certificate.load(path))
    assert solution.proved_optimal
    assert verdict.bound - verdict.value <= verdict.tolerance
    done = run("check", path, "frozenlake_4x4")
    assert done.returncode == 0, done.stderr
    assert "is optimal" not in done.stdout
    assert f"up to {verdict.bound + verdict.tolerance - verdict.value:.3g} more" in done.stdout


def test_another_model_is_rejected_in_one_line_that_names_the_way_out(proof: Path) -> None:
    done = run("check", proof, "frozenlake_8x8")
    assert done.returncode == 1
    assert done.stdout.count("\n") == 1
    assert "another model (frozenlake_4x4)" in done.stdout
    assert "give the model exactly as it was certified" in done.stdout


@pytest.mark.parametrize(
    ("make", "options", "words"),
    [
        (lambda proof, path: None, (), "no such file"),
        (lambda proof, path: path.write_text("hello"), (), "not a certificate"),
        (lambda proof, path: path.write_bytes(proof.read_bytes()[:-40]), (), "not a certificate, or a damaged one"),
        (lambda proof, path: shutil.copy(proof, path), ("--depth", 2), "is about depth 1, not 2"),
    ],
)
def test_a_file_that_proves_nothing_is_named_in_one_line(make, options, words, proof: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.cert"
    make(proof, path)
    done = run("check", path, "frozenlake_4x4", *options)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "other.cert" in done.stderr
    assert words in done.stderr


def interrupted(arguments: list[str], folder: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a command and press Ctrl-C once it writes a file into a folder and some time has passed."""
    running = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not any(folder.iterdir()) and running.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(seconds)
    assert running.poll() is None, running.communicate()
    running.send_signal(signal.SIGINT)
    text, errors = running.communicate(timeout=60)
    return subprocess.CompletedProcess(arguments, running.returncode, text, errors)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 1.5])
def test_ctrl_c_shows_tree_and_bound_and_leaves_a_certificate_of_that_bound(seconds: float, tmp_path: Path) -> None:
    name, path = "tiger_vs_antelope", tmp_path / "run.cert"
    arguments = command("certify", name, "-d", 2, "-t", 300, "-c", path, "--json")
    done = interrupted(arguments, tmp_path, seconds)
    assert done.returncode == 130, done.stderr
    solution = json.loads(done.stdout)
    assert solution["status"] == "INTERRUPTED"
    assert solution["value"] <= 0.7536985 <= solution["bound"]  # the best tree that is known
    verdict = check(load(name), Certificate.load(path))
    assert verdict.accepted, verdict.reason
    assert verdict.bound >= 0.7536985
    assert [file.name for file in tmp_path.iterdir()] == ["run.cert"]


def test_the_plain_checker_says_the_same(proof: Path) -> None:
    native, plain = (run("check", proof, "frozenlake_4x4", *more) for more in ((), ("--plain",)))
    assert native.returncode == plain.returncode == 0
    assert "secret names tell regions apart" in native.stdout
    both = " by the plain checker; the native one: every region holds"
    assert both in plain.stdout
    assert native.stdout.replace("secret names tell", "SHA-256 tells") == plain.stdout.replace(both, "")


def test_ctrl_c_while_checking_decides_nothing(proof: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("spotree.api.check"), "check", interrupt)
    done = CliRunner().invoke(app, ["check", str(proof), "frozenlake_4x4"])
    assert done.exit_code == 130
    assert "neither accepted nor rejected" in done.stderr


@pytest.mark.parametrize(
    ("bound", "meaning"),
    [
        (1.0, "the tree is optimal up to that tolerance"),
        (1.0 + 0.5e-7, "the tree is optimal up to 1.6e-07"),  # 0.5e-7 + 1e-7, rounded up
        (1.0 + 0.9e-7, "the tree is optimal up to 2.0e-07"),
        (1.0 + 3e-7, "the tree may not be the best: another one may return up to 4e-07 more"),
    ],
)
def test_a_tree_is_called_optimal_up_to_what_is_proved(bound: float, meaning: str) -> None:
    assert _meaning(1.0, bound, 1e-7, "max") == meaning
