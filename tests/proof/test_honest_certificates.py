"""What certify proves, check accepts: whatever the race between a better tree and the records of its proof."""

import dataclasses

import numpy as np
import pytest

from oracles.certify import random_mdp
from oracles.checkers import check
from oracles.true_claims import CLOSED
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.models import load
from spotree.proof.options import ProofOptions

MISSING = ("random", "end", "stay", "forbid")


@pytest.mark.parametrize("missing", MISSING)
def test_every_finished_proof_is_accepted_up_to_discount_09999(missing, tmp_path):
    rng = np.random.default_rng(MISSING.index(missing))
    for _ in range(60):
        mdp = dataclasses.replace(random_mdp(rng, missing), discount=float(rng.choice([0.5, 0.99, 0.9999, 0.9999])))
        depth = int(rng.integers(0, 4))
        try:
            certify(mdp, depth, time_limit=20, search=0.0, threads=2, certificate=tmp_path / "run.cert")
        except InfeasibleError:
            continue
        verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
        assert verdict.accepted, verdict.reason


def racing_models():
    """Models whose root is closed by the first tree that either rule comes across."""
    rng = np.random.default_rng(5)
    models = [random_mdp_of(rng, number) for number in range(15)]
    return [models[12], models[14]]


def random_mdp_of(rng, number):
    mdp = random_mdp(rng, ("random", "end", "stay")[number % 3])
    return dataclasses.replace(mdp, discount=float(rng.choice([0.5, 0.9, 0.99])))


def test_a_proof_that_a_better_tree_ends_is_written_down(tmp_path):
    for mdp in racing_models():
        for number in range(40):
            solution = certify(
                mdp, 2, time_limit=10, search=0.0, threads=1 + number % 2, certificate=tmp_path / "run.cert"
            )
            assert solution.proved_optimal
            certificate = Certificate.load(tmp_path / "run.cert")
            assert len(certificate.words) > 0
            assert check(mdp, certificate).accepted


def test_a_model_without_rewards_is_proved_and_its_certificate_holds(tmp_path):
    mdp = load("frozenlake_4x4")
    mdp = dataclasses.replace(mdp, reward_of_choice=np.zeros_like(mdp.reward_of_choice))
    assert certify(mdp, 1, time_limit=5, search=0.0, certificate=tmp_path / "run.cert").proved_optimal
    verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
    assert verdict.accepted, verdict.reason


def test_a_large_tolerance_is_stated_not_rejected(tmp_path):
    mdp = load("frozenlake_4x4")
    solution = certify(mdp, 1, time_limit=5, search=0.0, tolerance=0.01, certificate=tmp_path / "run.cert")
    verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
    assert verdict.accepted, verdict.reason
    assert verdict.tolerance == pytest.approx(
        0.01 * max(solution.optimum, solution.optimum - solution.random_value)
    )


def test_a_root_that_was_parted_without_rounds_can_be_resumed(tmp_path):
    mdp, path = load("frozenlake_4x4"), tmp_path / "run.cert"
    use = ProofOptions(rules=("state",), levels=False)
    certify(mdp, 2, time_limit=0.0, search=0.0, certificate=path, ingredients=use)
    old = Certificate.load(path)
    root = np.array([10, 0, -1, 0, 0, 0, 1, 0, 1, 0], np.int32)  # no rounds; group 0 takes action 0, or not
    Certificate(old.header, root, np.array([old.header["bound"]])).save(path)
    solution = certify(mdp, 2, time_limit=20, search=0.0, resume=path, ingredients=use)
    assert solution.status in CLOSED
    assert solution.value == pytest.approx(certify(mdp, 2, time_limit=20, search=0.0).value)


def test_a_certificate_of_a_larger_tolerance_is_no_start_for_a_sharper_proof(tmp_path):
    mdp, path = load("frozenlake_4x4"), tmp_path / "run.cert"
    certify(mdp, 2, time_limit=20, tolerance=0.05, certificate=path)
    with pytest.raises(InvalidProblemError, match="tolerance that it was made with"):
        certify(mdp, 2, time_limit=20, resume=path)
    assert certify(mdp, 2, time_limit=20, tolerance=0.05, resume=path).status in CLOSED
    assert certify(mdp, 2, time_limit=20, tolerance=0.1, resume=path).status in CLOSED
