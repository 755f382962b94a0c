"""The columns of a data frame name the features; no package for data frames is needed for that."""

from typing import Any

import numpy as np
import pytest

import spotree
from spotree.errors import InvalidModelError, InvalidProblemError
from spotree.mdp import ChoiceRows

MOVES = np.stack([np.eye(2), np.eye(2)])
GAIN = np.array([[1.0, 0.0], [0.0, 1.0]])


class RunContext:
    """As much of a data frame as is asked for."""

    def __init__(self, **columns: Any) -> None:
        self.held = {name: np.asarray(values) for name, values in columns.items()}
        self.columns = list(self.held)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.held[name]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array([list(row) for row in zip(*self.held.values(), strict=True)], dtype=object)


def frame(maker: str, **columns: Any) -> Any:
    return RunContext(**columns) if maker == "duck" else pytest.importorskip("pandas").DataFrame(columns)


@pytest.mark.parametrize("maker", ["duck", "pandas"])
def test_columns_become_feature_names(maker: str) -> None:
    table = frame(maker, load=[0, 1], hot=[True, False], speed=[0.5, 2.5])
    mdp = spotree.build_mdp(MOVES, GAIN, 0.5, features=table)
    assert mdp.feature_names == ("load", "hot", "speed")
    assert mdp.features.tolist() == [[0, 1, 0.5], [1, 0, 2.5]]
    assert spotree.solve(mdp, 1, time_limit=5).policy.predict(table).tolist() == [0, 1]
    given = spotree.build_mdp(MOVES, GAIN, 0.5, features=table, feature_names=["a", "b", "c"])
    assert given.feature_names == ("a", "b", "c")


@pytest.mark.parametrize("maker", ["duck", "pandas"])
def test_columns_name_the_tree_of_a_step(maker: str) -> None:
    step = spotree.improve(frame(maker, load=[0, 1]), frame(maker, rest=[1.0, 0.0], work=[0.0, 1.0]), depth=1)
    assert (step.feature_names, step.action_names) == (("load",), ("rest", "work"))
    assert str(step.policy).splitlines()[0] == "load < 0.5?"
    assert step.policy({"load": 1}) == "work"
    plain = spotree.improve(np.array([[0.0], [1.0]]), GAIN, depth=1)
    assert (plain.feature_names, plain.action_names) == (("feature_0",), ("action_0", "action_1"))


def test_choice_rows_take_their_number_of_states_from_a_data_frame() -> None:
    rows = ChoiceRows([0, 1], [0, 0], [0, 1, 2], [0, 1], [1.0, 1.0])
    assert spotree.build_mdp(rows, 0.0, 0.5, features=frame("duck", x=[3, 4])).feature_names == ("x",)


def test_columns_that_are_only_numbered_have_no_names() -> None:
    pandas = pytest.importorskip("pandas")
    mdp = spotree.build_mdp(MOVES, GAIN, 0.5, features=pandas.DataFrame([[0, 1], [1, 0]]))
    assert mdp.feature_names == ("feature_0", "feature_1")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"kind": ["a", "b"]}, "column 'kind' holds <U1, not real numbers"),
        ({"x": [0, 2**53 + 1], "y": [0.5, 1.0]}, "column 'x', row 1: 9007199254740993 is a number that float64"),
        ({"": [0, 1]}, "feature name '' is no text"),
        ({"x": [0.0, np.nan]}, "state 1, feature 'x': value is nan"),
        ({"x": [0.0, 1.0, 2.0]}, r"features has shape \(3, 1\)"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused_by_the_name_of_its_column(
    columns: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidModelError, match=words):
        spotree.build_mdp(MOVES, GAIN, 0.5, features=frame("duck", **columns))


def test_names_that_are_mixed_or_repeated_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    values = np.zeros((2, 2))
    with pytest.raises(InvalidModelError, match="column 1 is named 7, others by texts"):
        spotree.build_mdp(MOVES, GAIN, 0.5, features=pandas.DataFrame(values, columns=["x", 7]))
    with pytest.raises(InvalidProblemError, match="column name 'x' occurs more than once"):
        spotree.improve(pandas.DataFrame(values, columns=["x", "x"]), GAIN)
    lacking = pandas.DataFrame({"x": pandas.array([1, None], dtype="Int64")})
    with pytest.raises(
        InvalidModelError, match=r"column 'x' holds object, not real numbers|feature 'x': value is nan"
    ):
        spotree.build_mdp(MOVES, GAIN, 0.5, features=lacking)
