"""Close to discount 1 rounding grows: nothing is claimed there that fractions do not confirm."""

import dataclasses
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from oracles.certify import random_mdp
from oracles.checkers import check
from oracles.drawn_models import drawn
from oracles.fractions_of_trees import exact_best, exact_return
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check as by_one
from spotree.errors import InvalidProblemError
from spotree.evaluation import optimum
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP
from spotree.proof import problem, recorder
from spotree.proof.numerics import reachable_error

CLOSE = [1 - 10.0**-digits for digits in range(9, 17)]


def close_returns(rng: np.random.Generator, discount: float) -> MDP:
    """Three states without an end; rewards differ by so little that rounding can hide it."""
    transitions = rng.dirichlet(np.ones(3), size=(2, 3))
    reward = 1 + 10.0 ** -rng.integers(1, 7) * rng.integers(0, 4, size=(3, 2))
    features = np.array([[0.0], [1.0], [2.0]])
    return build_mdp(transitions, reward, discount, initial=0, features=features)


def first_claims(mdp, depth, path, **more):
    """Certify, or None where that is refused."""
    try:
        return certify(mdp, depth, time_limit=5, search=0.0, threads=1, certificate=path, **more)
    except InvalidProblemError:
        return None


@pytest.mark.parametrize("discount", CLOSE)
@pytest.mark.parametrize("tolerance", [1e-7, 1e-3])
def test_certify_claims_nothing_false_close_to_discount_1(discount, tolerance, tmp_path):
    rng = np.random.default_rng(1)
    for _ in range(10):
        mdp = close_returns(rng, discount)
        solution = first_claims(mdp, 1, tmp_path / "run.cert", tolerance=tolerance)
        if solution is None:
            continue
        best, margin = exact_best(mdp, 1), Fraction(tolerance) * Fraction(abs(solution.optimum))
        value = exact_return(mdp, solution.policy.tree.actions(mdp.features))
        assert best <= Fraction(solution.bound) + margin
        assert not solution.proved_optimal or best <= value + margin
        assert abs(value - Fraction(solution.value)) <= margin
        assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


@pytest.mark.parametrize("discount", CLOSE)
def test_check_accepts_nothing_false_close_to_discount_1(discount, tmp_path, monkeypatch):
    monkeypatch.setattr(problem, "check_margin", lambda *_: None)
    monkeypatch.setattr(recorder, "stated_margin", lambda mdp, actions, margin: margin)
    rng = np.random.default_rng(2)
    for _ in range(10):
        mdp = close_returns(rng, discount)
        certify(mdp, 1, time_limit=2, search=0.0, threads=1, certificate=tmp_path / "run.cert")
        certificate = Certificate.load(tmp_path / "run.cert")
        verdict = check(mdp, certificate)
        if verdict.accepted:
            assert exact_best(mdp, 1) <= Fraction(verdict.bound) + Fraction(verdict.tolerance)
            tree = certificate.header["tree"]
            label = np.array([tree["action"][0]] * 3)
            if tree["feature"][0] >= 0:
                below = mdp.features[:, tree["feature"][0]] < tree["threshold"][0]
                label = np.where(below, tree["action"][tree["left"][0]], tree["action"][tree["right"][0]])
            assert abs(exact_return(mdp, label) - Fraction(verdict.value)) <= Fraction(verdict.tolerance)
        else:
            assert "rounding may move a return" in verdict.reason or "together that is 1 or more" in verdict.reason


def test_a_refusal_names_discount_error_and_a_tolerance_that_is_enough(tmp_path):
    mdp = close_returns(np.random.default_rng(3), 1 - 1e-9)
    with pytest.raises(
        InvalidProblemError, match=r"discount is 0\.999999999: rounding may move a return by .* give"
    ) as e:
        certify(mdp, 1, time_limit=5, search=0.0)
    enough = float(str(e.value).split("a tolerance of ")[1].split()[0])
    assert first_claims(mdp, 1, tmp_path / "run.cert", tolerance=1.1 * enough).proved_optimal
    assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


def test_the_reachable_error_grows_without_limit_towards_discount_1():
    mdp = close_returns(np.random.default_rng(4), 0.9)
    error = [reachable_error(close, optimum(close)) for close in (with_discount(mdp, d) for d in (0.9, *CLOSE))]
    assert error == sorted(error)
    assert error[0] < 1e-12
    assert error[-1] == math.inf


