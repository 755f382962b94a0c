"""Rule "state" parts a region only where that makes it smaller."""

import numpy as np
import pytest

from oracles.certify import best_return
from oracles.checkers import check
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP
from spotree.proof.certificate import Certificate
from spotree.proof.certify import certify
from spotree.proof.ingredients import Ingredients

STATE = Ingredients(rules=("state",), levels=False)


def with_equal_actions(number: int) -> tuple[MDP, int, int]:
    """A model in which actions are missing or do what others do, a depth, and a number of leaves."""
    rng = np.random.default_rng([1, number])
    states, actions = int(rng.integers(4, 8)), int(rng.integers(3, 6))
    chance = rng.dirichlet(np.full(states, 0.3), (actions, states))
    chance[chance < 0.05] = 0
    chance[:, np.arange(states), np.arange(states)] += chance.sum(2) == 0
    chance /= chance.sum(2, keepdims=True)
    reward = np.round(rng.normal(size=(states, actions)), 2)
    for i in range(states):
        if rng.random() < 0.5:
            a, b = rng.permutation(actions)[:2]
            chance[b, i], reward[i, b] = chance[a, i], reward[i, a]
    available = rng.random((states, actions)) < 0.55
    available[np.arange(states), rng.integers(actions, size=states)] = True
    discount = float(rng.choice([0.99, 0.999]))
    features = rng.integers(0, 3, (states, 3)).astype(float)
    missing = str(rng.choice(["end", "stay", "random"]))
    mdp = build_mdp(chance, reward, discount, features=features, available=available, missing=missing)
    return mdp, int(rng.integers(1, 3)), int(rng.integers(1, 4))


@pytest.mark.parametrize("number", [44, 210, 226, 788, 874, 1474])
def test_a_group_whose_allowed_actions_do_the_same_is_not_parted(number, tmp_path):
    """The tree of least loss may take an action there that is not allowed: then one part was the whole once more.

    788: "neither closed nor parted in two", by both checkers. 1474: the same region again and again, without end.
    """
    mdp, depth, leaves = with_equal_actions(number)
    path = tmp_path / "run.cert"
    found = certify(
        mdp, depth, max_leaves=leaves, time_limit=20, search=0.0, threads=1, certificate=path, ingredients=STATE
    )
    assert found.proved_optimal
    assert found.value == pytest.approx(best_return(mdp, depth, leaves), abs=1e-5 * max(1, abs(found.optimum)))
    verdict = check(mdp, Certificate.load(path))
    assert verdict.accepted, verdict.reason


def test_random_models_with_equal_actions(tmp_path):
    for number in range(2000, 2040):
        mdp, depth, leaves = with_equal_actions(number)
        path = tmp_path / "run.cert"
        found = certify(mdp, depth, max_leaves=leaves, time_limit=20, search=0.0, threads=1, certificate=path)
        assert found.proved_optimal, number
        verdict = check(mdp, Certificate.load(path))
        assert verdict.accepted, (number, verdict.reason)
