"""A solution survives being written and read, and bad files are named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from spotree.errors import ReadError
from spotree.improvement.result import Status, StepResult
from spotree.results.progress import Progress
from spotree.results.solution import Solution, SolveStatus
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import make_tree


def example() -> Solution:
    tree = make_tree([1, -1, -1], [0.1, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])
    return Solution(
        policy=TreePolicy(tree, ("x", "y"), ("go", "wait")),
        value=0.1 + 0.2,
        bound=2.0,
        optimum=4.0,
        random_value=-1.0,
        depth=1,
        status=SolveStatus.TIME_LIMIT,
        method="spot",
        seconds=1.5,
        history=(Progress(0.5, 1, 0.25, 4.0, 0.25), Progress(1.5, 2, 0.3, 2.0)),
    )


def test_a_saved_solution_reloads_to_the_same_numbers(tmp_path: Path) -> None:
    before = example()
    before.save(tmp_path / "run.json")
    after = Solution.load(tmp_path / "run.json")
    assert after.as_dict() == before.as_dict()
    assert str(after.policy) == str(before.policy)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("proved", [True, False])
def test_gap_and_optimal_mean_the_same_for_a_step_and_for_a_solution(proved: bool) -> None:
    status = SolveStatus.OPTIMAL if proved else SolveStatus.TIME_LIMIT
    solution = replace(example(), status=status)
    step = StepResult(
        solution.policy.tree, solution.value, solution.bound, Status[status.name], seconds=1.0, engine="exact"
    )
    assert step.gap == solution.gap == (0.0 if proved else pytest.approx(1.7 / 2.0))
    assert step.optimal == step.proved_optimal == solution.optimal == solution.proved_optimal == proved


def test_normalised_returns() -> None:
    solution = example()
    assert solution.of_optimum == pytest.approx(0.3 / 4.0)
    assert solution.over_random == pytest.approx(1.3 / 5.0)
    assert solution.gap == pytest.approx(1.7 / 2.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not a solution file"),
        ("[1]", "not a solution file"),
        ('{"format": "other"}', "not a solution file"),
        ('{"format": "spotree-solution", "version": 99}', "version 99"),
        ('{"format": "spotree-solution", "version": 1}', "missing"),
    ],
)
def test_a_file_that_is_no_solution_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(ReadError, match=words):
        Solution.load(path)


def test_a_missing_file_and_a_broken_tree_are_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no such file"):
        Solution.load(tmp_path / "none.json")
    document = {"format": "spotree-solution", "version": 1} | example().as_dict()
    document["tree"]["feature"] = [0]
    (tmp_path / "run.json").write_text(json.dumps(document))
    with pytest.raises(ReadError, match=r"run\.json"):
        Solution.load(tmp_path / "run.json")
