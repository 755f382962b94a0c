"""A proof whose pieces are done by others is the same proof: cut short, lost, done twice, merged."""

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from oracles.certify import best_return, random_mdp
from oracles.checkers import check
from oracles.true_claims import CLOSED
from spotree import CheckpointWriter, load
from spotree._core import ProofWinner
from spotree.api import certify as certifying
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.cluster.executor import ThreadExecutor, ThreadTask, WorkerLost
from spotree.cluster.job_scheduler import JobScheduler
from spotree.errors import InfeasibleError
from spotree.proof.checkpoint.open_list_codec import OpenSubproblems, places_of_numbers
from spotree.proof.distributed.driver import DistributedProof
from spotree.proof.distributed.pool import Pool, Spreading
from spotree.proof.options import ProofOptions
from spotree.proof.problem import make_problem

pytestmark = pytest.mark.slow

TREES = ProofOptions(rules=("tree",), before_floors=0.0, levels=False)


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Tasks of five regions at most from the first moment on; the numbers of pieces that each was given."""
    sent: list[int] = []
    take = DistributedProof._take

    def noted(self: DistributedProof, job: Any) -> None:
        sent.append(len(job.about.pieces))
        take(self, job)

    monkeypatch.setattr(DistributedProof, "_take", noted)
    monkeypatch.setattr(certifying, "Spreading", partial(Spreading, alone=0.0, regions=5))
    return sent


@pytest.fixture
def larger(tasks: list[int], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The same with tasks of a hundred regions."""
    monkeypatch.setattr(certifying, "Spreading", partial(Spreading, alone=0.0, regions=100))
    return tasks


def proved(mdp: Any, depth: int, path: Any, cluster: Any, **more: Any) -> Any:
    asked = {"search": 0.0, "threads": 1, "time_limit": 60, "ingredients": TREES} | more
    return certify(mdp, depth, certificate=path, cluster=cluster, **asked)


@pytest.mark.parametrize("missing", ["random", "end", "stay", "forbid"])
def test_pieces_prove_the_best_of_all_trees_and_the_merged_certificate_holds(missing, tmp_path, tasks):
    rng = np.random.default_rng(len(missing))
    cluster = ThreadExecutor(2)
    for number in range(40):
        mdp = random_mdp(rng, missing)
        depth = int(rng.integers(1, 4))
        max_leaves = int(rng.integers(1, 2**depth + 1)) if number % 3 == 0 else None
        off = ({}, {"solo": False}, {"regret": False}, {"filter": False}, {"floors": False})[number % 5]
        use = ProofOptions(rules=("tree",), before_floors=0.0, levels=False, **off)
        truth = best_return(mdp, depth, max_leaves)
        try:
            found = proved(mdp, depth, tmp_path / "run.cert", cluster, max_leaves=max_leaves, ingredients=use)
        except InfeasibleError:
            assert truth == -np.inf
            continue
        scale = max(abs(found.optimum), found.optimum - found.random_value)
        assert found.proved_optimal
        assert found.value == pytest.approx(truth, abs=1e-7 * scale)
        verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
        assert verdict.accepted, (number, verdict.reason)
    cluster.close()
    assert len(tasks) > 40


@pytest.mark.parametrize("regions", [1, 2])
def test_whoever_takes_up_a_piece_leaves_out_no_child_that_its_record_does_not_rule_out(
    regions, tmp_path, monkeypatch
):
    """Sharper visits than those that are written did so once: so close to discount 1 they differ much."""
    monkeypatch.setattr(certifying, "Spreading", partial(Spreading, alone=0.0, regions=regions))
    rng, cluster = np.random.default_rng(3), ThreadExecutor(1)
    models = [replace(random_mdp(rng, "stay"), discount=0.9999) for _ in range(84)]
    use = replace(TREES, solo=False, listed=10**6)
    for number in (58, 83):
        assert proved(models[number], 2, tmp_path / "run.cert", cluster, ingredients=use).proved_optimal
        verdict = check(models[number], Certificate.load(tmp_path / "run.cert"))
        assert verdict.accepted, (number, verdict.reason)
    cluster.close()


def test_a_proof_that_may_not_go_on_here_is_handed_over_before_its_time(tmp_path, tasks, monkeypatch):
    monkeypatch.setattr(certifying, "Spreading", partial(Spreading, alone=60.0, regions=5))
    mdp, cluster = load("traffic_intersection"), ThreadExecutor(1)
    found = proved(mdp, 1, tmp_path / "run.cert", cluster)
    cluster.close()
    assert found.proved_optimal
    assert tasks


