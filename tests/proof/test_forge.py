"""No forgery of a false claim is accepted by either checker, and the honest certificate behind it is."""

import dataclasses

import numpy as np
import pytest

from oracles.certify import random_mdp
from oracles.checkers import check
from oracles.undiscounted_trees import KINDS, random_model
from proof.forge import FORGERIES, UNDISCOUNTED, Honest
from spotree.errors import InfeasibleError, SpotreeError
from spotree.models import load
from spotree.proof.certificate import Certificate
from spotree.proof.certify import certify
from spotree.proof.check import check as by_one
from spotree.proof.ingredients import Ingredients

EACH = 100  # forgeries for each lemma
RULES = (("state",), ("tree",))


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """True certificates of both rules, brief ones and full ones, of random models and a lake."""
    path, rng, found = tmp_path_factory.mktemp("honest") / "run.cert", np.random.default_rng(3), []
    models = [random_mdp(rng, missing) for missing in ("random", "end", "stay", "forbid") * 5]
    models = [dataclasses.replace(m, discount=float(rng.choice([0.5, 0.9, 0.99, 0.9999]))) for m in models]
    for number, mdp in enumerate([*models, load("frozenlake_4x4")]):
        use = Ingredients(rules=RULES[number % 2], before_floors=0.0, listed=(0, 10**8)[number // 2 % 2])
        try:
            certify(mdp, 2, time_limit=30, search=0.0, threads=1, certificate=path, ingredients=use)
        except InfeasibleError:
            continue
        one = Honest(mdp, Certificate.load(path))
        if one.lie is not None:
            found.append(one)
    assert len(found) >= 10
    return found


def test_the_honest_ones_are_accepted(honest):
    for one in honest:
        assert check(one.mdp, one.certificate).accepted
        assert not check(one.mdp, one.lie).accepted


@pytest.mark.parametrize("lemma", FORGERIES)
def test_no_forgery_is_accepted_by_either_checker(honest, lemma):
    rng = np.random.default_rng(list(FORGERIES).index(lemma))
    for number in range(EACH * len(FORGERIES[lemma])):
        forge, one = FORGERIES[lemma][number % len(FORGERIES[lemma])], honest[int(rng.integers(len(honest)))]
        forged = forge(one, rng)
        for plain in (False, True):
            verdict = by_one(one.mdp, forged, plain=plain, threads=1)
            assert not verdict.accepted, (forge.__name__, number, plain)
            assert np.isnan(verdict.bound), "nothing is said to be shown"


@pytest.fixture(scope="module")
def undiscounted(tmp_path_factory):
    """The same at discount 1."""
    path, rng, found = tmp_path_factory.mktemp("undiscounted") / "run.cert", np.random.default_rng(5), []
    for number in range(60):
        mdp = random_model(rng, KINDS[number % len(KINDS)], ("random", "end", "stay", "forbid")[number % 4])
        use = Ingredients(rules=RULES[number % 2], before_floors=0.0, listed=(0, 10**8)[number // 2 % 2])
        if mdp is None:
            continue
        try:
            certify(mdp, 2, time_limit=30, search=0.0, threads=1, certificate=path, ingredients=use)
        except SpotreeError:
            continue
        one = Honest(mdp, Certificate.load(path))
        if one.lie is not None:
            found.append(one)
    assert len(found) >= 10
    return found


def test_the_honest_ones_without_a_discount_are_accepted(undiscounted):
    for one in undiscounted:
        assert check(one.mdp, one.certificate).accepted
        assert not check(one.mdp, one.lie).accepted


@pytest.mark.parametrize("lemma", FORGERIES | UNDISCOUNTED)
def test_no_forgery_without_a_discount_is_accepted_by_either_checker(undiscounted, lemma):
    ways = (FORGERIES | UNDISCOUNTED)[lemma]
    rng = np.random.default_rng(list(FORGERIES | UNDISCOUNTED).index(lemma))
    for number in range(EACH * len(ways)):
        forge, one = ways[number % len(ways)], undiscounted[int(rng.integers(len(undiscounted)))]
        forged = forge(one, rng)
        for plain in (False, True):
            verdict = by_one(one.mdp, forged, plain=plain, threads=1)
            assert not verdict.accepted, (forge.__name__, number, plain)
            assert np.isnan(verdict.bound), "nothing is said to be shown"
