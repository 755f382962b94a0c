"""Numbers that no machine can hold on the command line: one line and exit code 2, never a traceback."""

import sys
from pathlib import Path

import pytest

import spotree
from spotree import cli

HUGE = "99999999999999999999999"
SOME = ("frozenlake_4x4", "--time", "1")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("runs") / "run.json"
    spotree.solve(spotree.load("frozenlake_4x4"), 1, method="viper", time_limit=1).save(path)
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("solve", *SOME, "--seed", HUGE), "seed"),
        (("solve", *SOME, "--threads", "2147483648"), "threads"),
        (("solve", *SOME, "--depth", HUGE), "depth"),
        (("certify", *SOME, "--threads", "2147483648"), "threads"),
        (("certify", *SOME, "--memory", "inf"), "--memory"),
        (("certify", *SOME, "--memory", "1e300"), "--memory"),
        (("smallest", *SOME, "--seed", HUGE), "seed"),
        (("frontier", *SOME, "--max-leaves", HUGE), "max-leaves"),
        (("frontier", *SOME, "--threads", "2147483648"), "threads"),
        (("simplify", "frozenlake_4x4", "TREE", "--seed", HUGE), "seed"),
        (("simulate", "frozenlake_4x4", "TREE", "-n", "1000000000000"), "episodes"),
        (("simulate", "frozenlake_4x4", "TREE", "-n", "1e12"), "episodes"),
        (("simulate", "frozenlake_4x4", "TREE", "--seed", HUGE), "seed"),
        (("simulate", "frozenlake_4x4", "TREE", "--horizon", HUGE), "horizon"),
        (("improve", "frozenlake_4x4", "--threads", "2147483648"), "threads"),
        (("improve", "frozenlake_4x4", "--depth", HUGE), "depth"),
        (("sweep", *SOME, "--seeds", HUGE), "seeds"),
        (("sweep", *SOME, "--threads", "2147483648"), "threads"),
        (("compare", *SOME, "--seed", HUGE), "seed"),
        (("solve", *SOME, "--cluster", "ucx://host:8786"), "ucx://host:8786"),
        (("certify", *SOME, "--cluster", "tcp://host:99999"), "tcp://host:99999"),
    ],
)
def test_a_huge_number_is_refused_by_name(
    arguments: tuple[str, ...],
    word: str,
    tree: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["spotree", *(tree if word == "TREE" else word for word in arguments)])
    assert cli._run() == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert word in said.err
    assert list(tmp_path.iterdir()) == []
