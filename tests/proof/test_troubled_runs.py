"""Spread proofs in trouble: whoever is lost, stopped or resumed, what is claimed is true and certified."""

from pathlib import Path

import numpy as np
import pytest

from oracles.troubled_runs import Told, troubled

COUNT = 25  # benchmarks/stress/troubled_proofs.py tries thousands


@pytest.mark.slow
def test_what_a_spread_proof_claims_is_true_whatever_happens_to_it(tmp_path: Path) -> None:
    told: list[Told] = []
    for number in range(COUNT):
        folder = tmp_path / str(number)
        folder.mkdir()
        told.append(troubled(np.random.default_rng([1, number]), folder))
        assert told[-1].wrong == [], number
    assert sum(each.tasks for each in told) > COUNT
