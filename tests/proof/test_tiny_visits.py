"""Visits that a tree can avoid make no forbidden action dear, however small they are said to be."""

import numpy as np
import pytest

from oracles.checkers import check
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check as by_native
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP, fingerprint


def two_ways() -> MDP:
    """Action 0 leads to 10 for ever, action 1 to 1 for ever; each end allows one action, and they look alike."""
    onward = np.zeros((2, 3, 3))
    onward[0, 0, 1] = onward[0, 1, 1] = onward[1, 0, 2] = onward[1, 2, 2] = 1
    return build_mdp(
        onward,
        np.array([[0, 0], [10, 0], [0, 1.0]]),
        0.5,
        initial=0,
        features=np.array([[0.0], [1.0], [1.0]]),
        available=np.array([[1, 1], [1, 0], [0, 1]], bool),
        missing="forbid",
    )


@pytest.mark.parametrize("tiny", [1e-200, 1e-100, 1e-30, 1e-17, 0.0])
def test_a_forbidden_action_where_no_tree_must_come_costs_nothing(tiny: float) -> None:
    mdp = two_ways()
    leaf = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [1]}
    claim = {
        "value": 1.0,
        "bound": 1.0,
        "tree": leaf,
    }  # the leaf with the other action returns 0.5 * 10 / (1 - 0.5)
    header = _honest(mdp) | claim | {"depth": 2}
    words = np.array(
        [10, 0, -1, 0, 0, 1, 1, 0, 0, 0], np.int32
    )  # a root that is closed after one round with regret
    numbers = np.array([0.0, 10, 20, 2, 1 - 1e-13, tiny, tiny])
    assert not check(mdp, Certificate(header, words, numbers)).accepted


@pytest.mark.parametrize("name", ["feature_names", "action_names"])
def test_a_name_twice_is_refused_before_anything_is_made_of_it(name: str) -> None:
    mdp = two_ways()
    verdict = by_native(mdp, Certificate(_honest(mdp) | {name: ["a"] * 1000}, np.zeros(0, np.int32), np.zeros(0)))
    assert not verdict.accepted
    assert "twice" in verdict.reason


def test_more_splits_than_values_are_refused() -> None:
    mdp = two_ways()
    many = {"split_feature": [0] * 100_000, "split_threshold": [0.5] * 100_000}
    verdict = by_native(mdp, Certificate(_honest(mdp) | many, np.zeros(0, np.int32), np.zeros(0)))
    assert not verdict.accepted
    assert "splits" in verdict.reason


def _honest(mdp: MDP) -> dict[str, object]:
    leaf = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [0]}
    sizes = {"states": 3, "actions": 2, "depth": 1, "max_leaves": None, "chunks": 1, "model": "two ways"}
    claim = {"value": 10.0, "bound": 10.0, "margin": 1e-6, "rule": "tree", "tree": leaf}
    lists = {"group_state": [0, 1], "split_feature": [0], "split_threshold": [0.5]}
    return {"fingerprint": fingerprint(mdp), **sizes, **claim, **lists}
