"""A sweep runs every cell once, whatever happens, and its table says what came out."""

import csv
import io
import json
import os
import signal
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import spotree
from spotree import Solution, load, sweep
from spotree.errors import InvalidProblemError, ReadError, SpotreeError
from spotree.sweeps.cell import Cell
from spotree.sweeps.store import Folder
from spotree.sweeps.sweep import SweepProgress
from spotree.sweeps.table import COLUMNS, as_csv, as_markdown, contradiction, rows

QUICK: dict[str, Any] = {"time_limit": 20, "threads": 1, "max_rounds": 1, "round_work": 1_000_000}


def keys(folder: Path) -> list[tuple[str, str, str]]:
    with open(folder / "table.csv", newline="") as stream:
        return [(row["model"], row["depth"], row["seed"]) for row in csv.DictReader(stream)]


def expected(models: list[str], depths: range, seeds: range) -> list[tuple[str, str, str]]:
    return [(model, str(depth), str(seed)) for model in models for depth in depths for seed in seeds]


class Stops:
    """Ctrl-C at the n-th look."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, moment: SweepProgress) -> None:
        self.left -= moment.line is None  # a cell begins
        if self.left < 0:
            signal.raise_signal(signal.SIGINT)


def test_every_cell_is_there_once_in_order(tmp_path: Path) -> None:
    done = sweep(["xor", "frozenlake_4x4"], [1, 2], 2, out=tmp_path / "out", **QUICK)
    assert [(c.model, str(c.depth), str(c.seed)) for c in done.cells] == keys(tmp_path / "out")
    assert keys(tmp_path / "out") == expected(["xor", "frozenlake_4x4"], range(1, 3), range(2))
    assert not done.missing
    assert sorted(os.listdir(tmp_path / "out")) == ["runs", "sweep.ckpt", "table.csv", "table.md"]
    runs = sorted((tmp_path / "out" / "runs").iterdir())
    assert len(runs) == 8
    assert runs[0].name == "001-xor-d1-s0.json"
    for cell, path in zip(done.cells, runs, strict=True):
        saved = Solution.load(path)
        assert (saved.value, saved.bound, saved.seed) == (cell.value, cell.bound, cell.seed)


@pytest.mark.parametrize("cluster", [None, "threads:2"])
def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path: Path, cluster: str | None) -> None:
    out = tmp_path / "out"
    asked: dict[str, Any] = {"out": out, "cluster": cluster, **QUICK}
    first = sweep(["xor", "frozenlake_4x4"], [1, 2], 2, **asked, progress=Stops(3))
    assert first.interrupted
    assert 0 < len(first.cells) < 8
    assert keys(out) == [(c.model, str(c.depth), str(c.seed)) for c in first.cells]
    second = sweep(resume=out, progress=Stops(2), cluster=cluster, threads=1)
    assert len(first.cells) <= len(second.cells) < 8
    third = sweep(resume=out, cluster=cluster, threads=1)
    assert not third.interrupted
    assert set(first.cells) <= set(second.cells) <= set(third.cells)  # done cells were not run again
    assert keys(out) == expected(["xor", "frozenlake_4x4"], range(1, 3), range(2))
    assert len(os.listdir(out / "runs")) == 8
    assert sweep(resume=out).cells == third.cells  # nothing is left to do


def test_a_cell_that_fails_is_recorded_and_the_others_run(tmp_path: Path) -> None:
    (tmp_path / "broken.npz").write_bytes(b"no model")
    models = ["xor", str(tmp_path / "broken.npz"), "frozenlake_4x4"]
    done = sweep(models, [1], 1, out=tmp_path / "out", **QUICK)
    assert [cell.failed for cell in done.cells] == [False, True, False]
    assert done.cells[1].error.startswith("ReadError: ")
    assert not done.missing
    spotree.write_npz(load("xor"), tmp_path / "broken.npz")
    assert sweep(resume=tmp_path / "out").failed == done.failed
    assert not sweep(resume=tmp_path / "out", retry=True).failed


def test_a_first_model_that_cannot_be_read_ends_it_with_nothing_written(tmp_path: Path) -> None:
    (tmp_path / "broken.npz").write_bytes(b"no model")
    with pytest.raises(ReadError, match="broken"):
        sweep([tmp_path / "broken.npz"], [1], 1, out=tmp_path / "out", **QUICK)
    assert os.listdir(tmp_path / "out") == []


def test_models_may_be_handed_over(tmp_path: Path) -> None:
    mdp = load("xor")
    done = sweep([mdp], [1], 1, out=tmp_path / "out", **QUICK)
    assert done.cells[0].model == "xor"
    assert done.cells[0].value == pytest.approx(spotree.solve(mdp, 1, **QUICK).value)


def test_leaves_alone_make_one_size(tmp_path: Path) -> None:
    done = sweep(["xor"], max_leaves=3, **QUICK)
    assert [cell.depth for cell in done.cells] == [None]
    assert done.cells[0].leaves is not None
    assert done.cells[0].leaves <= 3
    assert "| xor |  | 0 |" in done.markdown()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    sweep(["xor"], [1], 1, out=out, **QUICK)
    with pytest.raises(SpotreeError, match="holds a sweep already; resume it"):
        sweep(["xor"], [1], 1, out=out, **QUICK)
    (tmp_path / "letter.txt").write_text("dear reader")
    with pytest.raises(SpotreeError, match="is not empty"):
        sweep(["xor"], [1], 1, out=tmp_path, **QUICK)
    with pytest.raises(SpotreeError, match="it is a file; a sweep needs a folder"):
        sweep(["xor"], [1], 1, out=tmp_path / "letter.txt", **QUICK)
    with pytest.raises(SpotreeError, match="cannot be written"):
        sweep(["xor"], [1], 1, out=tmp_path / "none" / "out", **QUICK)
    with pytest.raises(ReadError, match="holds no sweep"):
        sweep(resume=tmp_path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"models": []}, "at least one model"),
        ({"depths": []}, "at least one depth"),
        ({"depths": [1, 1]}, "depth 1 is there twice"),
        ({"depths": [-1]}, "depth is -1"),
        ({"seeds": 0}, "seeds is 0"),
        ({"seeds": [1.5]}, "seed is 1.5"),
        ({"models": ["xor", "xor"]}, "model 'xor' is there twice"),
        ({"models": ["xro"]}, "did you mean xor"),
        ({"models": [3]}, "of type int"),
        ({"method": "magic"}, "method 'magic' is unknown"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"max_leaves": 0}, "max_leaves is 0"),
        ({"engine": "exact"}, "has no setting 'engine'"),
        ({"reading": {"goal": "x"}}, "takes discount, missing, missing_reward alone"),
        ({"depths": range(2000), "seeds": 2000}, "4,000,000 cells"),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    asked: dict[str, Any] = {"models": ["xor"], "depths": [1], "seeds": 1} | given
    with pytest.raises(SpotreeError, match=said):
        sweep(**asked, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "given", [{"models": ["frozenlake_4x4"]}, {"depths": [2]}, {"seeds": 3}, {"time_limit": 7}, {"method": "spot"}]
)
def test_a_resumed_sweep_is_the_same_sweep(tmp_path: Path, given: dict[str, Any]) -> None:
    sweep(["xor"], [1], 1, out=tmp_path / "out", **QUICK)
    with pytest.raises(InvalidProblemError, match=f"a sweep with {next(iter(given))}"):
        sweep(**given, resume=tmp_path / "out")


def test_a_model_that_changed_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    spotree.write_npz(load("xor"), path)
    sweep([path], [1, 2], 1, out=tmp_path / "out", progress=Stops(1), **QUICK)
    spotree.write_npz(load("xor", discount=0.5), path)
    with pytest.raises(ReadError, match="another model than when the sweep began"):
        sweep(resume=tmp_path / "out")


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state["cells"].append(state["cells"][0]),
        lambda state: state["cells"][0].update(model="other"),
        lambda state: state["cells"][0].update(value="high"),
        lambda state: state["cells"][0].pop("gap"),
        lambda state: state.update(cells=3),
    ],
)
def test_a_damaged_record_is_refused(tmp_path: Path, change: Any) -> None:
    out = tmp_path / "out"
    sweep(["xor"], [1], 1, out=out, **QUICK)
    with zipfile.ZipFile(out / "sweep.ckpt") as archive:
        header = json.loads(archive.read("header.json"))
    change(header["state"])
    with zipfile.ZipFile(out / "sweep.ckpt", "w") as archive:
        archive.writestr("header.json", json.dumps(header))
    with pytest.raises(ReadError, match="damaged"):
        sweep(resume=out)


def test_a_sweep_that_cannot_be_written_goes_on_and_says_so(tmp_path: Path) -> None:
    out, told = tmp_path / "out", list[str]()

    def pull_away(_: SweepProgress) -> None:
        if out.exists():
            out.rename(tmp_path / "away")

    done = sweep(["xor"], [1, 2], 1, out=out, **QUICK, progress=pull_away, tell=told.append)
    assert len(done.cells) == 2
    assert done.unwritten
    assert len(told) == 1


def test_a_cell_whose_solution_could_not_be_written_is_run_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "sweep.ckpt.lock").touch()  # of a sweep that was killed before it began

    def bar(moment: SweepProgress) -> None:
        if moment.done == 1 and moment.line is None:
            (out / "runs" / "001-xor-d2-s0.json").mkdir()

    done = sweep(["xor"], [1, 2, 3], 1, out=out, **QUICK, progress=bar, tell=lambda _: None)
    assert len(done.cells) == 3
    assert len(done.unwritten) == 1
    (out / "runs" / "001-xor-d2-s0.json").rmdir()
    ran: list[int | None] = []
    again = sweep(resume=out, progress=lambda moment: ran.append(moment.cell.depth))
    assert set(ran) == {2}
    assert [cell.depth for cell in again.cells] == [1, 2, 3]
    assert Solution.load(out / "runs" / "001-xor-d2-s0.json").value == again.cells[1].value


def test_two_at_a_time_on_one_folder_are_refused(tmp_path: Path) -> None:
    sweep(["xor"], [1], 1, out=tmp_path / "out", **QUICK)
    first = Folder(tmp_path / "out")
    first.resume()
    with pytest.raises(SpotreeError, match="another process is writing it"):
        sweep(resume=tmp_path / "out")
    first.close()
    assert len(sweep(resume=tmp_path / "out").cells) == 1


HOSTILE = "=1+1|`x`\n| forged | <script>"
CELLS = [
    Cell(HOSTILE, 1, seed, value, 5.0, 0.1, 6.0, 2, False, 1.0, "TIME_LIMIT")
    for seed, value in enumerate([1, 4, 3])
]


def test_beside_each_cell_stand_median_worst_and_best() -> None:
    values = {
        (row[COLUMNS.index("median")], row[COLUMNS.index("worst")], row[COLUMNS.index("best")])
        for row in rows(CELLS)
    }
    assert values == {("3", "1", "4")}
    costs = [replace(cell, sense="min", value=-float(cell.value or 0)) for cell in CELLS]
    row = rows(costs)[0]
    assert [row[COLUMNS.index(name)] for name in ("value", "median", "worst", "best")] == ["1", "3", "4", "1"]


def test_names_forge_no_cell_and_no_formula() -> None:
    table = list(csv.reader(io.StringIO(as_csv(CELLS))))
    assert len(table) == 4
    assert {len(row) for row in table} == {len(COLUMNS) + 1}
    assert table[1][0].startswith("'=1+1")
    page = as_markdown(CELLS)
    lines = [line for line in page.splitlines() if line.startswith("|")]
    assert len(lines) == 5
    for line in lines:
        assert len([sign for place, sign in enumerate(line) if sign == "|" and line[place - 1] != "\\"]) == 14
    assert "<script>" not in page.replace("\\<", "")


def test_a_bound_below_another_runs_tree_is_not_passed_over() -> None:
    assert contradiction(CELLS) == ""
    assert "below another's tree" in contradiction([*CELLS, replace(CELLS[0], seed=9, bound=2.0)])
    assert "below another's tree" in as_markdown([*CELLS, replace(CELLS[0], seed=9, bound=2.0)])


def test_failed_cells_stand_in_the_table_with_their_error() -> None:
    failed = Cell("xor", 1, 0, status="failed", error="ReadError: a | b")
    assert "ReadError: a \\| b" in as_markdown([failed])
    assert rows([failed])[0][3:8] == ["", "", "", "", ""]


@pytest.mark.parametrize("damage", ["missing", "cut", "of another run"])
def test_a_cell_whose_run_file_is_damaged_is_named_and_run_again(tmp_path: Path, damage: str) -> None:
    out, told, ran = tmp_path / "out", [], []
    first = sweep(["xor"], [0, 1], time_limit=1, threads=1, out=out)
    shallow, deep = sorted((out / "runs").iterdir())
    whole = deep.read_bytes()
    match damage:
        case "missing":
            deep.unlink()
        case "cut":
            deep.write_bytes(whole[: len(whole) // 2])
        case _:
            deep.write_bytes(shallow.read_bytes())
    again = sweep(resume=out, tell=told.append, progress=lambda moment: ran.append(moment.cell.depth))
    assert len(told) == 1
    assert deep.name in told[0]
    assert told[0].endswith("; the cell is run again")
    assert set(ran) == {1}
    assert Solution.load(deep).value == again.cells[1].value == first.cells[1].value
    assert sweep(resume=out, tell=told.append).cells == again.cells
    assert len(told) == 1
