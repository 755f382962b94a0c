"""Rewards of any size, also far apart: both checkers count rounding by the rewards that a choice pays."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from oracles.certify import best_return, random_mdp
from oracles.checkers import check
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.errors import InfeasibleError
from spotree.mdp.build import build_mdp
from spotree.proof.options import ProofOptions


@pytest.mark.parametrize("scale", [1e-11, 1e11])
def test_floors_hold_for_rewards_of_any_size(scale: float, tmp_path: Path) -> None:
    rng, proved, path = np.random.default_rng(7), 0, tmp_path / "run.cert"
    for _ in range(40):
        mdp = random_mdp(rng, "forbid")
        mdp = dataclasses.replace(mdp, discount=0.99, reward_of_choice=scale * mdp.reward_of_choice)
        use = ProofOptions(rules=("tree",), before_floors=0.0)
        try:
            certify(mdp, 1, time_limit=20, search=0.0, threads=1, certificate=path, ingredients=use)
        except InfeasibleError:
            continue
        verdict = check(mdp, Certificate.load(path))
        assert verdict.accepted, verdict.reason
        assert best_return(mdp, 1, None) <= verdict.bound + 1.0001 * verdict.tolerance
        proved += 1
    assert proved > 20


def test_a_reward_that_no_good_tree_pays_adds_no_rounding(tmp_path: Path) -> None:
    step = np.array([[0.0, 1e-3, 0.999], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    reward = np.array([[0.0, 0.0], [0.0, -1.0], [0.0, 0.0]])
    mdp = build_mdp(np.stack([step, step]), reward, 0.99999, initial=0, features=np.arange(3.0)[:, None])
    certify(mdp, 1, time_limit=20, search=0.0, threads=1, certificate=tmp_path / "run.cert")
    verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
    assert verdict.accepted, verdict.reason
    assert verdict.value == 0.0
    assert verdict.tolerance < 1e-10
