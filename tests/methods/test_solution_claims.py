"""A solution file is held to what a solution can be; the entry that is wrong is named with its value."""

import json
from pathlib import Path
from typing import Any

import pytest

from spotree.errors import ReadError
from spotree.results.progress import Progress
from spotree.results.solution import LARGEST_FILE, Solution, SolveStatus
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import make_tree

NAN, INF = float("nan"), float("inf")


def document() -> dict[str, Any]:
    tree = make_tree([1, -1, -1], [0.1, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])
    numbers = {"value": 0.25, "bound": 2.0, "optimum": 4.0, "random_value": -INF, "depth": 1, "seconds": 1.5}
    solution = Solution(
        TreePolicy(tree, ("x", "y"), ("go", "wait")),
        **numbers,  # type: ignore[arg-type]
        status=SolveStatus.FINISHED,
        method="spot",
        history=(Progress(0.5, 1, -INF, 4.0), Progress(1.5, 2, 0.25, 2.0, 0.25)),
    )
    return {"format": "spotree-solution", "version": 1} | solution.as_dict()


def load(tmp_path: Path, text: str) -> Solution:
    (tmp_path / "run.json").write_text(text)
    return Solution.load(tmp_path / "run.json")


# fmt: off
WRONG: list[tuple[str, Any, str]] = [
    ("value", "high", "value is 'high'; it must be a finite number"),
    ("value", NAN, "value is nan; it must be a finite number"),
    ("bound", INF, "bound is inf; it must be a finite number"),
    ("bound", 10**400, "bound is a whole number beyond 64 bits; it must be a finite number"),
    ("optimum", None, "optimum is None; it must be a finite number"),
    ("random_value", NAN, "random_value is nan; it must be a number"),
    ("value", True, "value is True; it must be a finite number"),
    ("depth", -1, "depth is -1; it must be a whole number from 0"),
    ("depth", 1.0, "depth is 1.0; it must be a whole number"),
    ("depth", 0, "depth is 0, but the tree has depth 1"),
    ("max_leaves", 1, "max_leaves is 1, but the tree has 2 leaves"),
    ("max_leaves", 0, "max_leaves is 0; it must be a whole number, 1 or more"),
    ("status", "PERFECT", "status is 'PERFECT'; it must be one of 'OPTIMAL', 'TRUSTED', 'TIME_LIMIT'"),
    ("method", 3, "method is 3; it must be a text"),
    ("model", ["m"], "model is a list of 1; it must be a text"),
    ("missing", {}, "missing is an object of 0; it must be a text"),
    ("discount", 1.5, "discount is 1.5; it must be a finite number from 0 to 1"),
    ("seconds", -1, "seconds is -1; it must be a finite number from 0"),
    ("seed", "x", "seed is 'x'; it must be a whole number, 0 or more"),
    ("feature_names", "xy", "feature_names is 'xy'; it must be a list"),
    ("feature_names", ["x", 2], "feature_names[1] is 2; it must be a text"),
    ("feature_names", ["x"], "node 0 of the tree has feature 1, but there are 1 feature_names"),
    ("action_names", ["go"], "node 2 of the tree has action 1, but there are 1 action_names"),
    ("action_names", ["go", "\ud800"], "action_names[1] is '\\ud800'; it must be a text that UTF-8 can spell"),
    ("tree", [1], "tree is a list of 1; it must be an object"),
    ("tree/feature", [0.5, -1, -1], "tree/feature[0] is 0.5; it must be a whole number"),
    ("tree/feature", [2**40, -1, -1], "tree/feature[0] is 1099511627776; it must be a whole number from -1"),
    ("tree/threshold", [NAN, 0, 0], "tree/threshold[0] is nan; it must be a finite number"),
    ("tree/left", [1, -1], "tree/left has 2 nodes, tree/feature 3"),
    ("tree/left", [2, -1, -1], "every other node as the child of one parent"),
    ("tree/right", [2, 2, -1], "tree: node 1 has feature -1 and the children -1 and 2"),
    ("history", None, "history is None; it must be a list"),
    ("history", [3], "history[0] is 3; it must be an object"),
    ("history", [{}], "'seconds' is missing in history[0]"),
    ("history/0/round", 1.5, "history[0]/round is 1.5; it must be a whole number"),
    ("history/1/value", NAN, "history[1]/value is nan; it must be a number"),
]
# fmt: on


@pytest.mark.parametrize(
    ("place", "value", "words"), WRONG, ids=[f"{place}={value!r:.20}" for place, value, _ in WRONG]
)
def test_a_wrong_entry_is_named_with_its_value(tmp_path: Path, place: str, value: Any, words: str) -> None:
    whole = document()
    *way, last = place.split("/")
    entry: Any = whole
    for key in way:
        entry = entry[int(key) if isinstance(entry, list) else key]
    entry[last] = value
    with pytest.raises(ReadError) as caught:
        load(tmp_path, json.dumps(whole))
    assert words in str(caught.value)
    assert f"{tmp_path / 'run.json'}: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_sound_twin_is_read_whatever_stands_beside_its_entries(tmp_path: Path) -> None:
    assert load(tmp_path, json.dumps(document() | {"later": [1]})).as_dict() == {
        key: value for key, value in document().items() if key not in ("format", "version")
    }


LATER = ("error", "sense", "steps", "lacking", "notes", "frontier", "source", "trusted")  # which older files lack


@pytest.mark.parametrize("entry", [key for key in document() if key not in ("format", "version", *LATER)])
def test_no_entry_may_be_missing(tmp_path: Path, entry: str) -> None:
    with pytest.raises(ReadError, match=f"'{entry}' is missing"):
        load(tmp_path, json.dumps({key: value for key, value in document().items() if key != entry}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "lists or objects too deep inside each other"),
        ('{"a": ' * 100_000, "lists or objects too deep inside each other"),
        ('{"value": 1, "value": 2}', "the key 'value' stands twice in one object"),
        ("9" * 5000, "not a solution file (not JSON: "),
        (" " * (LARGEST_FILE + 1), "has 67,108,865 bytes; such a file has up to 67,108,864"),
    ],
    ids=["deep list", "deep object", "twice", "long number", "large"],
)
def test_json_that_no_run_wrote_is_refused_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        load(tmp_path, text)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(tmp_path))
