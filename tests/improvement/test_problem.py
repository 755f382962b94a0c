"""The numbers of a step: what an engine could not add up or tell apart is refused at its door."""

from typing import Any

import numpy as np
import pytest

from spotree.errors import InvalidProblemError
from spotree.improvement.improve import improve
from spotree.improvement.problem import MOST_GAIN, TreeProblem

ENDS_OF_FLOAT = np.array([-1.7e308, -1e308, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(1, 2), 1e308, 1.7e308])[:, None]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"features": np.array([[1], [2**53 + 1]])}, r"features\[1, 0\] is 9007199254740993"),
        ({"features": [[0.5], [2**53 + 1]]}, r"features\[1, 0\] is 9007199254740993"),
        ({"features": [[0.0], [np.nan]]}, r"features\[1, 0\] is nan"),
        ({"features": [["a"], ["b"]]}, "features is no array of numbers"),
        ({"features": [[1j], [0]]}, "features is no array of numbers"),
        ({"features": [[1], [2, 3]]}, "features is no array of numbers"),
        ({"gain": [[0.0, np.inf], [0, 0]]}, r"gain\[0, 1\] is inf"),
        ({"gain": [[0.0, 1e308], [0, 1e308]]}, r"gain\[0, 1\] is 1e\+308 in size"),
        ({"depth": 1.5}, "depth is 1.5"),
        ({"depth": True}, "depth is True"),
        ({"max_leaves": 2.5}, "max_leaves is 2.5; it must be a whole number"),
        ({"max_leaves": np.nan}, "max_leaves is nan"),
        ({"max_leaves": 0}, "max_leaves is 0"),
    ],
)
def test_numbers_that_a_step_cannot_work_with_are_refused(given: dict[str, Any], words: str) -> None:
    sound: dict[str, Any] = {"features": [[0.0], [1.0]], "gain": [[0.0, 1.0], [1.0, 0.0]], "depth": 1}
    with pytest.raises(InvalidProblemError, match=words):
        TreeProblem(**sound | given)


@pytest.mark.parametrize("engine", ["exact", "rsbb", "exhaustive"])
@pytest.mark.parametrize("scale", [1.0, 0.999 * MOST_GAIN / len(ENDS_OF_FLOAT), 1e-310])
def test_engines_agree_at_both_ends_of_the_floats(engine: str, scale: float) -> None:
    gain = np.random.default_rng(1).uniform(-1, 1, (len(ENDS_OF_FLOAT), 3)) * scale
    found = improve(ENDS_OF_FLOAT, gain, 2, engine=engine)
    assert np.isfinite(found.tree.threshold).all()
    assert np.isfinite(found.bound)
    assert found.value == pytest.approx(improve(ENDS_OF_FLOAT, gain, 2, engine="exhaustive").value, rel=1e-9)