@pytest.mark.parametrize(("model", "depth"), [("traffic_intersection", 2), ("tiger_vs_antelope", 1)])
def test_both_rules_and_workers_give_the_answer_of_one_machine(model, depth, tmp_path, larger):
    mdp, cluster = load(model), ThreadExecutor(2)
    alone = certify(mdp, depth, time_limit=60)
    for use in (TREES, ProofOptions(before_floors=0.0)):
        found = proved(mdp, depth, tmp_path / "run.cert", cluster, ingredients=use)
        assert found.proved_optimal
        assert found.value == pytest.approx(alone.value, rel=1e-9)
        assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted
    cluster.close()
    assert larger


class Losing(ThreadExecutor):
    """Every third answer is lost with its worker, which comes back at once."""

    count = 0

    def submit(self, worker: str, function: Any, *args: Any) -> ThreadTask:
        Losing.count += 1
        return super().submit(worker, _lost if Losing.count % 3 == 0 else function, *args)


def _lost(*args: Any) -> None:
    raise WorkerLost("gone")


def test_pieces_of_lost_workers_are_done_again(tmp_path, larger):
    mdp, cluster = load("traffic_intersection"), Losing(2)
    found = proved(mdp, 2, tmp_path / "run.cert", cluster)
    cluster.close()
    assert found.proved_optimal
    assert Losing.count >= 3
    assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


def test_a_level_is_proved_by_workers_as_well(tmp_path, larger):
    mdp, cluster = load("traffic_intersection"), ThreadExecutor(1)
    found = proved(
        mdp, 2, tmp_path / "run.cert", cluster, time_limit=5.0, ingredients=ProofOptions(rules=("tree",))
    )
    cluster.close()
    assert found.bound >= found.value
    assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


@pytest.mark.parametrize("use", [TREES, ProofOptions(before_floors=0.0, levels=False)], ids=["tree", "both"])
def test_a_spread_proof_goes_on_from_its_checkpoint_here_or_there(tmp_path, tasks, use):
    mdp, path, cluster = load("traffic_intersection"), tmp_path / "run.ckpt", ThreadExecutor(2)
    runs = 0
    while True:
        found = proved(
            mdp,
            2,
            tmp_path / "run.cert",
            cluster if runs % 3 < 2 else None,
            time_limit=0.25,
            ingredients=use,
            checkpoint=CheckpointWriter(path, every=0.05),
            resume=path if path.exists() else None,
        )
        runs += 1
        if found.status in CLOSED or runs > 100:
            break
    cluster.close()
    assert found.status in CLOSED
    assert runs > 1
    assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


class Silent(ThreadExecutor):
    """Nobody answers in time."""

    def submit(self, worker: str, function: Any, *args: Any) -> ThreadTask:
        return super().submit(worker, _slow, *args)


def _slow(*args: Any) -> None:
    time.sleep(0.5)


def test_pieces_that_workers_have_when_a_run_ends_stay_open():
    problem = make_problem(load("traffic_intersection"), 2, None, 60.0)
    executor = Silent(2)
    spread = DistributedProof(problem, Spreading(JobScheduler(executor), alone=0.0, regions=100))
    attempt = problem.attempt(None, spread)
    attempt.keep()
    attempt.start(60.0, 1, TREES, 10**9)
    while spread.away is None or not spread.by.scheduler.under_way:
        assert not spread.wait(0.01)
    with_workers = OpenSubproblems.read(*spread.snapshot()[2], *_sizes("traffic_intersection")).pieces
    spread.stop()
    after = OpenSubproblems.read(*spread.snapshot()[2], *_sizes("traffic_intersection")).pieces
    executor.close()
    assert sorted(p.words.tobytes() for p in after) == sorted(p.words.tobytes() for p in with_workers)
    assert len(after) > 0


class Fatal(ThreadExecutor):
    """Whoever gets the fifth task, or one after it, is lost."""

    count = 0

    def submit(self, worker: str, function: Any, *args: Any) -> ThreadTask:
        self.count += 1
        return super().submit(worker, _lost if self.count > 5 else function, *args)


def test_pieces_that_no_worker_survives_stay_open(tmp_path, larger):
    mdp, path, cluster = load("traffic_intersection"), tmp_path / "run.ckpt", Fatal(2)
    with pytest.warns(UserWarning, match="ended or hung"):
        found = proved(mdp, 2, tmp_path / "run.cert", cluster, checkpoint=CheckpointWriter(path, every=60.0))
    cluster.close()
    assert not found.proved_optimal
    found = proved(mdp, 2, tmp_path / "run.cert", None, checkpoint=CheckpointWriter(path, every=60.0), resume=path)
    assert found.status in CLOSED
    verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
    assert verdict.accepted, verdict.reason


