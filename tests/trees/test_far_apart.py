"""Values as far apart as float64 goes are told apart without a warning."""

import numpy as np
import pytest

from spotree.trees.splits import candidate_splits


@pytest.mark.filterwarnings("error")
def test_values_whose_difference_overflows_make_one_split() -> None:
    splits = candidate_splits(np.array([[-1.7e308], [1.7e308]]))
    assert splits.threshold.tolist() == [0.0]
