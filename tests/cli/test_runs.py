"""A saved run knows its model: where it was read from, and with which options."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import spotree
from spotree import Solution, load, read, solve
from spotree.cli.app import app
from spotree.errors import ReadError, SpotreeError

CHAIN = """mdp
const int N;
module chain
  x : [0..N] init 0;
  y : [0..1] init 0;
  [walk] x < N & y = 0 -> 0.5 : (x' = x + 1) + 0.5 : (y' = 1);
  [rest] x < N & y = 1 -> (y' = 0);
  [wade] x < N -> 0.25 : (x' = x + 1) + 0.75 : true;
  [stay] x = N -> true;
endmodule
rewards "time" x < N : 1; endrewards
label "done" = x = N;
"""


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def as_json(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current one, with a model and a run of Python on it, read at discount 0.9."""
    monkeypatch.chdir(tmp_path)
    load("frozenlake_4x4").save("lake.npz")
    saved(read("lake.npz", discount=0.9), "run.json")
    return tmp_path


def saved(mdp: spotree.MDP, path: str | Path, depth: int = 1) -> Solution:
    solution = solve(mdp, depth, max_rounds=1, threads=1, time_limit=5)
    solution.save(path)
    return solution


def edited(path: str, **changes: Any) -> None:
    """The run with entries of its source changed."""
    document = json.loads(Path(path).read_text())
    document["source"] |= changes
    Path(path).write_text(json.dumps(document))


def test_a_solution_saved_from_python_knows_its_file_and_options(folder: Path) -> None:
    found = Solution.load("run.json").source
    assert found is not None
    assert (found.kind, found.model, found.options) == ("file", "lake.npz", {"discount": 0.9})
    assert str(found) == "spotree.read('lake.npz', discount=0.9)"
    run("report", "run.json")
    assert "// Discount 0.9;" in run("export", "run.json", "--to", "prism").stdout


@pytest.mark.parametrize("model", [(), ("lake.npz",)])
def test_a_run_says_how_its_model_is_read(folder: Path, model: tuple[str, ...]) -> None:
    value = Solution.load("run.json").value
    assert as_json("evaluate", *model, "run.json")["value"] == pytest.approx(value, abs=1e-12)
    assert as_json("simulate", *model, "run.json", "-n", 10)["exact"] == pytest.approx(value, abs=1e-12)
    assert as_json("diff", *model, "run.json", "run.json")["first"]["value"] == pytest.approx(value, abs=1e-12)


def test_a_run_on_a_shipped_model_knows_its_name(folder: Path) -> None:
    value = saved(load("xor", discount=0.5), "xor.json").value
    assert as_json("evaluate", "xor.json")["value"] == pytest.approx(value, abs=1e-12)
    assert as_json("evaluate", "xor", "xor.json")["value"] == pytest.approx(value, abs=1e-12)


def test_options_that_are_typed_win(folder: Path) -> None:
    assert as_json("evaluate", "run.json", "--discount", 0.5)["discount"] == 0.5
    saved(read("lake.npz", missing="end", missing_reward=-5.0), "end.json")
    assert as_json("evaluate", "end.json", "--missing", "stay")["missing"] == "stay"


def test_a_model_of_another_name_and_content_gets_no_option_of_the_run(folder: Path) -> None:
    load("frozenlake_4x4", discount=0.7).save("other.npz")
    assert as_json("evaluate", "other.npz", "run.json")["discount"] == 0.7
    shutil.copy("lake.npz", "copy.npz")
    assert as_json("evaluate", "copy.npz", "run.json")["discount"] == 0.9


def test_a_program_is_read_with_the_constants_goal_and_sense_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("stormpy")
    monkeypatch.chdir(tmp_path)
    Path("chain.prism").write_text(CHAIN)
    mdp = read("chain.prism", constants={"N": 3}, goal="done", sense="min", discount=1)
    value = saved(mdp, "run.json").value
    for words in (["run.json"], ["chain.prism", "run.json"]):
        facts = as_json("evaluate", *words)
        assert (facts["value"], facts["sense"]) == (pytest.approx(value, abs=1e-9), "min")
    assert as_json("evaluate", "run.json", "--constants", "N=5")["value"] < value  # a longer way costs more
    maximised = as_json("evaluate", "run.json", "--sense", "max", "--discount", 0.9)
    assert maximised["sense"] == "max"


def test_a_model_is_looked_for_here_and_beside_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert as_json("evaluate", "../run.json")["discount"] == 0.9
    load("frozenlake_8x8").save("lake.npz")  # of the same name, but not the one that was solved
    assert as_json("evaluate", "../run.json")["model"] == "frozenlake_4x4"
    (folder / "lake.npz").unlink()
    Path("lake.npz").unlink()
    with pytest.raises(
        ReadError, match=r"lake\.npz, the model of \.\./run\.json, is not there; name it: spotree eval"
    ):
        run("evaluate", "../run.json")


def test_a_model_that_has_changed_is_said(folder: Path) -> None:
    assert run("evaluate", "run.json").stderr == ""
    load("frozenlake_4x4", missing="stay").save("lake.npz")
    for words in (["run.json"], ["lake.npz", "run.json"]):
        assert run("evaluate", *words).stderr == "spotree: lake.npz has changed since it was read for run.json\n"


def test_a_model_that_python_changed_after_reading_is_not_taken_for_its_file(folder: Path) -> None:
    saved(replace(read("lake.npz"), discount=0.8), "changed.json")
    with pytest.raises(ReadError, match=r"changed\.json was found with discount 0\.8, but lake\.npz is read with"):
        run("simulate", "changed.json")
    assert as_json("evaluate", "changed.json", "--discount", 0.8)["discount"] == 0.8


def test_two_runs_that_disagree_are_not_compared_on_one_of_their_models(folder: Path) -> None:
    saved(read("lake.npz"), "other.json")
    with pytest.raises(ReadError, match=r"run\.json and other\.json were not found with the same --discount; give"):
        run("diff", "run.json", "other.json")
    assert as_json("diff", "run.json", "other.json", "--discount", 0.9)["difference"] == 0
    saved(load("xor"), "xor.json")
    with pytest.raises(ReadError, match=r"run\.json was found on lake\.npz, xor\.json on xor; name the model"):
        run("diff", "run.json", "xor.json")


def test_a_run_of_python_is_compared_with_one_of_the_command_line(folder: Path) -> None:
    pytest.importorskip("stormpy", reason="the extra 'prism' is not installed")
    Path("chain.prism").write_text(CHAIN)
    saved(read("chain.prism", constants={"N": 4}, goal="done", reward="time", sense="min"), "python.json")
    asked = ("--constants", "N=4", "--goal", "done", "--reward", "time", "--sense", "min")
    run("solve", "chain.prism", *asked, "-d", 1, "-t", 5, "-o", "typed.json")
    assert as_json("diff", "python.json", "typed.json")["first"] is not None
    saved(read("chain.prism", constants={"N": 5}, goal="done", reward="time", sense="min"), "longer.json")
    with pytest.raises(ReadError, match="were not found with the same --constants"):
        run("diff", "longer.json", "typed.json")


def test_an_environment_is_not_made_because_a_file_says_so(folder: Path) -> None:
    kwargs = {"map_name": "4x4", "is_slippery": False}
    edited("run.json", kind="environment", model="os:FrozenLake-v1", options={"env_kwargs": kwargs})
    typed = "spotree simulate os:FrozenLake-v1 --env map_name=4x4,is_slippery=false run.json"
    with pytest.raises(ReadError, match=f"not opened unasked: {typed}"):
        run("simulate", "run.json")


def test_a_model_without_its_tree_and_a_tree_without_its_model_are_said(folder: Path) -> None:
    for model in ("frozenlake_4x4", "lake.npz", "FrozenLake-v1"):
        with pytest.raises(ReadError, match=rf"{model} is a model; spotree simulate \[MODEL\] TREE"):
            run("simulate", model)
        with pytest.raises(ReadError, match=rf"{model} is a model; spotree diff \[MODEL\] FIRST SECOND"):
            run("diff", model, "run.json")
    for words in ([], ["run.json"]):
        with pytest.raises(ReadError, match=r"type: spotree diff \[MODEL\] FIRST SECOND"):
            run("diff", *words)
    run("export", "run.json", "-o", "tree.json")
    with pytest.raises(
        ReadError, match=r"tree\.json holds a tree alone; name its model: spotree simulate MODEL tree"
    ):
        run("simulate", "tree.json")
    edited_source = json.loads(Path("run.json").read_text()) | {"source": None}
    Path("run.json").write_text(json.dumps(edited_source))
    with pytest.raises(
        ReadError, match=r"does not say where its model was read from; name its model: spotree eval"
    ):
        run("evaluate", "run.json")
    assert as_json("evaluate", "lake.npz", "run.json")["discount"] == 0.99


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "pickle"},
        {"model": ["lake.npz"]},
        {"model": "x" * 5000},
        {"options": {"discount": float("nan")}},
        {"options": {"discount": 2}},
        {"options": {"constants": {"N": [1]}}},
        {"options": {"unheard_of": 1}},
        {"options": {"env_kwargs": {"a": {"b": 1}}}},
        {"options": [1]},
        {"digest": "0"},
        {"digest": 7},
    ],
)
def test_a_source_that_no_spotree_wrote_is_refused(folder: Path, changes: dict[str, Any]) -> None:
    edited("run.json", **changes)
    with pytest.raises(ReadError, match="missing or broken entry: source"):
        Solution.load("run.json")


@pytest.mark.parametrize("model", ["/dev/zero", ".", "no\0name.npz", "run.json", "\x1b[31m.npz"])
def test_a_source_names_a_model_file_or_nothing(folder: Path, model: str) -> None:
    edited("run.json", model=model)
    with pytest.raises(SpotreeError):
        run("evaluate", "run.json")


def test_every_option_of_read_is_kept_in_a_source() -> None:
    from inspect import signature

    from spotree.mdp.source import OPTIONS

    assert list(OPTIONS) == [name for name in signature(read).parameters if name != "source"]


def test_what_no_file_can_hold_leaves_a_solution_without_source(folder: Path) -> None:
    shutil.copy("lake.npz", "l\udcffke.npz")
    assert read("l\udcffke.npz", name="lake").source is None
    saved(read("l\udcffke.npz", name="lake"), "run.json")
    assert Solution.load("run.json").source is None
