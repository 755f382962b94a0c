"""A policy takes states as people have them: rows, tables with names, one state by the names of its features."""

from typing import Any

import numpy as np
import pytest

from spotree import TreePolicy
from spotree.errors import InvalidProblemError
from spotree.tree.tree import make_tree

POLICY = TreePolicy(
    make_tree([0, -1, 1, -1, -1], [2.5, 0, 1.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 0, -1, 1, 0]),
    ("x", "y"),
    ("go", "stop"),
)


class Frame:
    """As much of a data frame as `predict` needs."""

    def __init__(self, **columns: list[float]) -> None:
        self.held, self.columns = columns, list(columns)

    def __getitem__(self, name: str) -> list[float]:
        return self.held[name]


def test_predict_gives_an_array_for_a_table_and_one_number_for_a_row() -> None:
    assert POLICY.predict([[1, 1], [3, 1], [3, 2]]).tolist() == [0, 1, 0]
    one = POLICY.predict(np.array([3.0, 1.0]))
    assert one == 1
    assert isinstance(one, np.integer)
    assert POLICY.predict(np.zeros((0, 2))).tolist() == []


def test_predict_takes_named_columns_in_any_order() -> None:
    assert POLICY.predict(Frame(y=[1, 1, 2], x=[1, 3, 3])).tolist() == [0, 1, 0]


def test_predict_takes_a_pandas_frame() -> None:
    pandas = pytest.importorskip("pandas")
    assert POLICY.predict(pandas.DataFrame({"y": [1, 1], "x": [1, 3]})).tolist() == [0, 1]


def test_a_policy_names_the_action_of_one_state() -> None:
    assert POLICY({"y": 1, "x": 3}) == "stop"
    assert POLICY([3, 2]) == "go"


def test_an_explanation_is_the_way_of_the_state_through_the_tree() -> None:
    way = POLICY.explain({"x": 3, "y": 1})
    assert [(step.question, step.value, step.answer) for step in way.steps] == [
        ("x < 2.5", 3.0, False),
        ("y < 1.5", 1.0, True),
    ]
    assert (way.action, way.action_number, way.leaf) == ("stop", 1, 3)
    assert str(way) == "x < 2.5?  no: x is 3\ny < 1.5?  yes: y is 1\nso: stop"
    for x in range(5):
        for y in range(4):
            assert POLICY.explain([x, y]).action_number == POLICY.predict([x, y])


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"x": 1}, "feature 'y' is missing; given: x"),
        ({"x": 1, "y": 2, "z": 3}, "'z' is no feature of the policy, which has x, y"),
        ([1], "shape (1,); a row has 2 numbers: x, y"),
        ([1, 2, 3], "shape (3,)"),
        ([1, float("nan")], "feature 'y': value is nan"),
        ({"x": "far", "y": 1}, "feature 'x': 'far' is of type"),
        ({"x": [1, 2], "y": [1]}, "feature 'y' has shape (1,)"),
        ([[1, 2], [3, 4]], "2 rows were given"),
        ("abc", "a tree compares numbers"),
        ([1, [2]], "no array of numbers"),
    ],
)
def test_a_state_that_does_not_fit_is_refused_in_one_line(state: Any, words: str) -> None:
    with pytest.raises(InvalidProblemError) as caught:
        POLICY(state)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(InvalidProblemError):
        POLICY.explain(state)


def test_predict_names_the_row_and_feature_that_is_nan() -> None:
    with pytest.raises(InvalidProblemError, match="row 1, feature 'y': value is nan"):
        POLICY.predict([[1, 1], [3, float("nan")]])
