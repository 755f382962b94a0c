"""A certificate may tell values by how they change and leave visits to the checker."""

import numpy as np
import pytest

from oracles.certify import random_mdp
from oracles.checkers import check
from oracles.drawn_models import drawn
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.records import read_records
from spotree.certificates.reference.bounds import Plain
from spotree.certificates.reference.value_iteration import FEW
from spotree.certificates.reference.verifier import PlainProof
from spotree.models import load
from spotree.proof.options import ProofOptions
from spotree.trees.tree import leaf


@pytest.mark.parametrize("rule", ["state", "tree"])
@pytest.mark.parametrize("floors", [False, True])
def test_the_checker_finds_what_a_brief_certificate_leaves_out(rule, floors, tmp_path):
    mdp = load("frozenlake_8x8")
    kinds = []
    for listed in (0, 25_000_000):
        use = ProofOptions(rules=(rule,), floors=floors, before_floors=0.1, listed=listed)
        path = tmp_path / f"{listed}.cert"
        solution = certify(mdp, 2, start=leaf(2), time_limit=60, search=0.0, certificate=path, ingredients=use)
        assert solution.proved_optimal
        verdict = check(mdp, Certificate.load(path))
        assert verdict.accepted, verdict.reason
        records = list(read_records(Certificate.load(path), mdp.num_states).values())
        kinds.append({entry.value is None for r in records if r.parent >= 0 for entry in r.rounds})
    assert kinds[0] <= {True}
    assert kinds[1] <= {False}


def test_a_brief_certificate_of_a_bound_too_low_is_rejected(tmp_path):
    mdp = load("frozenlake_8x8")
    path = tmp_path / "run.cert"
    use = ProofOptions(rules=("tree",), floors=False, listed=0)
    certify(mdp, 2, start=leaf(2), time_limit=60, search=0.0, certificate=path, ingredients=use)
    true = Certificate.load(path)
    worse = make_worse(true)
    assert check(mdp, true).accepted
    assert not check(mdp, worse).accepted


def test_sweeps_take_one_state_after_the_other():
    """A layer at a time gives what plain loops give, in the order in which a walk leaves the states."""
    rng = np.random.default_rng(1)
    for missing in ("random", "end", "stay"):
        mdp = random_mdp(rng, missing)
        plain = Plain(mdp)
        allowed = rng.random((plain.num_groups, plain.num_actions)) < 0.6
        allowed[~allowed.any(axis=1), 0] = True
        world, start = plain.restrict(allowed), rng.normal(size=mdp.num_states)
        value = start.copy()
        for _ in range(3):
            for state in plain.order:
                worth = []
                for row in world.rows[world.state == state]:
                    chance = mdp.rows.toarray()[row]
                    stay, chance[state] = mdp.discount * chance[state], 0.0
                    worth.append((mdp.reward_of_choice[row] + mdp.discount * chance @ value) / (1 - stay))
                value[state] = max(worth, default=value[state])
        more = plain.restrict(np.ones_like(allowed))
        asked = [(more, start, 1), (world, start, 3), (more, value, 5), (world, value, 0), (world, start, 2)]
        assert len(asked) >= FEW  # side by side
        found = plain.swept(asked)
        np.testing.assert_allclose(found[1], value, rtol=1e-12)
        for one, values in zip(asked, found, strict=True):  # worlds do not mix
            np.testing.assert_allclose(values, plain.swept([one])[0], rtol=1e-13)


def test_visits_side_by_side_are_those_of_each_world():
    rng = np.random.default_rng(2)
    for missing in ("random", "end", "stay", "random", "end"):
        mdp = random_mdp(rng, missing)
        plain, asked = Plain(mdp), []
        floor = np.where(rng.random(mdp.num_states) < 0.2, 0.3, 0.0)
        for _ in range(2 * FEW):
            allowed = rng.random((plain.num_groups, plain.num_actions)) < 0.6
            allowed[~allowed.any(axis=1), 0] = True
            world = plain.restrict(allowed)
            asked.append(plain.ask_visits(world, plain.least(world), floor, np.zeros(mdp.num_states), 1e-12))
        for one, visits in zip(asked, plain.visited(asked, floor), strict=True):
            np.testing.assert_allclose(visits, plain.visited([one], floor)[0], rtol=0, atol=1e-9)
            assert plain.excess_visits(plain.least(one.world), visits, floor, np.inf)[0] <= 1e-12


def test_visits_from_those_of_a_larger_region_are_those_from_scratch():
    mdp = load("frozenlake_8x8")
    plain, rng = Plain(mdp), np.random.default_rng(0)
    nothing, more = np.zeros(mdp.num_states), 0

    def own(world, start):
        (visits,) = plain.visited([plain.ask_visits(world, plain.least(world), nothing, start, 1e-9)], nothing)
        return visits

    for _ in range(20):
        allowed = rng.random((plain.num_groups, plain.num_actions)) < 0.7
        allowed[~allowed.any(axis=1)] = True
        fewer = allowed & (np.cumsum(allowed, axis=1) <= 2)
        whole, part = plain.restrict(allowed), plain.restrict(fewer)
        start = own(whole, nothing)
        visits = own(part, start)
        scratch = own(part, nothing)
        np.testing.assert_allclose(visits, scratch, rtol=0, atol=1e-9)
        above, same = plain.excess_visits(plain.least(part), visits, nothing, enough=np.inf)
        assert same is visits
        assert above <= 1e-9 * plain.far
        more += visits.sum() > start.sum() + 1e-3
    assert more >= 10  # smaller regions are visited more surely


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


def test_a_state_that_is_stayed_in_for_long_has_the_same_value_for_search_and_checkers(tmp_path):
    """Its value comes from sweeps, others lean on it and are listed: apart by u |V| / (1 - stay), that was a gap."""
    case, path = drawn(np.random.default_rng((0, 2529))), tmp_path / "run.cert"
    assert case.mdp.discount == 0.999999
    use = ProofOptions(rules=("tree",), solo=False, listed=0)
    certify(case.mdp, case.depth, time_limit=20, search=0.0, threads=1, certificate=path, ingredients=use)
    verdict = check(case.mdp, Certificate.load(path))
    assert verdict.accepted, verdict.reason


def test_no_more_checks_are_side_by_side_than_fit(tmp_path):
    mdp, path, begun, side_by_side = load("frozenlake_4x4"), tmp_path / "run.cert", [0], []
    certify(mdp, 1, time_limit=20, search=0.0, certificate=path)
    proof = PlainProof(mdp, Certificate.load(path), lambda done, total: None)

    def check(number):
        begun[0] += 1
        side_by_side.append(begun[0])
        yield proof.plain.everything, np.zeros(mdp.num_states), number % 3
        begun[0] -= 1
        return number % 2 == 0

    for most, numbers in ((2, 7), (128, 7)):
        proof.most_together = most
        side_by_side.clear()
        assert proof.together([check(k) for k in range(numbers)]) == [k % 2 == 0 for k in range(numbers)]
        assert max(side_by_side) == min(most, numbers)
