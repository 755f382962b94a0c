"""The branch and bound on many machines: the same optimum as on one, whoever is lost."""

import math
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cluster.machines import Machines
from spotree.checkpoint import CheckpointWriter
from spotree.cluster.executor import Executor
from spotree.cluster.factory import open_executor
from spotree.cluster.job_scheduler import JobScheduler
from spotree.errors import ReadError
from spotree.improvement.engine import best_tree
from spotree.improvement.engines.exact import Exact
from spotree.improvement.engines.rsbb import Rsbb
from spotree.improvement.engines.rsbb.config import ground_of, packed
from spotree.improvement.engines.rsbb.distributed import driver as spread
from spotree.improvement.engines.rsbb.distributed.worker import RsbbRequest, forget, search_part
from spotree.improvement.engines.rsbb.open_list import whole_space
from spotree.improvement.engines.rsbb.ranked_problem import as_step
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem
from spotree.improvement.result import Status, StepResult

COMPLETE = (Status.OPTIMAL, Status.TRUSTED)  # here, or together with the file that was resumed
SWITCHES = dict.fromkeys(("settled", "group", "snap", "primal", "actions"), True) | {"seed": 0, "threads": 1}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short orders from the first moment, so that small problems have many."""
    for name in ("FIRST_SECONDS", "TASK_SECONDS", "HURRY_SECONDS"):
        monkeypatch.setattr(spread, name, 0.002)
    monkeypatch.setattr(spread, "MIX", 4)


@pytest.fixture
def two() -> Iterator[Executor]:
    executor = open_executor("threads:2")
    yield executor
    executor.close()


def random_problem(
    seed: int, rows: int = 60, depth: int = 2, frozen: bool = False, features: int = 3, values: int = 6
) -> TreeProblem:
    rng = np.random.default_rng(seed)
    actions, inner = 3, 2**depth - 1
    kept = None
    if frozen:
        kept = Frozen(
            np.where(rng.random(inner) < 0.3, rng.integers(UNSPLIT, features, inner), FREE).astype(np.int32),
            rng.random(inner) * 6,
            np.where(rng.random(inner + 1) < 0.2, rng.integers(0, actions, inner + 1), FREE).astype(np.int32),
        )
    return TreeProblem(
        rng.integers(0, values, (rows, features)).astype(float), rng.normal(size=(rows, actions)), depth, None, kept
    )


def agrees(problem: TreeProblem, found: StepResult) -> bool:
    best = best_tree(problem, Exact(), Limits())
    close = 1e-9 * float(np.ptp(problem.gain, axis=1).sum())
    return found.status in COMPLETE and abs(found.value - best.value) <= close and found.bound >= best.value - close


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("off", [None, "settled", "grouped", "snapped", "primal", "actions"])
def test_parts_find_the_optimum_whatever_the_switches(two: Executor, off: str | None, frozen: bool) -> None:
    for seed in range(3):
        problem = random_problem(seed, frozen=frozen)
        engine = Rsbb(cluster=two, **({} if off is None else {off: False}))  # type: ignore[arg-type]
        assert agrees(problem, best_tree(problem, engine, Limits(threads=1)))


@pytest.mark.usefixtures("at_once")
def test_processes_find_the_optimum_and_all_of_them_work(local: Executor) -> None:
    problem, scheduler = random_problem(3, 120, depth=3, features=2, values=5), JobScheduler(local)
    found = best_tree(problem, Rsbb(cluster=scheduler), Limits(gap_tolerance=0.0, time=60))
    assert agrees(problem, found)
    assert len([share for share in scheduler.shares.values() if share.work]) == 2


@pytest.mark.usefixtures("at_once")
def test_a_gap_and_a_time_limit_hold_for_parts(two: Executor) -> None:
    problem = random_problem(5, rows=120, depth=3, features=2, values=5)
    best = best_tree(problem, Exact(), Limits()).value
    within = best_tree(problem, Rsbb(cluster=two), Limits(gap_tolerance=0.2))
    assert within.status in (Status.GAP, Status.OPTIMAL)
    assert within.value <= best <= within.bound
    assert within.gap <= 0.2 + 1e-9
    brief = best_tree(problem, Rsbb(cluster=two), Limits(time=0.3))
    assert brief.value <= best <= brief.bound + 1e-9
    assert brief.seconds < 1.5


@pytest.mark.usefixtures("at_once")
def test_a_part_that_is_lost_is_searched_again(two: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every seventh answer comes from a worker that knows nothing of its part any more."""
    calls, whole = 0, spread.search_part

    def forgetful(ground: object, order: object) -> object:
        nonlocal calls
        calls += 1
        return None if calls % 7 == 0 else whole(ground, order)  # type: ignore[arg-type]

    monkeypatch.setattr(spread, "search_part", forgetful)
    for seed in range(4):
        problem = random_problem(seed, rows=80)
        assert agrees(problem, best_tree(problem, Rsbb(cluster=two), Limits(threads=1)))
    assert calls > 14


