"""A certificate may leave values and visits to the checker."""

import pytest

from spotree.certify.certificate import Certificate
from spotree.certify.certify import certify
from spotree.certify.check import check
from spotree.certify.ingredients import Ingredients
from spotree.models import load
from spotree.tree.tree import leaf


@pytest.mark.parametrize("rule", ["state", "tree"])
@pytest.mark.parametrize("floors", [False, True])
def test_the_checker_finds_what_a_brief_certificate_leaves_out(rule, floors, tmp_path):
    mdp = load("frozenlake_8x8")
    sizes = []
    for listed in (0, 25_000_000):
        use = Ingredients(rules=(rule,), floors=floors, before_floors=0.1, listed=listed)
        path = tmp_path / f"{listed}.cert"
        solution = certify(mdp, 2, start=leaf(2), time_limit=60, search=0.0, certificate=path, ingredients=use)
        assert solution.proved_optimal
        verdict = check(mdp, Certificate.load(path))
        assert verdict.accepted, verdict.reason
        sizes.append(len(Certificate.load(path).numbers))
    assert sizes[0] < sizes[1]


def test_a_brief_certificate_of_a_bound_too_low_is_rejected(tmp_path):
    mdp = load("frozenlake_8x8")
    path = tmp_path / "run.cert"
    use = Ingredients(rules=("tree",), floors=False, listed=0)
    certify(mdp, 2, start=leaf(2), time_limit=60, search=0.0, certificate=path, ingredients=use)
    true = Certificate.load(path)
    worse = make_worse(true)
    assert check(mdp, true).accepted
    assert not check(mdp, worse).accepted


def make_worse(certificate: Certificate) -> Certificate:
    """The same regions, claimed to prove that a leaf which always goes the same way is best."""
    tree = leaf(2)
    fields = ("feature", "threshold", "left", "right", "action")
    header = certificate.header | {
        "tree": {name: getattr(tree, name).tolist() for name in fields},
        "value": 0.0,
        "bound": 0.0,
    }
    return Certificate(header, certificate.words, certificate.numbers)
