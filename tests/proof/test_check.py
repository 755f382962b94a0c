"""A certificate that was tampered with is rejected, whatever was changed; a true one is accepted."""

from dataclasses import replace

import numpy as np
import pytest

from oracles.certificates import with_header, with_records
from oracles.certify import random_mdp, returns
from oracles.checkers import check
from oracles.mutations import KINDS, Source
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.records import Record, read_records
from spotree.models import load
from spotree.proof.options import ProofOptions
from spotree.trees.tree import leaf

CELLS = [
    ("frozenlake_4x4", 2, None, ("state", "tree")),
    ("frozenlake_4x4", 3, 3, ("state", "tree")),
    ("frozenlake_8x8", 1, None, ("state", "tree")),
    ("blackjack", 1, None, ("state", "tree")),
    ("system_administrator_tree", 1, None, ("tree",)),
]
EACH = 205  # mutated certificates of each of the five kinds


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """True certificates of both rules, with all ingredients and without regret and solo leaves."""
    path, found = tmp_path_factory.mktemp("certificates") / "run.cert", []
    for name, depth, leaves, rules in CELLS:
        mdp = load(name)
        best = certify(mdp, depth, max_leaves=leaves, time_limit=60, search=0.0)
        better = certify(mdp, depth + 1, start=best, time_limit=1.0, search=0.5).policy.tree
        for rule in rules:
            for plain in (False, True):
                use = ProofOptions(rules=(rule,), regret=not plain, solo=not plain, before_floors=0.1, listed=10**8)
                limits = {"time_limit": 60, "search": 0.0, "threads": 1, "max_leaves": leaves}
                certify(mdp, depth, start=best, certificate=path, ingredients=use, **limits)
                source = Source(mdp, Certificate.load(path), plain, better)
                shown = source.value_of({k: getattr(better, k).tolist() for k in source.certificate.header["tree"]})
                assert shown > source.book.threshold, "one level more must be worth something here"
                found.append(source)
    return found


def test_true_certificates_are_accepted(sources):
    for source in sources:
        verdict = check(source.mdp, source.certificate)
        assert verdict.accepted, verdict.reason
        assert verdict.value == pytest.approx(source.value_of(source.certificate.header["tree"]), rel=1e-9)
        rewritten = with_records(source.certificate, source.records)
        assert check(source.mdp, rewritten).accepted, "the mutations must start from something true"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_mutated_certificates_are_rejected(sources, kind):
    """5 x 200 and more broken certificates; oracles/mutations.py says why each is surely false."""
    rng = np.random.default_rng(list(KINDS).index(kind))
    counts = {mutation.__name__: 0 for mutation in KINDS[kind]}
    for number in range(20 * EACH):
        source = sources[number % len(sources)]
        mutation = min(KINDS[kind], key=lambda m: counts[m.__name__] + rng.random())
        if number % 3:
            mutation = KINDS[kind][rng.integers(len(KINDS[kind]))]
        if counts[mutation.__name__] >= EACH // len(KINDS[kind]) + 5:
            continue
        mutated = mutation(source, rng)
        if mutated is None:
            continue
        verdict = check(source.mdp, mutated)
        assert not verdict.accepted, (mutation.__name__, source.mdp.name, source.rule, source.plain, number)
        counts[mutation.__name__] += 1
    assert sum(counts.values()) >= 200
    assert min(counts.values()) >= 15, counts


def forged(source, records):
    """A certificate that says a worse tree is the best: it is false, whatever its regions say."""
    action = int(
        np.argmin(returns(source.mdp, np.arange(source.mdp.num_actions)[:, None].repeat(source.mdp.num_states, 1)))
    )
    tree = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [action]}
    value = source.value_of(tree)
    assert value < source.certificate.header["value"] - 10 * source.certificate.header["margin"]
    return with_header(with_records(source.certificate, records), tree=tree, value=value, bound=value)


def test_a_proof_that_leans_on_itself_is_rejected(sources):
    """Each region is its own only part: "these actions" are all of them, the other side is empty."""
    source = sources[0]
    everything = [1, 0, source.mdp.num_actions, *range(source.mdp.num_actions)]
    chain = [Record(0, -1, 0, 0, [], everything)]
    for number in range(3):
        chain.append(Record(2 * number + 1, 2 * max(number - 1, 0) + number.__bool__(), 0, 0, [], everything))
        chain.append(Record(2 * number + 2, chain[-1].parent, 1, 0, [], [0]))
    assert "parted in two" in check(source.mdp, forged(source, chain)).reason


def test_references_in_a_circle_prove_nothing(sources):
    source = sources[0]
    half = [1, 0, 1, 0]
    circle = [Record(0, -1, 0, 0, [], half), Record(1, 0, 0, 0, [], [6, 2]), Record(2, 0, 1, 0, [], [6, 1])]
    assert not check(source.mdp, forged(source, circle)).accepted


