"""Optimal and random returns of OMDT's models as published."""

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from spotree.mdp import build_mdp
from spotree.values import optimum, random_return

REFERENCE = Path(__file__).parents[3] / "shared" / "reference"
FACTS = REFERENCE / "omdt_facts.csv"
ROWS = list(csv.DictReader(FACTS.open())) if FACTS.exists() else []


@pytest.mark.skipif(not ROWS, reason="the reference files are not beside the repository")
@pytest.mark.parametrize("facts", ROWS, ids=[row["mdp"] for row in ROWS])
def test_returns_equal_the_published_ones_to_six_digits(facts):
    file = np.load(REFERENCE / "omdt" / f"{facts['mdp']}.npz")
    states, actions = file["reward"].shape
    rows = sp.csr_matrix((file["data"], file["indices"], file["indptr"]), shape=(actions * states, states))
    mdp = build_mdp(
        [rows[action * states : (action + 1) * states] for action in range(actions)],
        file["reward"],
        0.99,
        initial=file["initial"],
        features=file["features"],
        normalise=True,
    )
    best = optimum(mdp)
    assert best.value == pytest.approx(float(facts["optimal_return"]), abs=6e-7)
    assert best.error <= 1e-10 * abs(best.value)
    assert random_return(mdp) == pytest.approx(float(facts["random_return"]), abs=6e-7)
