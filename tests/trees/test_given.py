"""A policy takes states as people have them: rows, tables with names, one state by the names of its features."""

from typing import Any

import numpy as np
import pytest

from spotree import TreePolicy
from spotree.errors import InvalidProblemError
from spotree.trees.inputs import NumberedStates
from spotree.trees.tree import leaf, make_tree

POLICY = TreePolicy(
    make_tree([0, -1, 1, -1, -1], [2.5, 0, 1.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 0, -1, 1, 0]),
    ("x", "y"),
    ("go", "stop"),
)


class RunContext:
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
    assert POLICY.predict(RunContext(y=[1, 1, 2], x=[1, 3, 3])).tolist() == [0, 1, 0]


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


@pytest.mark.parametrize(
    "observation", [2, np.int32(2), np.array(2), (5, 7), [5.0, 7.0], np.array([5, 7]), {"y": 7, "x": 5}]
)
def test_act_takes_the_number_of_a_state_or_its_features(observation: Any) -> None:
    tree = make_tree([1, -1, -1], [6.0, 0.0, 0.0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])  # y < 6: go, else stay
    states = NumberedStates(np.array([0, 2]), np.array([[1.0, 2.0], [5.0, 7.0]]))
    policy = TreePolicy(tree, ("x", "y"), ("go", "stay"), states)
    assert policy.act(observation) == 1
    assert type(policy.act(observation)) is int


@pytest.mark.parametrize("observation", [True, 2.0, "2", None, 10**30, -1, [1], np.nan, object(), {}])
def test_act_refuses_what_is_neither_a_number_of_a_state_nor_its_features(observation: Any) -> None:
    states = NumberedStates(np.array([0, 2]), np.array([[1.0, 2.0], [5.0, 7.0]]))
    with pytest.raises(InvalidProblemError):
        TreePolicy(leaf(0), ("x", "y"), ("go", "stay"), states).act(observation)


def test_act_takes_the_number_itself_where_it_is_the_only_feature() -> None:
    assert TreePolicy(leaf(0), ("state",), ("go",)).act(3) == 0
    with pytest.raises(InvalidProblemError, match="does not know the features of state 3"):
        TreePolicy(leaf(0), ("x",), ("go",)).act(3)