def test_ctrl_c_between_two_answers_loses_neither(larger):
    """The scheduler has handed out answers that nobody took: their pieces are as open as they were."""
    problem = make_problem(load("traffic_intersection"), 2, None, 60.0)
    executor = ThreadExecutor(2)
    spread = DistributedProof(problem, Spreading(JobScheduler(executor), alone=0.0, regions=100))
    attempt = problem.attempt(None, spread)
    attempt.keep()
    attempt.start(60.0, 1, TREES, 10**9)
    while spread.away is None or not spread.away.jobs:
        assert not spread.wait(0.0)
    before = spread.share()
    while not spread.by.scheduler.wait(1.0):
        pass
    spread.stop()
    assert spread.share() == pytest.approx(before)
    executor.close()


HOW = {
    "threads": 1,
    "state_rule": False,
    "tree_rule": True,
    "regret": True,
    "floors": False,
    "filter": True,
    "solo": True,
    "journal": True,
    "keep_left": True,
    "before_floors": 0.0,
    "memory_limit": 10**9,
    "listed": 0,
    "most_regions": 30,
}


def cut_short(model: str, depth: int) -> Any:
    """A proof that ended early."""
    proof = make_problem(load(model), depth, None, 60.0).attempt().proof
    proof.start(seconds=60.0, **HOW)
    while not proof.wait(1.0):
        pass
    return proof


def left_of(model: str, depth: int) -> OpenSubproblems:
    """What is left of a proof that was cut short."""
    found = cut_short(model, depth).snapshot()
    assert found is not None
    return OpenSubproblems.read(*found[2], *_sizes(model))


def test_a_proof_that_goes_on_for_no_time_at_all_still_bounds_something():
    left = cut_short("traffic_intersection", 2).snapshot()[2]
    proof = make_problem(load("traffic_intersection"), 2, None, 60.0).attempt().proof
    none = np.zeros(0, np.int32)
    proof.reopen(words=none, numbers=np.zeros(0), next=0, left_words=left[0], left_numbers=left[1])
    proof.start(seconds=0.0, **HOW)
    while not proof.wait(1.0):
        pass
    assert proof.winner() is ProofWinner.none
    assert np.isfinite(proof.certified())
    assert len(proof.drain(False)[1]) > 0


def test_what_is_left_is_put_together_as_it_was_taken_apart():
    left = left_of("traffic_intersection", 2)
    words, numbers = left.streams
    again = OpenSubproblems.read(words, numbers, *_sizes("traffic_intersection"))
    assert len(left.pieces) > 0
    assert np.array_equal(again.streams[0], words)
    assert np.array_equal(again.streams[1], numbers)
    assert sum(piece.share for piece in left.pieces) + left.share == pytest.approx(1.0)


def _sizes(model: str) -> tuple[int, int, int]:
    mdp = load(model)
    return mdp.num_states, len(make_problem(mdp, 1, None, 1.0).groups.state), mdp.num_actions


def test_halves_of_a_piece_have_its_children():
    pieces = [piece for piece in left_of("traffic_intersection", 2).pieces if piece.halves() is not None]
    assert pieces
    for piece in pieces:
        one, other = piece.halves()
        assert one.children[1] + other.children[1] == piece.children[1]
        assert one.share + other.share == pytest.approx(piece.share)
        assert len(one.words) == one.words[0]


def test_a_pool_gives_every_worker_something_and_forgets_nothing():
    pool = Pool(left_of("traffic_intersection", 2).pieces)
    share, taken = pool.share, []
    while len(pool):
        taken += pool.take(2)
    assert sum(piece.share for piece in taken) == pytest.approx(share)
    assert len(taken) >= 2


def test_a_pool_gives_a_task_although_the_last_worker_has_just_left():
    pool = Pool(left_of("traffic_intersection", 2).pieces)
    assert len(pool.take(0)) > 0


def test_numbers_of_regions_are_found_in_the_words(tmp_path):
    mdp = load("traffic_intersection")
    proved(mdp, 2, tmp_path / "run.cert", None)
    words = Certificate.load(tmp_path / "run.cert").words
    count, at = 0, 0
    while at < len(words):
        count, at = count + 1, at + int(words[at])
    assert len(places_of_numbers(words)) >= 2 * count
