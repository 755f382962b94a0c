"""A fingerprint tells any change of a model from a new order of its states."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from facts.fingerprint import Arrays, arrays_of, fingerprint
from spotree import load

WHOLE = arrays_of(load("inventory_management"))  # the one with the most numbers: 6,872 transitions an action
FEW = ("Buy 2", "Buy 40", "Buy 41")
MODEL = replace(
    WHOLE,
    transitions={name: WHOLE.transitions[name] for name in FEW},
    reward={name: WHOLE.reward[name] for name in FEW},
)


def changed(what: str, by: float) -> Arrays:
    action = "Buy 40"
    if what == "reward":
        reward = MODEL.reward[action].copy()
        reward[30] += by
        return replace(MODEL, reward={**MODEL.reward, action: reward})
    matrix = sp.csr_matrix(MODEL.transitions[action], copy=True)
    matrix.data[2000] += by
    return replace(MODEL, transitions={**MODEL.transitions, action: matrix})


def test_the_order_of_states_and_actions_does_not_count() -> None:
    order = np.random.default_rng(0).permutation(len(MODEL.features))
    names = sorted(MODEL.transitions, reverse=True)
    other = Arrays(
        features=MODEL.features[order],
        feature_names=MODEL.feature_names,
        transitions={name: MODEL.transitions[name][order][:, order] for name in names},
        reward={name: MODEL.reward[name][order] for name in names},
        initial=MODEL.initial[order],
    )
    assert fingerprint(other).differences(fingerprint(MODEL)) == []


@pytest.mark.parametrize(("what", "by"), [("probability", 1e-10), ("reward", 1e-7)])
def test_one_changed_number_is_named(what: str, by: float) -> None:
    (said,) = fingerprint(changed(what, by)).differences(fingerprint(MODEL))
    assert said.startswith(f"{what} of Buy 40: sums ")


@pytest.mark.parametrize("what", ["probability", "reward"])
def test_the_last_bit_does_not_count(what: str) -> None:
    assert fingerprint(changed(what, 1e-16)).differences(fingerprint(MODEL)) == []


def test_another_pattern_is_seen() -> None:
    features = MODEL.features.copy()
    features[5] += 0.5
    (said,) = fingerprint(replace(MODEL, features=features)).differences(fingerprint(MODEL))
    assert said.startswith("pattern ")