def test_a_killed_worker_and_a_late_one_change_nothing(
    machines: Callable[[int], Machines], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(spread, "TASK_SECONDS", 0.3)
    there = machines(2)
    scheduler = JobScheduler(there.executor(2))
    problem = random_problem(8, rows=600, features=4, values=16)
    threading.Timer(0.5, there.workers[0].kill).start()
    threading.Timer(0.6, there.add_worker).start()
    found = best_tree(problem, Rsbb(cluster=scheduler), Limits(time=60))
    assert agrees(problem, found)
    assert sum(share.lost for share in scheduler.shares.values()) >= 1
    scheduler.executor.close()


def test_a_worker_that_hangs_is_given_up_and_its_regions_are_searched_again(
    machines: Callable[[int], Machines], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("FIRST_SECONDS", 0.01), ("TASK_SECONDS", 0.3), ("PATIENCE", 2.0)):
        monkeypatch.setattr(spread, name, seconds)
    there = machines(2)
    scheduler = JobScheduler(there.executor(2))
    problem = random_problem(8, rows=600, features=4, values=16)
    threading.Timer(0.5, lambda: os.kill(there.workers[0].pid, signal.SIGSTOP)).start()
    assert agrees(problem, best_tree(problem, Rsbb(cluster=scheduler), Limits(time=60)))
    assert sum(share.lost for share in scheduler.shares.values()) >= 1
    scheduler.executor.close()


def test_a_scheduler_that_restarts_with_its_workers_is_taken_up_again(
    machines: Callable[[int], Machines], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(spread, "TASK_SECONDS", 0.3)
    there = machines(1)
    scheduler = JobScheduler(there.executor(1, return_seconds=30.0))
    problem = random_problem(8, rows=600, features=4, values=16)
    threading.Timer(0.5, there.restart).start()
    assert agrees(problem, best_tree(problem, Rsbb(cluster=scheduler), Limits(time=60)))
    assert len(scheduler.shares) == 2  # the old worker, and the new one
    scheduler.executor.close()


def test_when_the_scheduler_vanishes_the_bound_still_holds(machines: Callable[[int], Machines]) -> None:
    there = machines(1)
    executor = there.executor(1, return_seconds=0.5)
    problem = random_problem(9, rows=1000, features=4, values=20)
    threading.Timer(2.0, there.scheduler.kill).start()
    with pytest.warns(UserWarning, match="is gone"):
        found = best_tree(problem, Rsbb(cluster=executor), Limits(time=40))
    best = best_tree(problem, Exact(), Limits(time=20))
    assert found.status is Status.LOST
    assert found.value <= best.bound
    assert found.bound >= best.value
    executor.close()


@pytest.mark.parametrize("cluster", [None, "threads:2"])
@pytest.mark.usefixtures("at_once")
def test_a_run_goes_on_from_its_checkpoint_to_the_same_optimum(cluster: str | None, tmp_path: Path) -> None:
    problem, file = random_problem(8, 120, depth=3, features=2, values=5), tmp_path / "run.ckpt"
    engine = Rsbb(cluster=cluster, checkpoint=CheckpointWriter(file, every=0.02))
    found = best_tree(problem, engine, Limits(time=0.1, threads=1))
    turns = 1
    while found.status not in COMPLETE:
        engine = Rsbb(cluster=cluster, checkpoint=CheckpointWriter(file, every=0.2), resume=file)
        after = best_tree(problem, engine, Limits(time=4.0 * turns, threads=1))
        assert after.value >= found.value - 1e-12
        found, turns = after, turns + 1
        assert turns < 8
    assert turns > 1
    assert agrees(problem, found)


@pytest.mark.parametrize("primal", [True, False])
def test_a_run_with_a_gap_that_is_taken_up_knows_what_its_incumbent_closed(primal: bool, tmp_path: Path) -> None:
    """Regions that a later tree closed are not in the checkpoint; what they may hold is."""
    limits, file = Limits(gap_tolerance=0.3, threads=1), tmp_path / "run.ckpt"
    within = 0
    for seed in range(12):
        problem = random_problem(seed, rows=30, features=2)
        best = best_tree(problem, Exact(), Limits()).value
        first = best_tree(problem, Rsbb(parallel=False, primal=primal, checkpoint=file), limits)
        again = best_tree(problem, Rsbb(parallel=False, primal=primal, resume=file), limits)
        assert again.bound >= best - 1e-9
        assert (again.status, again.trusted) == (Status.TRUSTED, str(file))
        assert not again.proved_optimal
        assert again.bound == pytest.approx(first.bound)  # nothing was left to do
        within += first.status is Status.GAP
        file.unlink()
    assert within > 3


def test_who_gives_gives_the_best_region_first_so_that_the_bound_moves() -> None:
    problem = random_problem(4, rows=120, depth=3)
    space = whole_space(ground_of(problem, as_step(problem), Limits(), math.inf, **SWITCHES))
    while space.pool.open < 10:
        space.pool.go_on(0.01)
    best, before = space.pool.open_least, space.pool.open
    given = packed(space.pool.give(3, False), space.pool.width)
    assert given[0, :1].view(np.float64)[0] == best
    assert len(given) == 3
    assert space.pool.open == before - 3


def test_a_worker_shows_what_it_holds_where_that_is_little() -> None:
    problem = random_problem(4, rows=120, depth=3)
    ground = ground_of(problem, as_step(problem), Limits(), math.inf, **SWITCHES)
    whole = packed(whole_space(ground).pool.regions(), whole_space(ground).pool.width)
    for number, (most, shown) in enumerate([(0.0, False), (math.inf, True)]):
        order = RsbbRequest("test little", number, whole if number == 0 else whole[:0], math.inf, 0.05, 0, most)
        report = search_part(ground, order)
        assert report is not None
        assert report.open > 0
        assert (report.shown is not None) == shown
    forget("test little")


def test_a_checkpoint_of_another_step_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.ckpt"
    best_tree(random_problem(4), Rsbb(checkpoint=file), Limits(time=0.0))
    with pytest.raises(ReadError, match="another model"):
        best_tree(random_problem(5), Rsbb(resume=file), Limits())
    with pytest.raises(ReadError, match="gap"):
        best_tree(random_problem(4), Rsbb(resume=file), Limits(gap_tolerance=0.1))


def test_forged_regions_are_refused_and_never_crash(tmp_path: Path) -> None:
    from spotree.checkpoint import load_checkpoint
    from spotree.improvement.engines.rsbb.distributed.driver import _LAYOUT

    file = tmp_path / "run.ckpt"
    problem = random_problem(4, rows=120, depth=3)
    best_tree(problem, Rsbb(checkpoint=file, parallel=False), Limits(time=0.1))
    whole = load_checkpoint(file, _LAYOUT)
    regions = whole.arrays["regions"].copy()
    assert len(regions) > 1
    rng = np.random.default_rng(0)
    refused = 0
    for trial in range(60):
        forged = regions[:40].copy()
        row, word = rng.integers(len(forged)), rng.integers(1, forged.shape[1])
        forged[row, word] = rng.integers(-(2**63), 2**63 - 1)
        again = tmp_path / f"{trial}.ckpt"
        replace(whole, arrays={"regions": forged}).save(again)
        try:
            best_tree(problem, Rsbb(resume=again), Limits(time=0.01))
        except ReadError:
            refused += 1
    assert refused > 30
    replace(whole, arrays={"regions": regions[:, :-1]}).save(tmp_path / "narrow")
    with pytest.raises(ReadError, match="words"):
        best_tree(problem, Rsbb(resume=tmp_path / "narrow"), Limits())
