"""`spotree report`: a page or its data from a saved run; the model is found by name or asked for."""

import json
from pathlib import Path

import pytest

import spotree
from command_line import spotree as run

SOLVE = ("solve", "frozenlake_4x4", "-d", "1", "--time", "1", "--threads", "1", "-o", "a run.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with a saved run in it, `a run.json`."""
    place = tmp_path_factory.mktemp("runs")
    assert run(*SOLVE, cwd=place).returncode == 0
    return place


def test_a_shipped_model_is_found_by_the_name_in_the_run(folder: Path) -> None:
    done = run("report", "a run.json", cwd=folder)
    page = folder / "a run.html"
    assert done.stdout == f"a run.html ({page.stat().st_size / 1000:.0f} kB)\n"
    assert page.read_text().startswith("<!doctype html>")


def test_the_page_says_which_command_was_typed(folder: Path) -> None:
    printed = json.loads(run("report", "a run.json", "frozenlake_4x4", "--json", cwd=folder).stdout)
    assert printed["format"] == "spotree-report"
    assert ["command", "spotree solve frozenlake_4x4 -d 1 --time 1 --threads 1 -o 'a run.json'"] in printed["setup"]
    assert run("report", "a run.json", "--json", "-o", "data.json", cwd=folder).returncode == 0
    assert json.loads((folder / "data.json").read_text()) == printed


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            {"kind": "file", "model": "a.prism", "options": {"constants": {"a": 1, "b": True}}},
            "a.prism, the model of mine.json, is not there; name it: spotree report mine.json"
            " a.prism --constants a=1,b=true",
        ),
        (
            {"kind": "file", "model": "my model.drn", "options": {"reward": ["time", "cost"], "goal": "x = 1"}},
            "my model.drn, the model of mine.json, is not there; name it: spotree report mine.json"
            " 'my model.drn' --reward time,cost --goal 'x = 1'",
        ),
        (
            {"kind": "shipped", "model": "mine", "options": {}},
            "mine.json names 'mine', no shipped model; name it: spotree report mine.json MODEL",
        ),
        (
            {"kind": "environment", "model": "FrozenLake-v1", "options": {"discount": 0.9}},
            "mine.json names an environment, which is code and not opened unasked: spotree report mine.json"
            " FrozenLake-v1 --discount 0.9",
        ),
        (
            None,
            "mine.json does not say where its model was read from; name its model: spotree report mine.json MODEL",
        ),
    ],
)
def test_a_model_that_is_not_there_is_asked_for_with_the_command_to_type(
    folder: Path, source: dict[str, object] | None, words: str
) -> None:
    document = json.loads((folder / "a run.json").read_text()) | {"model": "mine", "source": source}
    (folder / "mine.json").write_text(json.dumps(document))
    done = run("report", "mine.json", cwd=folder)
    assert (done.returncode, done.stderr) == (2, f"spotree: {words}\n")
    assert not (folder / "mine.html").exists()


@pytest.mark.slow
def test_a_model_left_out_is_opened_as_it_was_for_the_run(folder: Path) -> None:
    """With its options, from its file."""
    spotree.load("frozenlake_4x4").save(folder / "my lake.npz")
    for model in ("frozenlake_4x4", "my lake.npz"):
        assert run("solve", model, *SOLVE[2:-1], "own.json", "--discount=0.9", cwd=folder).returncode == 0
        assert run("report", "own.json", cwd=folder).returncode == 0
        program = run("export", "own.json", "--to", "prism", cwd=folder)
        assert "// Discount 0.9;" in program.stdout


def test_a_model_on_which_the_tree_is_worth_something_else_is_exported_by_no_command(folder: Path) -> None:
    done = run("export", "a run.json", "frozenlake_4x4", "--discount", "0.9", "--to", "prism", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "give the model that was solved" in done.stderr


def test_no_export_is_written_over_the_run_or_over_its_model(folder: Path) -> None:
    spotree.load("frozenlake_4x4").save(folder / "kept.npz")
    assert run("solve", "kept.npz", *SOLVE[2:-1], "kept.json", cwd=folder).returncode == 0
    before = [(folder / name).read_bytes() for name in ("kept.json", "kept.npz")]
    done = run("export", "kept.json", "--to", "json", "-o", "kept.json", cwd=folder)
    assert (done.returncode, "is the run itself" in done.stderr) == (2, True)
    done = run("export", "kept.json", "--to", "prism", "-o", "kept.npz", cwd=folder)
    assert (done.returncode, "is the model itself" in done.stderr) == (2, True)
    assert [(folder / name).read_bytes() for name in ("kept.json", "kept.npz")] == before


def test_a_tree_alone_asks_for_its_model(folder: Path) -> None:
    assert run("export", "a run.json", "-o", "tree.json", cwd=folder).returncode == 0
    done = run("export", "tree.json", "--to", "storm", cwd=folder)
    assert done.returncode == 2
    assert "tree.json holds a tree alone; name its model: spotree export --to storm tree.json MODEL" in done.stderr
    assert run("export", "tree.json", "frozenlake_4x4", "--to", "storm", cwd=folder).returncode == 0


def test_a_model_that_is_named_is_taken(folder: Path) -> None:
    document = json.loads((folder / "a run.json").read_text()) | {"model": "mine"}
    (folder / "named.json").write_text(json.dumps(document))
    assert run("report", "named.json", "frozenlake_4x4", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.json",), "none.json: there is no such file"),
        (("a run.json", "frozenlake_8x8"), "give the model that was solved"),
        (("a run.json", "-o", "none/x.html"), "--out none/x.html"),
        (("a run.json", "-o", "a run.json"), "is the run itself"),
    ],
)
def test_what_cannot_be_reported_is_said_in_one_line(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    before = (folder / "a run.json").read_bytes()
    done = run("report", *arguments, cwd=folder)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert (folder / "a run.json").read_bytes() == before
