"""Some hundred broken files of each kind, the same in every run: each is read or refused in one line."""

from pathlib import Path

import pytest

from fuzz.run import fuzz
from fuzz.targets import READ


@pytest.mark.parametrize("target", READ)
def test_a_broken_file_is_read_or_refused_in_one_line(tmp_path: Path, target: str) -> None:
    if target in ("prism", "jani", "drn"):
        pytest.importorskip("stormpy")
    runs = 40 if target in ("prism", "jani", "drn") else 120
    tally = fuzz(target, tmp_path, seconds=300, runs=runs, seed=1)
    assert tally.findings == {}
    assert tally.runs == runs
    assert len(tally.messages) >= 5
