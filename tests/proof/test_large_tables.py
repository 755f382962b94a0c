"""What a certificate may ask for is limited before memory is spent, and certify writes none that asks for more."""

import resource

import pytest

from oracles.certificates import with_header
from oracles.checkers import check
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.reference import trees as plain_trees
from spotree.certificates.verify import check as by_one
from spotree.errors import InvalidProblemError
from spotree.models import load
from spotree.proof.options import ProofOptions
from spotree.results.solution import SolveStatus


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    path, mdp = tmp_path_factory.mktemp("lake") / "run.cert", load("frozenlake_8x8")
    certify(mdp, 2, time_limit=30, search=0.0, threads=1, certificate=path)
    return mdp, Certificate.load(path)


def memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024  # MB


@pytest.mark.parametrize("plain", [False, True])
def test_tables_of_too_many_sizes_are_refused_before_they_are_made(lake, plain):
    mdp, certificate = lake
    before = memory()
    # depth 64: up to 389 sizes for each depth, 24,000 in all; times 1,296 sets of groups
    verdict = by_one(mdp, with_header(certificate, depth=64, max_leaves=390), plain=plain, threads=1)
    assert not verdict.accepted
    assert "sizes for each of" in verdict.reason
    assert "25000000" in verdict.reason
    assert memory() - before < 600


@pytest.mark.parametrize("plain", [False, True])
def test_trees_of_too_many_shapes_are_refused_by_their_numbers(lake, plain):
    mdp, certificate = lake
    verdict = by_one(mdp, with_header(certificate, depth=64, max_leaves=10**9), plain=plain, threads=1)
    assert not verdict.accepted
    assert "depth 64 and 1000000000 leaves" in verdict.reason
    assert "5000000" in verdict.reason


@pytest.mark.slow
def test_tables_that_checkers_would_refuse_are_too_large_for_a_proof_and_the_search_goes_on(tmp_path):
    mdp = load("tictactoe_vs_random")  # trees of 12 leaves: 100 sizes, times more than 250,000 sets of groups
    found = certify(mdp, 11, max_leaves=12, time_limit=10, threads=1, certificate=tmp_path / "run.cert")
    assert found.status is SolveStatus.TOO_LARGE
    assert found.value > 0  # a single leaf loses
    assert by_one(mdp, Certificate.load(tmp_path / "run.cert")).accepted  # the bound over all policies


def test_shapes_that_checkers_would_refuse_are_refused_at_the_door(tmp_path):
    mdp = load("tictactoe_vs_random")  # more groups than leaves: none of the sizes is cut to what they can use
    for leaves in (500, 1000):
        with pytest.raises(InvalidProblemError, match="too large for a proof"):
            certify(mdp, 64, max_leaves=leaves, time_limit=5, certificate=tmp_path / "run.cert")
    assert not (tmp_path / "run.cert").exists()


def test_deep_trees_and_many_leaves_that_fit_are_proved_and_checked(tmp_path):
    mdp = load("frozenlake_4x4")
    for size in ({"depth": 40}, {"depth": 12, "max_leaves": 16}):
        certify(mdp, **size, time_limit=5, threads=1, certificate=tmp_path / "run.cert")
        assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


def test_sets_that_do_not_fit_into_the_plain_checkers_memory_are_refused(tmp_path, monkeypatch):
    mdp, path = load("frozenlake_4x4"), tmp_path / "run.cert"
    certify(mdp, 2, time_limit=20, search=0.0, certificate=path, ingredients=ProofOptions(rules=("tree",)))
    certificate = Certificate.load(path)
    monkeypatch.setattr(plain_trees, "MOST_WEIGHTS", 0)  # sums without a table of numbers
    assert by_one(mdp, certificate, plain=True).accepted
    monkeypatch.setattr(plain_trees, "MOST_CELLS", 30)
    refused = by_one(mdp, certificate, plain=True)
    assert not refused.accepted
    assert "do not fit into memory" in refused.reason
