"""No forgery of a false claim is accepted by either checker, and the honest certificate behind it is."""

import dataclasses

import numpy as np
import pytest

from oracles.certify import random_mdp
from oracles.checkers import check
from proof.forge import FORGERIES, Honest
from spotree.errors import InfeasibleError
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
