"""A policy meets a model by names: an order is mapped, another set is refused, a bare tree is taken by position."""

from dataclasses import replace

import numpy as np
import pytest

import spotree
from oracles.neighbourhood import random_mdp
from oracles.true_claims import CLOSED
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check
from spotree.errors import InvalidProblemError
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP, fingerprint
from spotree.mdp.transforms import reordered
from spotree.proof.options import ProofOptions
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import leaf, make_tree

STUMP = make_tree([1, -1, -1], [1.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 2])


def model(seed: int = 0, missing: str = "random", size: int = 6) -> MDP:
    found = random_mdp(
        np.random.default_rng(seed), size=size, num_actions=3, num_features=3, missing=missing, ends=0.3
    )
    return replace(found, feature_names=("x", "y", "z"), action_names=("go", "wait", "turn"))


def turned(mdp: MDP) -> MDP:
    return reordered(mdp, ("z", "x", "y"), ("turn", "go", "wait"))


def test_a_policy_is_worth_the_same_whatever_the_order_of_features_and_actions():
    mdp = model()
    policy = TreePolicy(STUMP, mdp.feature_names, mdp.action_names)
    value = spotree.evaluate(mdp, STUMP)
    assert spotree.evaluate(mdp, policy) == value
    assert spotree.evaluate(turned(mdp), policy) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(spotree.policy_value(turned(mdp), policy), spotree.policy_value(mdp, policy))
    assert spotree.evaluate(turned(mdp), STUMP) != pytest.approx(value), "a bare tree is taken by position"


def test_a_solution_may_be_evaluated_on_any_order():
    mdp = model()
    solution = spotree.solve(mdp, 2, time_limit=1, threads=1)
    assert spotree.evaluate(mdp, solution) == pytest.approx(solution.value, rel=1e-12)
    assert spotree.evaluate(turned(mdp), solution) == pytest.approx(solution.value, rel=1e-9)


@pytest.mark.parametrize(
    ("features", "actions", "words"),
    [
        (("x", "y", "w"), None, r"feature 'w' of the policy is none of the model's \(x, y, z\)"),
        (("x", "y"), None, "feature 'z' of the model is none of the policy's"),
        (("x", "y", "z", "w"), None, "feature 'w' of the policy"),
        (None, ("go", "wait", "stop"), "action 'stop' of the policy is none of the model's"),
        (None, ("go", "wait", "turn", "stop"), "action 'stop' of the policy"),
    ],
)
def test_a_policy_of_another_model_is_refused_with_the_first_name_that_differs(features, actions, words):
    mdp = model()
    policy = TreePolicy(STUMP, features or mdp.feature_names, actions or mdp.action_names)
    for call in (
        lambda: spotree.evaluate(mdp, policy),
        lambda: spotree.policy_value(mdp, policy),
        lambda: spotree.solve(mdp, 1, start=policy),
        lambda: spotree.certify(mdp, 1, start=policy),
    ):
        with pytest.raises(InvalidProblemError, match=words):
            call()


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (
            make_tree([3, -1, -1], [1.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1]),
            "asks for feature 3; there are 3",
        ),
        (make_tree([0, -1, -1], [99, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 7]), "takes action 7; there are 3"),
        (leaf(500_000), "takes action 500000"),
    ],
)
def test_a_bare_tree_out_of_range_is_refused_even_where_no_state_comes(tree, words):
    for call in (spotree.evaluate, spotree.policy_value):
        with pytest.raises(InvalidProblemError, match=words):
            call(model(), tree)
    for call in (spotree.solve, spotree.certify):
        with pytest.raises(InvalidProblemError, match=words):
            call(model(), 1, start=tree)
    with pytest.raises(InvalidProblemError, match=words):
        TreePolicy(tree, ("x", "y", "z"), ("go", "wait", "turn"))


def test_what_is_no_policy_is_refused_by_its_type():
    with pytest.raises(InvalidProblemError, match="the policy is of type object; give a Solution"):
        spotree.evaluate(model(), object())


def test_names_of_a_policy_differ():
    with pytest.raises(InvalidProblemError, match="feature name 'x' occurs more than once"):
        TreePolicy(leaf(0), ("x", "x"), ("go",))


@pytest.mark.parametrize("missing", ["random", "end", "stay", "forbid"])
def test_a_reordered_model_is_the_one_built_in_that_order_to_the_last_bit(missing):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        size, actions = 5, 4
        transitions = rng.dirichlet(np.full(size, 0.5), size=(actions, size))
        reward, features = rng.normal(size=(size, actions)), rng.integers(0, 3, size=(size, 3)).astype(float)
        available = rng.random((size, actions)) < 0.6
        available[:, 0] |= ~available.any(axis=1)

        def built(feature_order, action_order):
            return build_mdp(
                transitions[action_order],  # noqa: B023
                reward[:, action_order],  # noqa: B023
                0.9,
                features=features[:, feature_order],  # noqa: B023
                feature_names=[f"f{k}" for k in feature_order],
                action_names=[f"a{k}" for k in action_order],
                available=available[:, action_order],  # noqa: B023
                missing=missing,
            )

        plain = built([0, 1, 2], [0, 1, 2, 3])
        other = built(list(rng.permutation(3)), list(rng.permutation(4)))
        again = reordered(plain, other.feature_names, other.action_names)
        assert fingerprint(again) == fingerprint(other)
        for name in ("choice_start", "choice_action", "feature_names", "action_names"):
            assert np.array_equal(getattr(again, name), getattr(other, name))
        assert reordered(plain, plain.feature_names, plain.action_names) is plain


def test_a_certificate_is_checked_against_the_model_in_any_order(tmp_path):
    mdp = model(3)
    path = tmp_path / "run.cert"
    spotree.certify(mdp, 2, time_limit=20, threads=1, certificate=path)
    certificate = Certificate.load(path)
    verdict = check(turned(mdp), certificate)
    assert verdict.accepted, verdict.reason
    renamed = replace(mdp, feature_names=("x", "y", "w"))
    assert "feature 'z' of the certificate is none of the model's" in check(renamed, certificate).reason
    swapped = replace(turned(mdp), feature_names=mdp.feature_names, action_names=mdp.action_names)
    assert "another model" in check(swapped, certificate).reason, "names moved without their columns"
    nameless = {k: v for k, v in certificate.header.items() if not k.endswith("_names")}
    assert check(mdp, replace(certificate, header=nameless)).accepted, "certificates of before carry no names"


def test_a_proof_goes_on_with_the_model_in_any_order(tmp_path):
    mdp = model(3)
    path = tmp_path / "run.cert"
    found = spotree.certify(
        mdp, 2, time_limit=0.0, threads=1, certificate=path, ingredients=ProofOptions(levels=False)
    )
    again = spotree.certify(
        turned(mdp), 2, time_limit=20, threads=1, certificate=tmp_path / "next.cert", resume=path
    )
    assert again.status in CLOSED
    assert again.value >= found.value
    assert spotree.evaluate(turned(mdp), again) == pytest.approx(again.value)
    assert check(turned(mdp), Certificate.load(tmp_path / "next.cert")).accepted
    with pytest.raises(InvalidProblemError, match="action 'turn' of the certificate"):
        spotree.certify(replace(mdp, action_names=("go", "wait", "stop")), 2, resume=path)
