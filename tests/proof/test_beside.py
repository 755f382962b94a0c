"""`solve` proves by itself: what it claims holds, and a proof that does not pay takes little from the search."""

import math
import time

import numpy as np
import pytest

import spotree
from oracles.certify import best_return, random_mdp
from spotree.errors import InvalidProblemError
from spotree.models import load
from spotree.proof import concurrent_prover as beside
from spotree.proof.concurrent_prover import ConcurrentProver
from spotree.results.solution import SolveStatus
from spotree.search.run_context import RunContext
from spotree.trees.tree import leaf


class Still:
    """A search that has one tree and finds no other."""

    def __init__(self, tree, value):
        self.tree, self.value = tree, value

    def best(self):
        return self.tree

    def offer(self, tree):
        self.tree = tree


@pytest.fixture(scope="module")
def lake() -> spotree.MDP:
    return load("frozenlake_8x8")


def test_plain_solve_proves_its_tree_and_ends(lake):
    began = time.process_time()
    solution = spotree.solve(lake, 2, time_limit=60, threads=2)
    assert solution.status is SolveStatus.OPTIMAL
    assert solution.value == pytest.approx(0.3870226, abs=1e-6)
    assert solution.bound - solution.value <= 1e-7 * solution.optimum
    assert time.process_time() - began < 20  # of the processor: about 2, and 120 if the run did not end


def test_the_search_alone_proves_nothing(lake):
    solution = spotree.solve(lake, 3, time_limit=1, threads=1, prove=False)
    assert solution.status is SolveStatus.TIME_LIMIT
    assert solution.bound == pytest.approx(solution.optimum)


def test_what_is_proved_is_the_best_of_all_trees():
    rng = np.random.default_rng(3)
    for _ in range(10):
        mdp = random_mdp(rng, "random")
        solution = spotree.solve(mdp, 2, time_limit=20, threads=1, enumerate_work=0)
        best = best_return(mdp, 2, None)
        assert solution.proved_optimal
        assert solution.value == pytest.approx(best, abs=2e-7 * max(1.0, abs(best)))


def test_counted_work_gives_the_same_answer_as_without_a_proof(lake):
    one, other = (
        spotree.solve(lake, 3, max_rounds=3, round_work=10_000_000, threads=1, prove=prove)
        for prove in (True, False)
    )
    assert str(one.policy) == str(other.policy)
    assert (one.value, one.bound, one.status) == (other.value, other.bound, other.status)


def test_trees_of_the_proof_go_to_the_search(lake):
    frame = RunContext(lake, 2, None, "neighbourhood", 0, 600.0)
    search = Still(leaf(2), 0.0)
    proof = ConcurrentProver(frame, threads=2)
    assert not proof.turn(search)  # one round is too early
    assert proof.turn(search)
    assert frame.return_of(search.tree) == pytest.approx(0.3870226, abs=1e-6)
    assert proof.bound == pytest.approx(0.3870226, abs=1e-6)


def test_ctrl_c_in_the_proof_keeps_the_tree_and_a_bound(lake):
    def interrupt(line):
        if line.round >= 2:
            raise KeyboardInterrupt

    solution = spotree.solve(lake, 3, time_limit=60, threads=1, progress=interrupt)
    assert solution.status is SolveStatus.INTERRUPTED
    assert solution.value <= 0.3926847 + 1e-6 <= solution.bound + 2e-6


def test_the_time_limit_holds(lake):
    began = time.process_time()
    spotree.solve(load("tictactoe_vs_random"), 3, time_limit=2.0, threads=1)
    assert time.process_time() - began < 4.0


def test_a_certificate_of_solve_is_accepted(lake, tmp_path):
    path = tmp_path / "run.cert"
    solution = spotree.solve(lake, 2, time_limit=60, threads=2, certificate=path)
    verdict = spotree.check(path, lake)
    assert verdict.accepted, verdict.reason
    assert verdict.bound == pytest.approx(solution.bound, abs=1e-6)


def test_what_trying_all_trees_proves_is_in_the_certificate_too(tmp_path):
    path, mdp = tmp_path / "run.cert", load("frozenlake_4x4")
    solution = spotree.solve(mdp, 1, time_limit=30, threads=1, certificate=path)
    assert solution.proved_optimal
    verdict = spotree.check(path, mdp)
    assert verdict.accepted, verdict.reason
    assert verdict.bound == pytest.approx(solution.value, abs=1e-6)


def test_a_certificate_stands_even_if_there_was_no_attempt(lake, tmp_path):
    path = tmp_path / "run.cert"
    solution = spotree.solve(lake, 3, time_limit=0.4, threads=1, certificate=path)
    verdict = spotree.check(path, lake)
    assert verdict.accepted, verdict.reason
    assert solution.value <= 0.3926847 + 1e-6 <= verdict.bound + 2e-6


@pytest.mark.parametrize("asked", [{"prove": False}, {"max_rounds": 1}, {"method": "viper"}])
def test_a_certificate_that_nobody_would_write_is_refused(lake, tmp_path, asked):
    with pytest.raises(InvalidProblemError, match="no proof to write"):
        spotree.solve(lake, 1, certificate=tmp_path / "run.cert", **asked)


def test_a_model_that_is_too_large_is_searched_alone(lake, monkeypatch):
    monkeypatch.setattr(beside, "MOST_STATES", 10)
    proof = ConcurrentProver(RunContext(lake, 3, None, "neighbourhood", 0, 60.0), threads=1)
    assert not any(proof.turn(Still(leaf(2), 0.0)) for _ in range(5))
    assert (proof.spent, proof.bound) == (0.0, math.inf)


def test_costs_are_proved_too():
    solution = spotree.solve(load("firewire"), 1, time_limit=5, threads=2)
    assert solution.sense == "min"
    assert solution.cost == pytest.approx(70.5, abs=1.0)
    assert solution.value <= solution.bound <= solution.optimum + 1e-6


@pytest.mark.slow
def test_certify_gives_the_rest_of_the_time_to_the_search_where_the_proof_is_too_large():
    mdp = load("csma_2_4_paper")
    solution = spotree.certify(mdp, 4, time_limit=8, threads=2)
    assert solution.status in (SolveStatus.TOO_LARGE, SolveStatus.TIME_LIMIT)  # the latter on a busy machine
    assert solution.seconds > 7
    assert solution.value <= solution.bound