def test_a_leaf_cannot_be_split_to_make_it_vanish(sources):
    """Rule "tree": the regions where a leaf's action is fixed say "split" instead and list no parts."""
    for source in sources:
        if source.rule == "tree":
            records = [
                replace(r, branching=[2, r.branching[1]]) if r.branching[0] == 3 else r for r in source.records
            ]
            children = {r.number for r in records if r.branching[0] == 2}
            gone = {r.number for r in source.records if r.branching[0] == 3}
            kept = [r for r in records if r.parent not in gone or r.number in children]
            assert not check(source.mdp, forged(source, kept)).accepted


def test_solo_leaves_name_an_action_that_exists(sources):
    """Action -1 leaves nothing to do in the leaf: an empty region, which says nothing about the last action."""
    for source in sources:
        if source.rule == "tree" and source.plain:
            solo = Record(10**6, -2, -1, 0, [], [4])
            verdict = check(source.mdp, with_records(source.certificate, [*source.records, solo]))
            assert verdict.reason == "there is no action -1"


def test_floors_are_about_states_that_exist(tmp_path):
    mdp, path = load("frozenlake_8x8"), tmp_path / "run.cert"
    use = ProofOptions(rules=("state",), before_floors=0.0)
    certify(mdp, 3, start=leaf(2), time_limit=60, search=0.0, threads=1, certificate=path, ingredients=use)
    records = read_records(Certificate.load(path), mdp.num_states)
    root = next(r for r in records.values() if r.parent == -1)
    assert any(entry.floors for entry in root.rounds)
    rounds = [replace(e, floors=[(-1, scale, w) for _, scale, w in e.floors]) for e in root.rounds]
    forged = with_records(
        Certificate.load(path), [*(records | {root.number: replace(root, rounds=rounds)}).values()]
    )
    assert "floors belong to the root" in check(mdp, forged).reason


def test_visits_above_those_of_every_tree_are_rejected(sources):
    for source in sources:
        root = next(r for r in source.records if r.parent == -1)
        if root.rounds[-1].visits is None or source.plain:
            continue
        last = replace(root.rounds[-1], visits=root.rounds[-1].visits + 0.01)
        verdict = check(source.mdp, source.changed(root.number, rounds=[*root.rounds[:-1], last]))
        assert "visits are higher" in verdict.reason


NO_CLAIMS = [
    ("value", np.nan),
    ("bound", np.nan),
    ("bound", np.inf),
    ("margin", np.nan),
    ("margin", 1e3),
    ("margin", 0.0),
    ("depth", -1),
    ("depth", 2.5),
    ("max_leaves", 0),
    ("tree", {}),
    ("group_state", [0]),
]


@pytest.mark.parametrize(("entry", "value"), NO_CLAIMS)
def test_claims_that_are_none_are_rejected(sources, entry, value):
    source = sources[0]
    assert not check(source.mdp, with_header(source.certificate, **{entry: value})).accepted


def test_a_false_claim_is_never_accepted_whatever_the_regions_say(tmp_path):
    """Proofs of a worse tree's optimality with words of their regions changed at random."""
    rng = np.random.default_rng(9)
    for number in range(60):
        mdp = random_mdp(rng, "random")
        use = ProofOptions(rules=(("state", "tree")[number % 2],), before_floors=0.0)
        certify(mdp, 2, certificate=tmp_path / "run.cert", time_limit=60, search=0.0, threads=1, ingredients=use)
        certificate = Certificate.load(tmp_path / "run.cert")
        records = list(read_records(certificate, mdp.num_states).values())
        label = np.arange(mdp.num_actions)[:, None].repeat(mdp.num_states, 1)
        value = np.sort(returns(mdp, label))
        worse = value[value < certificate.header["value"] - 10 * certificate.header["margin"]]
        if len(worse) == 0:
            continue
        action = int(np.flatnonzero(returns(mdp, label) == worse[-1])[0])
        tree = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [action]}
        for _ in range(10):
            changed = []
            for record in records:
                words = np.array([record.first, record.second, *record.branching])
                if rng.random() < 0.3:
                    words[rng.integers(len(words))] = rng.integers(-2, 7)
                changed.append(
                    replace(record, first=int(words[0]), second=int(words[1]), branching=words[2:].tolist())
                )
            false = with_header(with_records(certificate, changed), tree=tree, value=worse[-1], bound=worse[-1])
            assert not check(mdp, false).accepted


def test_a_certificate_of_another_model_is_rejected(sources):
    verdict = check(load("frozenlake_8x8"), sources[0].certificate)
    assert not verdict.accepted
    assert "another model" in verdict.reason