def with_discount(mdp: MDP, discount: float) -> MDP:
    return dataclasses.replace(mdp, discount=discount)


def test_check_rejects_a_model_whose_rows_sum_to_more_than_1(tmp_path):
    mdp = close_returns(np.random.default_rng(5), 0.9)
    more = dataclasses.replace(mdp, probability=mdp.probability * (1 + 9e-10))
    certify(more, 1, time_limit=5, search=0.0, certificate=tmp_path / "run.cert")
    verdict = check(more, Certificate.load(tmp_path / "run.cert"))
    assert not verdict.accepted
    assert "sum to 1 + 9.0e-10" in verdict.reason


@pytest.mark.parametrize("seed", [152, 209, 276])
def test_visits_that_rounding_lifts_do_not_cost_an_honest_certificate(seed, tmp_path):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, "stay")
    reward = mdp.reward_of_choice * 10.0 ** rng.uniform(-3, 3, len(mdp.reward_of_choice))
    mdp = dataclasses.replace(mdp, discount=1 - 1e-6, reward_of_choice=reward)
    certify(mdp, 2, time_limit=5, search=0.0, threads=1, certificate=tmp_path / "run.cert")
    verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
    assert verdict.accepted, verdict.reason
    assert exact_best(mdp, 2) <= Fraction(verdict.bound) + Fraction(verdict.tolerance)


def test_a_tree_much_worse_than_the_best_policy_has_a_certificate_with_a_larger_tolerance(tmp_path):
    """J* is 0, so nothing is lost to rounding there; the only tree pays 1 in each step, 1e5 in all."""
    stay = np.eye(3)[None].repeat(2, axis=0)
    stay[:, 0] = [[0.0, 0.999, 0.001]] * 2
    reward = np.array([[0.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
    mdp = build_mdp(stay, reward, 0.99999, initial=0, features=np.zeros((3, 1)))
    solution = certify(mdp, 1, time_limit=0.0, certificate=tmp_path / "run.cert")
    verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
    assert verdict.accepted, verdict.reason
    assert solution.optimum == 0.0
    own = exact_return(mdp, solution.policy.tree.actions(mdp.features))
    assert abs(own - Fraction(verdict.value)) <= Fraction(verdict.tolerance) / 10
    assert exact_best(mdp, 1) <= Fraction(verdict.bound) + Fraction(verdict.tolerance)


@pytest.mark.parametrize("number", [140, 146, 157, 215])
def test_values_of_the_tree_that_are_larger_than_the_best_ones_cost_no_certificate(number, tmp_path):
    case = drawn(np.random.default_rng((1, number)))
    tolerance = 1e-7
    try:
        certify(case.mdp, case.depth, time_limit=5, search=0.0)
    except InvalidProblemError as error:
        tolerance = 1.1 * float(str(error).split("a tolerance of ")[1].split()[0])
    size = {"depth": case.depth, "max_leaves": case.max_leaves}
    certify(case.mdp, **size, time_limit=5, search=0.0, tolerance=tolerance, certificate=tmp_path / "run.cert")
    verdict = by_one(case.mdp, Certificate.load(tmp_path / "run.cert"), plain=True)
    assert verdict.accepted, verdict.reason
    assert exact_best(case.mdp, **size) <= Fraction(verdict.bound) + Fraction(verdict.tolerance)


def test_a_region_without_a_state_that_improving_trees_visit_is_empty():
    """What the larger region's visits stood on is out of reach: the plain checker called them too high.

    Which floors are found is a matter of time, so the honest certificate that it refused is kept.
    """
    case = drawn(np.random.default_rng((311, 2450)))
    verdict = check(case.mdp, Certificate.load(Path(__file__).with_name("floors_out_of_reach.cert")))
    assert verdict.accepted, verdict.reason


def test_no_lower_discount_is_advised_at_discount_0() -> None:
    rows = np.array([np.eye(2), np.eye(2)])
    reward = np.array([[1.0, 1.0], [1e16, -1e16]])  # the second state has next to no chance to be the first
    mdp = build_mdp(rows, reward, 0.0, initial=[1 - 1e-15, 1e-15], features=np.array([[0.0], [1.0]]))
    with pytest.raises(InvalidProblemError) as caught:
        certify(mdp, 0, time_limit=1, search=0.0)
    assert "lower discount" not in str(caught.value)
    assert "rewards of like size (the largest is 1.0e+16" in str(caught.value)
