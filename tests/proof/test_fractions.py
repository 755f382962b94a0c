"""What is claimed holds for the real numbers that the floats of a model stand for: all trees, with fractions."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

from oracles.drawn_models import REWARDS, other_rewards
from oracles.fractions_of_trees import all_policies, exact_best, exact_return
from oracles.true_claims import false_claims
from oracles.undiscounted import policy_values
from oracles.undiscounted_trees import KINDS, RULES, random_model
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.evaluation import evaluate
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

DISCOUNTS = (0.0, 0.5, 0.99, 0.9999, 0.9999999)
NUMBER = 4  # models for each discount and kind of rewards
TOLERANCES = (1e-7, 1e-4, 1e-2)  # the first one that rounding allows


def small_mdp(rng: np.random.Generator, discount: float, rewards: str) -> MDP:
    """Up to five states, each a place of its own or shared; two actions, of which some are missing."""
    states = int(rng.integers(2, 6))
    available = rng.random((states, 2)) < 0.8
    available[np.arange(states), rng.integers(0, 2, states)] = True
    mdp = build_mdp(
        rng.dirichlet(np.full(states, 0.4), size=(2, states)),
        np.round(rng.normal(size=(states, 2)), 1),
        discount,
        initial=rng.dirichlet(np.ones(states)),
        features=rng.integers(0, 4, size=(states, 2)).astype(float),
        available=available,
        missing=str(rng.choice(RULES)),
    )
    return dataclasses.replace(mdp, reward_of_choice=other_rewards(rng, mdp.reward_of_choice, rewards))


def wrong(mdp, depth, path, **more):
    """All that is false about the trees of a depth, or None where nothing is claimed."""
    best = exact_best(mdp, depth)
    for tolerance in TOLERANCES:
        try:
            solution = certify(
                mdp,
                depth,
                search=0.0,
                threads=1,
                certificate=path,
                tolerance=tolerance,
                **{"time_limit": 10} | more,
            )
        except InfeasibleError:
            return [] if best == -math.inf or more else ["infeasible"]  # stopped, it may have found no tree yet
        except InvalidProblemError:
            continue
        certificate = Certificate.load(path)
        verdicts = [check(mdp, certificate, threads=1), check(mdp, certificate, plain=True)]
        if not verdicts[1].accepted:
            return [verdicts[1].reason]
        return false_claims(mdp, solution, [v for v in verdicts if v.accepted], best)
    return None


@pytest.mark.parametrize("discount", DISCOUNTS)
def test_every_claim_holds_without_rounding(discount, tmp_path):
    rng, seen = np.random.default_rng(int(1e7 * discount)), 0
    for rewards in REWARDS * NUMBER:
        mdp = small_mdp(rng, discount, rewards)
        found = wrong(mdp, int(rng.integers(0, 3)), tmp_path / "run.cert")
        assert not found, (rewards, found)
        seen += found is not None
    assert seen >= 0.9 * NUMBER * len(REWARDS)


def test_every_claim_of_a_stopped_run_holds_without_rounding(tmp_path):
    rng = np.random.default_rng(11)
    for discount in DISCOUNTS:
        for rewards in REWARDS:
            mdp = small_mdp(rng, discount, rewards)
            assert not wrong(mdp, 2, tmp_path / "run.cert", time_limit=0.0), (discount, rewards)


@pytest.mark.parametrize("missing", RULES)
def test_every_claim_holds_without_rounding_and_without_a_discount(missing, tmp_path):
    rng, seen = np.random.default_rng(RULES.index(missing)), 0
    for number, kind in enumerate(KINDS * 3):
        mdp = random_model(rng, kind, missing, rare=[0.0, 1e-3][number % 2])
        if mdp is None:
            continue
        rewards = REWARDS[number % len(REWARDS)]
        mdp = dataclasses.replace(mdp, reward_of_choice=other_rewards(rng, mdp.reward_of_choice, rewards))
        found = wrong(mdp, int(rng.integers(0, 3)), tmp_path / "run.cert")
        assert not found, (number, found)
        seen += found is not None
    assert seen >= 10


def test_the_oracle_agrees_with_floats():
    rng = np.random.default_rng(12)
    for kind in KINDS:
        mdp = random_model(rng, kind, "forbid")
        for action in [] if mdp is None else all_policies(mdp, 1):
            rows, begun = mdp.choice_of[np.arange(mdp.num_states), action], mdp.initial > 0
            rough = float(policy_values(mdp, rows)[begun] @ mdp.initial[begun])
            assert float(exact_return(mdp, action)) == pytest.approx(rough, rel=1e-9, abs=1e-12)
    mdp = small_mdp(rng, 0.9, "as drawn")
    mdp = dataclasses.replace(mdp, missing="end")
    for action in all_policies(mdp, 2):
        exact = exact_return(mdp, action)
        if exact > -math.inf:
            assert evaluate(mdp, action) == pytest.approx(float(exact))


def test_the_oracle_knows_a_chain_by_hand():
    step = np.array([[[0.25, 0.75], [0.0, 0.5]]])
    mdp = build_mdp(step, [[1.0], [2.0]], 0.5, initial=0, features=[[0.0], [1.0]], ends=[[0.0], [0.5]])
    # from 1: 2 / (1 - 1/4) = 8/3; from 0: (1 + 3/8 * 8/3) / (1 - 1/8) = 2 * 8/7
    assert exact_return(mdp, np.zeros(2, int)) == Fraction(16, 7)
