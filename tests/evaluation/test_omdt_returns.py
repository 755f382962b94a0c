"""Optimal and random returns of OMDT's models as published."""

import csv
from pathlib import Path

import pytest

from spotree.evaluation import optimum, random_return
from spotree.models import load

with (Path(__file__).parents[1] / "facts" / "omdt_facts.csv").open() as file:
    ROWS = list(csv.DictReader(file))


@pytest.mark.parametrize("facts", ROWS, ids=[row["mdp"] for row in ROWS])
def test_returns_equal_the_published_ones_to_six_digits(facts):
    mdp = load({"3d_navigation": "navigation_3d"}.get(facts["mdp"], facts["mdp"]))
    best = optimum(mdp)
    assert best.value == pytest.approx(float(facts["optimal_return"]), abs=6e-7)
    assert best.error <= 1e-10 * abs(best.value)
    assert random_return(mdp) == pytest.approx(float(facts["random_return"]), abs=6e-7)
