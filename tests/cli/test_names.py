"""Names from files cannot forge what is shown: every one is escaped and fits on a line."""

from dataclasses import replace
from pathlib import Path

import pytest

from command_line import spotree as run
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.models import load
from spotree.readers.npz import write_npz

EVIL = "\x1b[2J\r\u202ex\nreturn       9.0\x85\u2028"
LONG = "begin" + "y" * 10**5 + "end"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("evil")
    mdp = load("frozenlake_4x4")
    evil = replace(
        mdp,
        name=EVIL,
        feature_names=(EVIL, LONG),
        action_names=tuple(f"{number}{EVIL}{LONG}" for number in range(4)),
        notes={EVIL: EVIL, "best policy": "9.0"},
    )
    write_npz(evil, made / "evil.npz")
    certify(evil, 1, time_limit=20, search=0.0, certificate=made / "run.cert")
    certificate = Certificate.load(made / "run.cert")
    certificate.header["max_leaves"] = certificate.header["depth"] = EVIL
    certificate.save(made / "depth.cert")
    return made


@pytest.mark.parametrize(
    "arguments",
    [
        ("info", "evil.npz"),
        ("solve", "evil.npz", "-d", "2", "-t", "0.2"),
        ("improve", "evil.npz", "-d", "2"),
        ("certify", "evil.npz", "-d", "1"),
        ("check", "run.cert", "evil.npz"),
        ("check", "run.cert", "frozenlake_8x8"),
        ("check", "depth.cert", "evil.npz"),
        ("check", "depth.cert", "evil.npz", "-d", "1"),
        ("info", "evil.npz", "--drop-action", EVIL),
        ("info", EVIL),
        ("solve", "frozenlake_4x4", "--start", EVIL),
        ("solve", "frozenlake_4x4", "-o", EVIL, "-t", "0.2"),
        ("solve", "frozenlake_4x4", "-o", f"none/{EVIL}"),
        ("certify", "frozenlake_4x4", "-d", "1", "-c", EVIL),
    ],
)
def test_no_name_steers_the_terminal_or_forges_a_line(arguments: tuple[str, ...], folder: Path) -> None:
    done = run(*arguments, cwd=folder)
    for text in (done.stdout, done.stderr):
        assert "Traceback" not in text
        for line in text.split("\n"):
            assert line.isprintable(), line[:300]
            assert not line.startswith("return       9.0")
            assert not line.startswith("best policy    9.0")
            assert len(line) < 2100


def test_long_names_are_shown_by_both_ends(folder: Path) -> None:
    text = run("info", "evil.npz", cwd=folder).stdout
    assert any(line.strip().startswith("beginyyy") and "yyyend: 4 values" in line for line in text.split("\n"))


def test_one_long_name_does_not_hide_the_others(folder: Path) -> None:
    actions = next(
        line for line in run("info", "evil.npz", cwd=folder).stdout.split("\n") if line.startswith("actions")
    )
    assert actions.count("end") == 4
