"""The answers of `solve`, `smallest` and `frontier` are asked by the same names, and files give them back."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import spotree
from spotree.cli.app import app
from spotree.errors import InvalidProblemError, ReadError
from spotree.results.frontier import Frontier
from spotree.results.smallest import Smallest

MDP = spotree.load("frozenlake_4x4")


@pytest.fixture(scope="module")
def small() -> Smallest:
    return spotree.smallest(MDP, within=0.2, max_rounds=1, time_limit=20, threads=1)


@pytest.fixture(scope="module")
def trees() -> Frontier:
    return spotree.frontier(MDP, 5, max_rounds=1, time_limit=20, threads=1)


def test_smallest_answers_what_a_solution_answers(small: Smallest) -> None:
    for name in ("policy", "value", "bound", "optimum", "seconds"):
        assert getattr(small, name) is getattr(small.solution, name)
    assert small.value <= small.bound <= small.optimum + 1e-9


def test_a_saved_answer_comes_back_whole(small: Smallest, tmp_path: Path) -> None:
    small.save(tmp_path / "small.json")
    again = Smallest.load(tmp_path / "small.json")
    assert again.document() == small.document()
    assert again.solution.as_dict() == small.solution.as_dict()
    assert (again.words, again.asked, again.proved) == (small.words, small.asked, small.proved)


def test_a_saved_answer_is_still_a_solution(small: Smallest, tmp_path: Path) -> None:
    small.save(tmp_path / "small.json")
    assert spotree.Solution.load(tmp_path / "small.json").as_dict() == small.solution.as_dict()


def test_a_run_of_the_command_is_a_saved_answer(tmp_path: Path) -> None:
    out = tmp_path / "small.json"
    words = ["smallest", "frozenlake_4x4", "--within", "0.2", "--time", "1", "--out", str(out)]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    found = Smallest.load(out)
    assert (found.tolerance, found.of, found.reached) == (0.2, "optimum", True)
    assert found.solution.notes["command"].startswith("spotree")


def test_a_plain_solution_is_no_answer_about_size(small: Smallest, tmp_path: Path) -> None:
    small.solution.save(tmp_path / "run.json")
    with pytest.raises(ReadError, match=r"run\.json: a solution without a target; Solution\.load reads it"):
        Smallest.load(tmp_path / "run.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"target": None}, "smallest/target is None"),
        ({"tolerance": -1}, "smallest/tolerance is -1"),
        ({"of": "all"}, "smallest/of is 'all'"),
        ({"reached": 1}, "smallest/reached is 1"),
        ({"least_leaves": 0}, "smallest/least_leaves is 0"),
        ({"status": "DONE"}, "smallest/status is 'DONE'"),
    ],
)
def test_a_damaged_answer_is_refused_by_name(
    small: Smallest, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    path = tmp_path / "small.json"
    small.save(path)
    claim = json.loads(path.read_text())
    path.write_text(json.dumps(claim | {"smallest": claim["smallest"] | change}))
    with pytest.raises(ReadError, match=words):
        Smallest.load(path)
    path.write_text(json.dumps(claim | {"smallest": [change]}))
    with pytest.raises(ReadError, match="smallest is a list of 1; it must be an object"):
        Smallest.load(path)


def test_within_is_tolerance_by_the_name_of_the_command_line(small: Smallest) -> None:
    again = spotree.smallest(MDP, 0.2, max_rounds=1, time_limit=20, threads=1)
    assert (again.tolerance, again.target) == (small.tolerance, small.target) == (0.2, small.target)
    assert spotree.smallest(MDP, tolerance=0.2, max_rounds=0, time_limit=20, threads=1).tolerance == 0.2
    given = spotree.simplify(MDP, small.policy, within=0.1, max_rounds=1, time_limit=20, threads=1)
    assert given.tolerance == 0.1


@pytest.mark.parametrize("within", [-0.1, float("nan"), float("inf"), "0.1", True])
def test_a_within_that_is_no_share_is_refused(within: object) -> None:
    with pytest.raises(InvalidProblemError, match=r"within is .*; it must be a finite number, 0 or more"):
        spotree.smallest(MDP, within=within)  # type: ignore[arg-type]
    with pytest.raises(InvalidProblemError, match=r"tolerance is 0\.1 and within is 0\.2: give one of them"):
        spotree.smallest(MDP, 0.1, within=0.2)


def test_a_frontier_is_counted_walked_through_and_asked_by_leaves(trees: Frontier) -> None:
    assert len(trees) == len(trees.points)
    assert list(trees) == list(trees.points)
    assert list(reversed(trees)) == list(trees.points)[::-1]
    for leaves in range(1, 9):
        assert trees[leaves] is trees.at(leaves)
        assert trees[leaves].policy.num_leaves <= leaves
    for wrong in (0, -1, 1.5, "2", slice(1, 2)):
        with pytest.raises(InvalidProblemError, match="leaves is"):
            trees[wrong]  # type: ignore[index]


def test_a_saved_frontier_comes_back_whole(trees: Frontier, tmp_path: Path) -> None:
    trees.save(tmp_path / "trees.json")
    again = Frontier.load(tmp_path / "trees.json")
    assert again.document() == trees.document()
    assert [point.as_dict() for point in again] == [point.as_dict() for point in trees]
    with pytest.raises(ReadError, match="not a solution file"):
        spotree.Solution.load(tmp_path / "trees.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"points": []}, "points is a list of 0; it must be a list of 1 or more"),
        ({"points": [3]}, r"points\[0\] is 3; it must be an object"),
        ({"points": [{}]}, r"points\[0\]: 'value' is missing"),
        ({"max_leaves": 0}, "max_leaves is 0"),
        ({"status": "?"}, r"status is '\?'"),
        ({"version": 2}, "version 2; this spotree reads version 1"),
        ({"format": "spotree-solution"}, "not a frontier file"),
    ],
)
def test_a_damaged_frontier_is_refused_by_name(
    trees: Frontier, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    path = tmp_path / "trees.json"
    path.write_text(json.dumps(trees.document() | change))
    with pytest.raises(ReadError, match=words):
        Frontier.load(path)


def test_points_out_of_order_are_refused(trees: Frontier, tmp_path: Path) -> None:
    path = tmp_path / "trees.json"
    path.write_text(json.dumps(trees.document() | {"points": trees.document()["points"][::-1]}))
    with pytest.raises(ReadError, match="leaves; each must have more"):
        Frontier.load(path)
