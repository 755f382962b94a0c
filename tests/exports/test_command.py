"""`spotree export`: to the screen or a file, the formats listed, what is missing said."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import spotree
from spotree.cli.app import app
from spotree.exports.table import FORMATS


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("export") / "run.json"
    spotree.solve(spotree.load("xor"), depth=2, max_rounds=1, threads=1).save(path)
    return str(path)


def export(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["export", *arguments], env={"COLUMNS": "400"})
    assert done.exception is None or isinstance(done.exception, SystemExit | spotree.SpotreeError), done.exception
    return done.exit_code, done.stdout, done.stderr + (str(done.exception) if done.exception else "")


@pytest.mark.parametrize("to", ["text", "english", "json", "dot", "mermaid", "svg", "python", "c", "rust"])
def test_a_text_goes_to_the_screen_or_to_the_file_that_is_named(run: str, to: str, tmp_path: Path) -> None:
    made = spotree.Solution.load(run).policy.to(to)
    assert export(run, "--to", to) == (0, made, "")
    out = tmp_path / f"policy{FORMATS[to].suffixes[0]}"
    code, printed, _ = export(run, "-o", str(out))
    assert (code, printed) == (0, f"saved to {out}\n")
    assert out.read_bytes().decode() == made


def test_the_exported_json_can_be_exported_again(run: str, tmp_path: Path) -> None:
    export(run, "-o", str(tmp_path / "tree.json"))
    assert export(str(tmp_path / "tree.json"), "--to", "c") == export(run, "--to", "c")


def test_the_formats_are_listed() -> None:
    code, printed, _ = export("--list")
    assert code == 0
    assert [line.split()[0] for line in printed.splitlines()[2:]] == list(FORMATS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "pdf"], "'pdf' is not one of text, english, json, dot, mermaid, svg, png, python, c, rust"),
        ([], "--to: choose one of text"),
        (["--to", "png"], "--out: png is no text; name a file with -o"),
        (["--to", "sklearn"], "sklearn is an object of Python"),
        (["--to", "storm"], "MODEL: storm needs the model as well"),
        (["--to", "dot", "--goal", "x"], "--goal: says how a model is read; give the MODEL too"),
        (["xor", "--to", "dot"], "format 'dot' says nothing of the model; drop it"),
        (["-o", "a.xyz"], "--to: a.xyz has an ending that stands for no format; choose one of text"),
        (["-o", "a.prism"], "MODEL: prism needs the model as well"),
    ],
)
def test_what_is_missing_or_too_much_is_said(run: str, arguments: list[str], message: str) -> None:
    code, printed, said = export(run, *arguments)
    assert code != 0
    assert printed == ""
    assert message in said


def test_a_run_is_needed_and_must_be_one(tmp_path: Path) -> None:
    assert "RUN: a file with a tree is needed" in export("--to", "dot")[2]
    assert "there is no such file" in export(str(tmp_path / "none.json"), "--to", "dot")[2]


def test_a_file_that_cannot_be_written_is_exit_code_3(run: str, tmp_path: Path) -> None:
    assert export(run, "-o", str(tmp_path / "none" / "a.dot"))[0] == 3
