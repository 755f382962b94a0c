"""No forgery of a false claim is accepted by either checker, and the honest certificate behind it is."""

import dataclasses
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from oracles.certify import random_mdp
from oracles.checkers import check
from oracles.symmetric import symmetric_mdp
from oracles.undiscounted_trees import KINDS, random_model
from proof.forge import FORGERIES, UNDISCOUNTED, Honest, said_to_be_images, with_header
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check as by_one
from spotree.errors import InfeasibleError, SpotreeError
from spotree.mdp.build import build_mdp
from spotree.models import load
from spotree.proof.feature_classes import find_groups
from spotree.proof.options import ProofOptions
from spotree.proof.symmetry.symmetries import find_symmetries

pytestmark = pytest.mark.slow

EACH = 100  # forgeries for each lemma
RULES = (("state",), ("tree",))


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """True certificates of both rules, brief ones and full ones, of random models and a lake."""
    path, rng, found = tmp_path_factory.mktemp("honest") / "run.cert", np.random.default_rng(3), []
    models = [random_mdp(rng, missing) for missing in ("random", "end", "stay", "forbid") * 5]
    models = [dataclasses.replace(m, discount=float(rng.choice([0.5, 0.9, 0.99, 0.9999]))) for m in models]
    for number, mdp in enumerate([*models, load("frozenlake_4x4")]):
        use = ProofOptions(rules=RULES[number % 2], before_floors=0.0, listed=(0, 10**8)[number // 2 % 2])
        try:
            certify(mdp, 2, time_limit=30, search=0.0, threads=1, certificate=path, ingredients=use)
        except InfeasibleError:
            continue
        one = Honest(mdp, Certificate.load(path))
        if one.lie is not None:
            found.append(one)
    assert len(found) >= 10
    return found + list(symmetric(path, rng))


def symmetric(path, rng):
    """True certificates of models with symmetries, and of such ones with another start."""
    for number in range(40):
        mdp = symmetric_mdp(rng, ("random", "end", "stay", "forbid")[number % 4])
        lists = find_symmetries(mdp, find_groups(mdp), 1e-6)
        if len(lists) == 0:
            continue
        other = mdp.initial + np.eye(mdp.num_states)[rng.integers(mdp.num_states)]
        for one, kept in ((mdp, None), (dataclasses.replace(mdp, initial=other / other.sum()), lists)):
            use = ProofOptions(rules=("tree",), before_floors=0.0)
            try:
                certify(one, 2, time_limit=30, search=0.0, threads=1, certificate=path, ingredients=use)
            except InfeasibleError:
                continue
            but = None if kept is None else (kept.state, kept.action, kept.feature)
            honest = Honest(one, Certificate.load(path), but)
            if honest.lie is not None and honest.root.rounds:
                yield honest


def test_the_honest_ones_are_accepted(honest):
    for one in honest:
        assert check(one.mdp, one.certificate).accepted
        assert not check(one.mdp, one.lie).accepted


@pytest.mark.parametrize("lemma", FORGERIES)
def test_no_forgery_is_accepted_by_either_checker(honest, lemma):
    rng = np.random.default_rng(list(FORGERIES).index(lemma))
    for number in range(EACH * len(FORGERIES[lemma])):
        forge, forged = FORGERIES[lemma][number % len(FORGERIES[lemma])], None
        while forged is None:
            one = honest[int(rng.integers(len(honest)))]
            forged = forge(one, rng)
        for plain in (False, True):
            verdict = by_one(one.mdp, forged, plain=plain, threads=1)
            assert not verdict.accepted, (forge.__name__, number, plain)
            assert np.isnan(verdict.bound), "nothing is said to be shown"


def test_a_forger_of_symmetries_is_stopped_by_the_symmetry_alone():
    """The same proof is accepted where the exchange of two actions is a symmetry: nothing else was wrong with it."""
    chain = build_mdp(
        transitions=[np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])],
        reward=np.array([[1.0, 0.0], [0.0, 1.0]]),
        discount=0.5,
        initial=[0.5, 0.5],
        features=np.array([[0.0], [1.0]]),
    )
    path = TemporaryDirectory()
    certify(chain, 1, time_limit=30, search=0.0, certificate=f"{path.name}/run.cert")
    honest = Honest(chain, Certificate.load(f"{path.name}/run.cert"))
    images = [[[1, 0]], [[1, 0]], [[-1]]]
    assert check(chain, said_to_be_images(honest, images, lambda k, a, n: [6, 1, k])).accepted
    for wrong in ([[[0, 1]], [[1, 0]], [[1]]], [[[1, 0]], [[0, 1]], [[-1]]], [[[1, 0]], [[1, 0]], [[1]]]):
        assert not check(chain, said_to_be_images(honest, wrong, lambda k, a, n: [6, 1, k])).accepted
    assert not check(chain, said_to_be_images(honest, images, lambda k, a, n: [6, 1])).accepted


@pytest.fixture(scope="module")
def undiscounted(tmp_path_factory):
    """The same at discount 1."""
    path, rng, found = tmp_path_factory.mktemp("undiscounted") / "run.cert", np.random.default_rng(5), []
    for number in range(60):
        mdp = random_model(rng, KINDS[number % len(KINDS)], ("random", "end", "stay", "forbid")[number % 4])
        use = ProofOptions(rules=RULES[number % 2], before_floors=0.0, listed=(0, 10**8)[number // 2 % 2])
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


WITHOUT_A_DISCOUNT = {lemma: ways for lemma, ways in (FORGERIES | UNDISCOUNTED).items() if lemma != "lemma S"}


@pytest.mark.parametrize("lemma", WITHOUT_A_DISCOUNT)
def test_no_forgery_without_a_discount_is_accepted_by_either_checker(undiscounted, lemma):
    ways = WITHOUT_A_DISCOUNT[lemma]
    rng = np.random.default_rng(list(WITHOUT_A_DISCOUNT).index(lemma))
    for number in range(EACH * len(ways)):
        forge, one = ways[number % len(ways)], undiscounted[int(rng.integers(len(undiscounted)))]
        forged = forge(one, rng)
        for plain in (False, True):
            verdict = by_one(one.mdp, forged, plain=plain, threads=1)
            assert not verdict.accepted, (forge.__name__, number, plain)
            assert np.isnan(verdict.bound), "nothing is said to be shown"


def test_symmetries_without_a_discount_are_refused(undiscounted):
    for one in undiscounted:
        states, actions, features = one.mdp.num_states, one.mdp.num_actions, one.mdp.num_features
        identity = {
            "symmetry_state": list(range(states)),
            "symmetry_action": list(range(actions)),
            "symmetry_feature": list(range(1, features + 1)),
        }
        verdict = check(one.mdp, with_header(one.certificate, **identity))
        assert not verdict.accepted
        assert "without a discount" in verdict.reason
