"""First mistakes are answered with the way out: PRISM's spelling, open constants, no goal, costs, properties."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pages import ROOT
from spotree import read
from spotree.cli.app import app
from spotree.errors import InfeasibleError, InvalidModelError, ReadError

pytest.importorskip("stormpy")

PROGRAM = """mdp
const int N;
const double p;
module walk
  x : [0..N] init 0;
  [go] x < N -> p : (x' = x + 1) + (1 - p) : true;
  [back] x < N & x > 0 -> (x' = x - 1);
  [stay] x = N -> true;
endmodule
rewards "NAME" FROM : 1; endrewards
label "done" = x = N;
"""
CONSTANTS = {"N": 2, "p": 0.5}


def info(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["info", *arguments], catch_exceptions=False)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return written(tmp_path, "time", "x < N")


def written(folder: Path, name: str, states: str) -> Path:
    path = folder / "walk.prism"
    path.write_text(PROGRAM.replace("NAME", name).replace("FROM", states))
    return path


@pytest.mark.parametrize("words", [["-const", "N=2,p=0.5"], ["--const", "N=2", "--constants", "p=0.5"]])
def test_constants_are_given_as_prism_spells_them(program: Path, words: list[str]) -> None:
    assert "constants: N=2, p=0.5" in info(str(program), *words).stdout


def test_all_open_constants_are_named_at_once(program: Path) -> None:
    with pytest.raises(
        ReadError, match=r"the constants N, p have no value; pass constants=\{'N': \.\.\., 'p': \.\.\.\}"
    ):
        read(program)
    with pytest.raises(ReadError, match=r"the constant 'p' has no value; pass constants=\{'N': 2, 'p': \.\.\.\}"):
        read(program, constants={"N": 2})


def test_no_goal_at_discount_1_is_said(tmp_path: Path) -> None:
    always = written(tmp_path, "r", "true")
    with pytest.raises(InvalidModelError, match="no goal is given: pass goal='LABEL' to say where"):
        read(always, constants=CONSTANTS, discount=1)
    with pytest.raises(InfeasibleError, match="no goal is given: pass goal='LABEL' to say where"):
        read(always, constants=CONSTANTS, discount=1, sense="min")
    read(always, constants=CONSTANTS, discount=1, sense="min", goal="done")


def hint(path: Path, **options: str) -> str | None:
    return read(path, constants=CONSTANTS, **options).notes.get("hint")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["time", "energy_used", "Cost", "steps"])
def test_a_reward_called_like_a_cost_is_asked_about(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, "x < N")
    assert hint(path) == f"{name} is maximised; if it is a cost, pass sense='min'"
    assert hint(path, sense="min") is None


def test_a_reward_for_every_step_to_a_goal_is_asked_about(tmp_path: Path) -> None:
    path = written(tmp_path, "r", "true")
    assert hint(path, goal="done") == "every step to the goal earns r; if that is a cost, pass sense='min'"
    assert hint(path) is None
    assert hint(path, goal="done", reward="reach") is None
    assert hint(written(tmp_path, "sometimes", "x = 1"), goal="done") is None


def test_a_cost_that_is_negative_already_is_not_asked_about(tmp_path: Path) -> None:
    path = written(tmp_path, "cost", "x < N")
    path.write_text(path.read_text().replace(": 1; endrewards", ": -1; endrewards"))
    assert hint(path) is None


def test_the_command_line_asks_unless_the_sense_is_typed(program: Path) -> None:
    words = [str(program), "--constants", "N=2,p=0.5"]
    assert info(*words).stderr == f"spotree: {program}: time is maximised; if it is a cost, pass --sense min\n"
    assert info(*words, "--sense", "max").stderr == ""
    assert info(*words, "--sense", "min").stderr == ""


@pytest.mark.parametrize(
    "line", ["info walk.prism walk.props", "solve walk.prism x.PCTL -d 1", "simulate xor a.props"]
)
def test_a_file_of_properties_is_answered_with_the_options_to_type(line: str) -> None:
    with pytest.raises(ReadError, match="files of properties are not read; type what is asked: --goal done"):
        CliRunner().invoke(app, line.split(), catch_exceptions=False)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("target", ["demo", "test"])
def test_make_says_that_it_compiles_and_for_how_long(target: str) -> None:
    said = subprocess.run(["make", "-nB", target], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    at = next(
        k for k, line in enumerate(said) if re.search("echo .*compiling the C\\+\\+ core: 2 to 4 minutes", line)
    )
    assert "pip install" in said[at + 1]
