"""`spotree export`: to the screen or a file, the formats listed, what is missing said."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import spotree
from spotree.cli.app import app
from spotree.exports.registry import FORMATS


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
        (["--to", "dot", "--goal", "x"], "MODEL: dot says nothing of the model; drop it and its options"),
        (["xor", "--to", "dot"], "MODEL: dot says nothing of the model; drop it and its options"),
        (["-o", "a.xyz"], "--to: a.xyz has an ending that stands for no format; choose one of text"),
    ],
)
def test_what_is_missing_or_too_much_is_said(run: str, arguments: list[str], message: str) -> None:
    code, printed, said = export(run, *arguments)
    assert code != 0
    assert printed == ""
    assert message in said


def test_a_run_is_needed_and_must_be_one(tmp_path: Path) -> None:
    assert "Missing argument 'RUN'" in export("--to", "dot")[2]
    assert "there is no such file" in export(str(tmp_path / "none.json"), "--to", "dot")[2]


def test_a_file_that_cannot_be_written_is_exit_code_3(run: str, tmp_path: Path) -> None:
    assert export(run, "-o", str(tmp_path / "none" / "a.dot"))[0] == 3


COSTS = """mdp
const int N;
module m
  x : [0..N] init 0;
  [slow] x < N -> (x' = x + 1);
  [fast] x < N - 1 -> 0.5 : (x' = x + 2) + 0.5 : (x' = 0);
endmodule
rewards "time"
  [slow] true : 2;
  [fast] true : 1;
endrewards
label "done" = x = N;
"""


def test_a_prism_file_comes_out_with_the_tree_in_its_guards(tmp_path: Path) -> None:
    pytest.importorskip("stormpy")
    model, saved = tmp_path / "m.prism", tmp_path / "run.json"
    model.write_text(COSTS)
    reading = ["--constants", "N=4", "--goal", "done", "--sense", "min"]
    solved = CliRunner().invoke(app, ["solve", str(model), "-d", "1", "-t", "2", "-o", str(saved), *reading])
    assert solved.exit_code == 0, solved.output
    code, printed, said = export(str(saved), str(model), "--to", "prism", *reading)
    assert code == 0, said
    assert "dtmc" in printed
    assert "[slow]" in printed
    assert "module m" in printed
    assert "x' = x + 1" in printed.replace("(x + 1)", "x + 1")
    assert export(str(saved), "--to", "prism") == (0, printed, "")  # the run knows its file and its options
    model.unlink()
    code, _, said = export(str(saved), "--to", "prism")
    assert code != 0
