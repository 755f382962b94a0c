"""Levels above the best tree: what they prove holds, and a level that is too low is found out."""

import numpy as np
import pytest

from oracles.certify import best_return, random_mdp
from oracles.checkers import check
from oracles.true_claims import CLOSED
from spotree._core import ProofWinner
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check as by_native
from spotree.models import load
from spotree.proof.driver import Run
from spotree.proof.incumbent import Incumbent
from spotree.proof.options import ProofOptions
from spotree.proof.problem import Problem, make_problem
from spotree.proof.recorder import Recorder
from spotree.proof.schedule import OWN_SHARE, Turn
from spotree.trees.tree import leaf

RULES = (("state",), ("tree",), ("state", "tree"))


def attempt(mdp, depth, level, rules, path):
    """A run after one attempt at a level, from a poor tree, and the attempt."""
    problem = make_problem(mdp, depth, None, 60.0)
    incumbent, recorder = Incumbent(problem, threads=2), Recorder(problem, path)
    incumbent.offer(leaf(0))
    run = Run(problem, incumbent, recorder, ProofOptions(rules=rules), 10**9, budget=0.0)
    return run, run.follow(Turn(60.0, level=level))


@pytest.mark.parametrize("rules", RULES)
def test_a_level_between_the_best_tree_and_the_optimum_is_proved_and_nothing_below_it(rules, tmp_path):
    rng = np.random.default_rng(11)
    path = tmp_path / "run.cert"
    for _ in range(20):
        mdp = random_mdp(rng, "random")
        depth = int(rng.integers(1, 3))
        truth = best_return(mdp, depth, None)
        level = truth + rng.uniform(0.2, 0.8) * (certify(mdp, 0, time_limit=0).optimum - truth)
        run, done = attempt(mdp, depth, level, rules, path)
        if level <= truth + 4 * run.problem.margin:
            done.drop()
            continue
        assert done.winner is not ProofWinner.none
        assert done.is_level
        assert level <= done.bound <= level + run.problem.margin
        solution = run.answer(done)
        assert not solution.proved_optimal
        assert solution.bound == done.bound
        certificate = Certificate.load(path)
        assert certificate.header["rule"] == "level"
        assert check(mdp, certificate).accepted
        certificate.header["bound"] = truth - 10 * run.problem.margin
        assert not check(mdp, certificate).accepted
        assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("rules", RULES)
def test_a_level_below_the_best_tree_leads_to_that_tree(rules, tmp_path):
    rng = np.random.default_rng(12)
    for _ in range(20):
        mdp = random_mdp(rng, "random")
        depth = int(rng.integers(1, 3))
        truth = best_return(mdp, depth, None)
        run, done = attempt(mdp, depth, truth - 0.05 * abs(truth) - 1e-3, rules, tmp_path / "run.cert")
        assert not done.is_level
        assert run.answer(done).proved_optimal
        assert run.incumbent.value == pytest.approx(truth, abs=run.problem.margin)
        assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


@pytest.mark.slow
def test_an_unfinished_proof_turns_to_levels(monkeypatch, tmp_path):
    tried = []
    make = Problem.attempt
    monkeypatch.setattr(
        Problem, "attempt", lambda self, level=None, spread=None: tried.append(level) or make(self, level, spread)
    )
    mdp = load("tictactoe_vs_random")
    path = tmp_path / "run.cert"
    solution = certify(mdp, 3, start=leaf(0), search=0.0, time_limit=4, threads=2, certificate=path)
    assert tried[0] is None
    assert len(tried) > 1
    assert all(-1 < level < solution.optimum for level in tried[1:])
    assert 0.8359 < solution.bound <= solution.optimum  # a tree of depth 3 returns 0.835993
    assert check(mdp, Certificate.load(path)).accepted
    assert not list(tmp_path.glob("*.partial"))


def test_a_certificate_of_a_level_can_be_resumed_down_to_the_optimum(tmp_path):
    mdp, first, second = load("frozenlake_8x8"), tmp_path / "first.cert", tmp_path / "second.cert"
    run, done = attempt(mdp, 2, 0.45, ("state", "tree"), first)
    stopped = run.answer(done)
    assert Certificate.load(first).header["rule"] == "level"
    no_time = certify(mdp, 2, resume=first, time_limit=0.0, certificate=second)
    assert no_time.bound == stopped.bound  # nothing is lost
    assert check(mdp, Certificate.load(second)).accepted
    solution = certify(mdp, 2, resume=first, time_limit=60.0, certificate=second)
    assert solution.status in CLOSED
    assert solution.value == pytest.approx(0.387023, abs=1e-6)
    assert check(mdp, Certificate.load(second)).accepted


@pytest.mark.slow
def test_levels_go_on_below_the_one_that_was_resumed(monkeypatch, tmp_path):
    mdp, path, tried = load("frozenlake_12x12"), tmp_path / "run.cert", []
    run, done = attempt(mdp, 4, 0.345, ("state", "tree"), path)
    run.answer(done)
    make = Problem.attempt
    monkeypatch.setattr(
        Problem, "attempt", lambda self, level=None, spread=None: tried.append(level) or make(self, level, spread)
    )
    seen = certify(mdp, 4, resume=path, search=0.0, time_limit=4.0, threads=2, certificate=path)
    assert tried[0] is None
    assert 0.2995 < max(tried[1:]) < done.bound  # a tree of depth 4 returns 0.299511
    assert 0.2995 < seen.bound <= done.bound
    assert by_native(mdp, Certificate.load(path)).accepted


def test_all_levels_share_the_cubes_of_the_first(tmp_path):
    mdp = load("frozenlake_8x8")
    run, _ = attempt(mdp, 2, 0.5, ("state", "tree"), tmp_path / "run.cert")
    for level in (0.45, 0.42, 0.4):  # the best tree of depth 2 returns 0.387
        done = run.follow(Turn(60.0, level=level))
        assert done.is_level
        assert done.winner is not ProofWinner.none
    assert run.problem.model.builds() == 1
    run.recorder.drop()


@pytest.mark.slow
@pytest.mark.parametrize("early", [True, False])
def test_a_proof_that_does_not_get_on_is_left_early(early, monkeypatch):
    limit, began = 6.0, []
    make = Problem.attempt
    monkeypatch.setattr("spotree.proof.driver.gets_on", lambda looks: not early)
    monkeypatch.setattr(
        Problem, "attempt", lambda self, *given: began.append(self.frame.seconds) or make(self, *given)
    )
    certify(load("tictactoe_vs_random"), 3, start=leaf(0), search=0.0, time_limit=limit, threads=1)
    assert (began[1] < 0.98 * OWN_SHARE * limit) == early  # after 0.35 of it, or not before 0.7
