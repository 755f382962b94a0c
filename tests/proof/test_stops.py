"""A proof may be stopped at any moment and taken up again: its bound holds all the time."""

import time

import numpy as np
import pytest

from oracles.certificates import with_header, with_records
from oracles.checkers import check
from oracles.drawn_models import drawn
from oracles.true_claims import CLOSED
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.records import Record, Round
from spotree.errors import InvalidProblemError
from spotree.models import load
from spotree.proof.driver import Run
from spotree.proof.incumbent import Incumbent
from spotree.proof.numerics import shown_bound
from spotree.proof.options import ProofOptions
from spotree.proof.problem import make_problem
from spotree.proof.recorder import Recorder
from spotree.proof.schedule import Turn
from spotree.results.solution import SolveStatus
from spotree.trees.tree import leaf

BEST = 0.3926847  # of frozenlake_8x8 at depth 3, proved by both rules and by OMDT


@pytest.mark.slow
def test_bound_holds_at_fifty_random_stops(tmp_path):
    mdp = load("frozenlake_8x8")
    rng = np.random.default_rng(0)
    for number, seconds in enumerate(rng.uniform(0, 0.3, size=50)):
        path = tmp_path / "run.cert"
        solution = certify(
            mdp, 3, start=leaf(2), time_limit=seconds, search=0.0, threads=1 + number % 2, certificate=path
        )
        assert solution.value <= BEST + 1e-6 <= solution.bound + 2e-6
        if number % 10 == 0:
            verdict = check(mdp, Certificate.load(path))
            assert verdict.accepted, verdict.reason
            assert solution.bound <= verdict.bound + 1e-9


def test_a_proof_that_is_broken_off_at_once_states_a_bound_that_rounding_leaves_room_for(tmp_path):
    # Rewards of 1e-6 and 1.5e10, discount 0.99999: before the first sweep values are 1.5e15, the best return is 7e9.
    mdp = drawn(np.random.default_rng((4711, 847))).mdp
    certify(mdp, 0, time_limit=20, search=0.0, certificate=tmp_path / "run.cert")
    value = np.full(mdp.num_states, mdp.reward_of_choice.max() / (1 - mdp.discount))
    none = np.zeros(0, np.int32)
    root = Record(0, -1, 0, 0, [Round(False, value, [], None, none)], [0])
    bound = float(mdp.initial @ value)  # no row is worth more
    for stated, holds in ((bound, False), (shown_bound(mdp, bound), True)):
        written = with_records(with_header(Certificate.load(tmp_path / "run.cert"), bound=stated), [root])
        assert check(mdp, written).accepted == holds
    assert shown_bound(mdp, bound) == pytest.approx(bound, rel=1e-8)


def test_a_stopped_proof_goes_on_and_its_certificate_holds(tmp_path):
    mdp = load("frozenlake_8x8")
    path = tmp_path / "run.cert"
    use = ProofOptions(rules=("state",), floors=False, levels=False)
    regions, bound = [], np.inf
    for _ in range(200):
        old, limit = (path, 0.15) if regions else (None, 0.01)  # the first run is surely stopped
        solution = certify(
            mdp, 3, start=leaf(2), time_limit=limit, search=0.0, certificate=path, resume=old, ingredients=use
        )
        assert solution.bound + 1e-6 >= BEST
        assert solution.bound <= bound + 1e-9
        bound = solution.bound
        regions.append(solution.history[-1].round)
        if solution.status in CLOSED:
            break
    assert solution.value == pytest.approx(BEST, abs=1e-6)
    assert len(regions) > 1, "the proof was over before it could be stopped"
    verdict = check(mdp, Certificate.load(path))
    assert verdict.accepted, verdict.reason
    assert verdict.regions > 0.7 * regions[0]


def test_a_level_goes_on_with_its_bound(tmp_path):
    mdp = load("frozenlake_8x8")
    problem = make_problem(mdp, 3, None, 60.0)
    incumbent, recorder = Incumbent(problem, threads=2), Recorder(problem, tmp_path / "run.cert")
    incumbent.offer(leaf(2))
    run = Run(problem, incumbent, recorder, ProofOptions(), 10**9, budget=0.0)
    run.answer(run.follow(Turn(60.0, level=0.41)))
    for limit in (0.0, 60.0):
        solution = certify(
            mdp, 3, time_limit=limit, search=0.0, certificate=tmp_path / "next.cert", resume=tmp_path / "run.cert"
        )
        verdict = check(mdp, Certificate.load(tmp_path / "next.cert"))
        assert verdict.accepted, verdict.reason
        assert BEST - 1e-6 <= verdict.bound <= 0.41 + 1e-6
        assert solution.bound == pytest.approx(verdict.bound, abs=1e-7)
    assert solution.status in CLOSED


@pytest.mark.parametrize(
    ("name", "depth"), [("tictactoe_vs_random", 4), ("firewire", 2), ("inventory_management", 3)]
)
def test_the_time_limit_holds_inside_long_loops(name, depth):
    mdp = load(name)
    certify(mdp, depth, time_limit=0)  # what comes before the proof is not limited
    began = time.process_time()
    solution = certify(mdp, depth, time_limit=1.0, threads=1, start=leaf(0))
    assert time.process_time() - began < 3.0  # of the processor, as others may keep the machine busy
    assert solution.value <= solution.bound


def test_a_proof_of_another_size_cannot_go_on(tmp_path):
    mdp = load("frozenlake_4x4")
    certify(mdp, 1, time_limit=5, search=0.0, certificate=tmp_path / "run.cert")
    with pytest.raises(InvalidProblemError, match="depth 1, not 2"):
        certify(mdp, 2, time_limit=5, resume=tmp_path / "run.cert")


def test_a_start_that_is_too_deep_is_refused():
    solution = certify(load("frozenlake_4x4"), 2, time_limit=5, search=0.0)
    with pytest.raises(InvalidProblemError, match="start has depth"):
        certify(load("frozenlake_4x4"), 1, start=solution)


def test_ctrl_c_returns_the_tree_and_a_bound_that_holds():
    def interrupt(_):
        raise KeyboardInterrupt

    solution = certify(load("frozenlake_8x8"), 3, start=leaf(2), time_limit=60, search=0.0, progress=interrupt)
    assert solution.status is SolveStatus.INTERRUPTED
    assert solution.value <= BEST + 1e-6 <= solution.bound + 2e-6


def test_little_memory_changes_the_order_not_the_answer():
    solution = certify(
        load("frozenlake_8x8"),
        2,
        start=leaf(2),
        time_limit=60,
        search=0.0,
        memory_limit=10_000,
        ingredients=ProofOptions(rules=("state",), floors=False),
    )
    assert solution.proved_optimal
    assert solution.value == pytest.approx(0.3870226, abs=1e-6)


def test_ctrl_c_in_a_search_beside_the_proof_ends_the_run(monkeypatch):
    searched = []

    def search(_, seconds, rounds=None, go_on=None):
        searched.append(seconds)
        return len(searched) > 1  # not the one before the proof

    monkeypatch.setattr(Incumbent, "search", search)
    solution = certify(load("tiger_vs_antelope"), 2, time_limit=60, threads=1)
    assert solution.status is SolveStatus.INTERRUPTED
    assert len(searched) == 2
