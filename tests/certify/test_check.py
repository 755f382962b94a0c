"""A certificate that was tampered with is rejected, whatever was changed."""

import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from oracles.certify import best_return, random_mdp, returns
from spotree.certify.certificate import Certificate
from spotree.certify.certify import certify
from spotree.certify.check import check
from spotree.certify.ingredients import Ingredients
from spotree.models import load


def certificate_of(mdp, depth, path, **options):
    options = {"search": 0.0, "threads": 1, "time_limit": 60} | options
    certify(mdp, depth, certificate=path, **options)
    return Certificate.load(path)


class Region(NamedTuple):
    """Where a region stands in the streams."""

    start: int
    end: int
    parent: int
    branching: int
    value: int | None  # place of its last value among the numbers
    first_number: int
    last_number: int


def regions(certificate):
    words, states, at, taken, found = certificate.words, certificate.header["states"], 0, 0, []
    while at < len(words):
        place, value, before, taken = at + 6, None, taken, taken + 1
        for _ in range(words[at + 5]):
            regret, floors, removed = (int(w) for w in words[place : place + 3])
            value, taken = taken, taken + states + floors * (states + 2) + regret * states
            place += 3 + floors + removed
        end = at + int(words[at])
        found.append(Region(at, end, int(words[at + 2]), int(words[place]), value, before, taken))
        at = end
    return found


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Certificates of both rules: (mdp, certificate)."""
    folder, found = tmp_path_factory.mktemp("certificates"), []
    for rule in ("state", "tree"):
        for name, depth in (("frozenlake_4x4", 2), ("frozenlake_8x8", 1), ("system_administrator_tree", 1)):
            mdp = load(name)
            use = Ingredients(rules=(rule,))
            best = certify(mdp, depth, time_limit=60, search=0.0)
            certificate = certificate_of(mdp, depth, folder / "run.cert", ingredients=use, start=best)
            assert check(mdp, certificate).accepted
            certificate.header["start state"] = int(np.flatnonzero(mdp.initial)[0])  # for the mutations
            found.append((mdp, certificate))
    return found


def changed_value(certificate, rng):
    """The claimed return of the tree, or the bound, moved by more than the tolerance."""
    header = copy.deepcopy(certificate.header)
    step = header["margin"] * (2 + 1000 * rng.random())
    if rng.random() < 0.5:
        header["value"] += step * rng.choice([-1, 1])
    else:
        header["bound"] = header["value"] - step
    return replace(certificate, header=header)


def lowered_number(certificate, rng):
    """The value of a start state is lowered where regions are closed: it bounds nothing any more."""
    numbers = certificate.numbers.copy()
    for region in regions(certificate):
        if region.branching == 0 and region.value is not None:
            numbers[region.value + certificate.header["start state"]] -= (1 + rng.random()) * 1e3
    return replace(certificate, numbers=numbers)


def dropped_region(certificate, rng):
    """A region is gone with its numbers (rule "tree": all of a parent's, for one alone another may stand in)."""
    listed = regions(certificate)
    victim = listed[rng.integers(len(listed))]
    if certificate.header["rule"] == "state":
        gone = [victim]
    else:
        gone = [region for region in listed if region.parent in (0, -2)]
    words, numbers = np.ones(len(certificate.words), bool), np.ones(len(certificate.numbers), bool)
    for region in gone:
        words[region.start : region.end] = False
        numbers[region.first_number : region.last_number] = False
    return replace(certificate, words=certificate.words[words], numbers=certificate.numbers[numbers])


def swapped_action(certificate, rng):
    """One leaf of the tree takes another action."""
    header = copy.deepcopy(certificate.header)
    leaves = [node for node, feature in enumerate(header["tree"]["feature"]) if feature < 0]
    node = leaves[rng.integers(len(leaves))]
    header["tree"]["action"][node] = (header["tree"]["action"][node] + 1) % header["actions"]
    return replace(certificate, header=header)


def other_tree(certificate, rng):
    """A tree that is not the incumbent: one leaf."""
    header = copy.deepcopy(certificate.header)
    action = int(rng.integers(header["actions"]))
    header["tree"] = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [action]}
    return replace(certificate, header=header)


def deeper_claim(certificate, rng):
    """The same proof for deeper trees."""
    header = copy.deepcopy(certificate.header)
    header["depth"] += int(rng.integers(1, 3))
    return replace(certificate, header=header)


def cut_short(certificate, rng):
    """The end of the file is missing."""
    keep = int(rng.integers(len(certificate.numbers)))
    return replace(certificate, numbers=certificate.numbers[:keep])


def widened_region(certificate, rng):
    """A region claims one action less to be allowed than the filter removed: more trees than it proved."""
    words = certificate.words.copy()
    spots = []
    for start, *_ in regions(certificate):
        place = start + 6
        for _ in range(words[start + 5]):
            if words[place + 2]:
                spots.append((place + 3 + int(words[place + 1]), int(words[place + 2])))
            place += 3 + int(words[place + 1]) + int(words[place + 2])
    if not spots:
        return None
    first, count = spots[rng.integers(len(spots))]
    at = first + int(rng.integers(count))
    words[at] = (words[at] + 1 + rng.integers(5)) % (
        len(certificate.header["group_state"]) * certificate.header["actions"]
    )
    return replace(certificate, words=words)


MUTATIONS = [changed_value, lowered_number, dropped_region, swapped_action, other_tree, deeper_claim, cut_short]


def test_a_thousand_mutated_certificates_are_rejected(sources):
    rng = np.random.default_rng(5)
    counts = dict.fromkeys(MUTATIONS, 0)
    for number in range(1000):
        mdp, certificate = sources[number % len(sources)]
        mutation = MUTATIONS[number // len(sources) % len(MUTATIONS)]
        mutated = mutation(certificate, rng)
        verdict = check(mdp, mutated)
        counts[mutation] += 1
        assert not verdict.accepted, (mutation.__name__, number, verdict)
    assert min(counts.values()) > 100


def test_widened_regions_never_prove_more_than_is_true(tmp_path):
    """Changed filters may leave a valid proof (the action could have gone as well); a false bound never passes."""
    rng = np.random.default_rng(9)
    tried = 0
    for _ in range(40):
        mdp = random_mdp(rng, "random")
        certificate = certificate_of(mdp, 2, tmp_path / "run.cert")
        truth = best_return(mdp, 2, None)
        for _ in range(5):
            mutated = widened_region(certificate, rng)
            if mutated is None:
                continue
            tried += 1
            verdict = check(mdp, mutated)
            assert not verdict.accepted or truth <= verdict.bound + verdict.tolerance
    assert tried > 20


def test_a_certificate_never_proves_a_worse_tree_optimal(tmp_path):
    """Hand the checker a proof whose incumbent was replaced by a worse tree, values adjusted to match."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        mdp = random_mdp(rng, "end")
        certificate = certificate_of(mdp, 1, tmp_path / "run.cert")
        header = copy.deepcopy(certificate.header)
        worst = min(range(mdp.num_actions), key=lambda a: returns(mdp, np.full((1, mdp.num_states), a))[0])
        value = float(returns(mdp, np.full((1, mdp.num_states), worst))[0])
        if value > header["value"] - 10 * header["margin"]:
            continue
        header["tree"] = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [worst]}
        header["value"] = header["bound"] = value
        assert not check(mdp, replace(certificate, header=header)).accepted


def test_a_certificate_of_another_model_is_rejected(sources):
    (one, certificate), (other, _) = sources[0], sources[1]
    assert check(one, certificate).accepted
    verdict = check(other, certificate)
    assert not verdict.accepted
    assert "another model" in verdict.reason
