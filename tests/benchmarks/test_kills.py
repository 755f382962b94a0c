"""The benchmark of kills, with three short ones."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
kills: Any = import_module("kills")


@pytest.mark.parametrize("instant", [0.0, 0.7, 1.6])
def test_a_killed_search_is_resumed_no_worse_and_loses_a_period_at_most(instant: float) -> None:
    job = kills.Search("frozenlake_8x8", 3, threads=1)
    found = kills.trial(job, seconds=3.0, every=0.2, instant=instant)
    assert found.value >= found.saved_value - 1e-12
    assert found.lost <= 0.2 + kills.SLACK + 2.0  # and room for a busy machine
