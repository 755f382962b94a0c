"""SPOT from OMDT's tree."""

from functools import partial

import pytest

import spotree

omdt = partial(spotree.solve, method="omdt")
spot_from_omdt = partial(spotree.solve, method="spot+ws")


def test_a_tree_that_omdt_proves_is_the_answer():
    mdp = spotree.load("frozenlake_4x4")
    found = spot_from_omdt(mdp, 1, time_limit=60)
    assert found.proved_optimal
    assert found.method == "spot+ws"
    assert found.value == pytest.approx(omdt(mdp, 1).value)


@pytest.mark.slow
def test_the_answer_is_at_least_omdts_and_its_bound_carries_over():
    mdp = spotree.load("frozenlake_8x8")
    found = spot_from_omdt(mdp, 2, time_limit=3, omdt_seconds=1)
    told = [line.value for line in found.history]
    assert found.value == pytest.approx(max(told))
    assert found.value <= found.bound <= found.optimum
    assert found.seconds < 3 + 1
