"""An expression for the goal is read or refused in one line, whatever stands in it."""

import numpy as np
import pytest

from spotree.errors import ReadError
from spotree.readers.expression import states_where

LABELS = {"end": np.array([True, False])}
VARIABLES = {"x": np.array([0.0, 1.0])}


@pytest.mark.parametrize(
    "text",
    [
        "x=1/0",
        '"end"-"end"',
        '-"end"',
        f"x<{'9' * 400}",
        f"x+{'9' * 400}>1",
        "!" * 5000 + "x",
        f"x={'1+' * 20000}1",
    ],
)
def test_what_cannot_be_evaluated_is_refused(text: str) -> None:
    with pytest.raises(ReadError, match=r"^goal="):
        states_where(text, LABELS, VARIABLES, 2)


@pytest.mark.filterwarnings("error")
def test_a_division_by_zero_behind_a_guard_is_no_matter() -> None:
    assert states_where("x>0 & 1/x<2", LABELS, VARIABLES, 2).tolist() == [False, True]
