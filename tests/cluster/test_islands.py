"""The search on many machines: the same answer where the page says so, and a good one whoever is lost."""

import os
import signal
import threading
import time
from collections.abc import Callable, Collection

import numpy as np
import pytest

import spotree
from cluster.machines import Machines
from spotree.cluster.dask import DaskExecutor
from spotree.cluster.executor import Executor, Task, ThreadExecutor
from spotree.cluster.job_scheduler import JobScheduler
from spotree.errors import InvalidProblemError
from spotree.results.solution import SolveStatus
from spotree.search.islands import driver as islands

QUICK = {"round_work": 20_000_000, "enumerate_work": 0}


def same(one: spotree.Solution, other: spotree.Solution) -> bool:
    arrays = ("feature", "threshold", "action")
    trees = one.policy.tree, other.policy.tree
    return one.value == other.value and all(
        np.array_equal(getattr(trees[0], name), getattr(trees[1], name)) for name in arrays
    )


def test_one_island_is_the_search_without_a_cluster() -> None:
    mdp = spotree.load("tictactoe_vs_random")
    alone = spotree.solve(mdp, 3, time_limit=None, max_rounds=2 * 8, threads=1, **QUICK)
    island = spotree.solve(mdp, 3, time_limit=None, max_rounds=2, cluster="threads:1", **QUICK)
    assert same(alone, island)


@pytest.mark.parametrize("depth", [3, 6])  # complete trees; trees of any shape too
def test_counted_rounds_on_two_workers_repeat_whoever_they_are(local: DaskExecutor, depth: int) -> None:
    mdp = spotree.load("tiger_vs_antelope")
    first, second, third = (
        spotree.solve(mdp, depth, time_limit=None, max_rounds=2, seed=5, cluster=cluster, **QUICK)
        for cluster in (local, local, "threads:2")
    )
    assert same(first, second)
    assert same(first, third)


def test_the_time_limit_is_kept_on_a_cluster(executor: Executor) -> None:
    mdp = spotree.load("tiger_vs_antelope")
    found = spotree.solve(mdp, 3, time_limit=2.0, cluster=executor)
    assert found.status is SolveStatus.TIME_LIMIT
    assert found.seconds < 3.0
    assert found.value <= found.bound


def test_a_proof_beside_the_islands_ends_the_run(executor: Executor) -> None:
    found = spotree.solve(spotree.load("xor"), 2, time_limit=30, cluster=executor)
    assert found.status is SolveStatus.OPTIMAL
    assert found.seconds < 20


def test_a_start_is_never_lost(executor: Executor) -> None:
    mdp = spotree.load("tiger_vs_antelope")
    start = spotree.solve(mdp, 3, time_limit=None, max_rounds=2, threads=1, seed=1)
    found = spotree.solve(mdp, 3, time_limit=None, max_rounds=1, start=start, cluster=executor, **QUICK)
    assert found.value >= start.value


def test_a_method_that_runs_on_one_machine_refuses_a_cluster() -> None:
    with pytest.raises(InvalidProblemError, match=r"Rsbb\(cluster"):
        spotree.solve(spotree.load("xor"), 2, method="spot", cluster="threads:2")


def test_a_worker_that_is_killed_takes_nothing_but_time(machines: Callable[[int], Machines]) -> None:
    there = machines(2)
    scheduler = JobScheduler(there.executor(2))
    threading.Timer(1.5, there.workers[0].kill).start()
    found = spotree.solve(
        spotree.load("tiger_vs_antelope"), 3, time_limit=5, prove=False, cluster=scheduler, **QUICK
    )
    assert found.status is SolveStatus.TIME_LIMIT
    assert found.value > 0.75
    assert sum(share.lost for share in scheduler.shares.values()) >= 1
    scheduler.executor.close()


def test_a_worker_that_joins_late_gets_an_island(machines: Callable[[int], Machines]) -> None:
    there = machines(1)
    scheduler = JobScheduler(there.executor(1))
    threading.Timer(0.5, there.add_worker).start()
    spotree.solve(spotree.load("tiger_vs_antelope"), 3, time_limit=7, prove=False, cluster=scheduler, **QUICK)
    assert len(scheduler.shares) == 2
    scheduler.executor.close()


def test_a_worker_that_hangs_is_given_up_and_the_counted_rounds_end(
    machines: Callable[[int], Machines], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(islands, "PATIENCE", 2.0)
    monkeypatch.setattr(islands, "FIRST_PATIENCE", 8.0)
    monkeypatch.setattr(islands, "SLOWER", 1.0)
    there = machines(2)
    scheduler = JobScheduler(there.executor(2))
    mdp = spotree.load("tiger_vs_antelope")
    stop = threading.Timer(1.0, lambda: os.kill(there.workers[0].pid, signal.SIGSTOP))
    stop.start()
    found = spotree.solve(mdp, 3, time_limit=None, max_rounds=12, cluster=scheduler, **QUICK)
    assert found.status is SolveStatus.FINISHED
    assert [share.lost for share in scheduler.shares.values() if share.lost]
    scheduler.executor.close()


def test_when_the_scheduler_vanishes_the_best_tree_is_returned(machines: Callable[[int], Machines]) -> None:
    there = machines(1)
    executor = there.executor(1, return_seconds=0.5)
    mdp = spotree.load("tiger_vs_antelope")

    def progress(line: spotree.Progress) -> None:
        there.scheduler.kill()  # there is a tree now

    with pytest.warns(UserWarning, match="is gone"):
        found = spotree.solve(mdp, 3, time_limit=30, prove=False, cluster=executor, progress=progress, **QUICK)
    assert found.status is SolveStatus.LOST
    assert 0.6 < found.value <= found.bound
    assert found.seconds < 15
    executor.close()


def test_a_scheduler_that_restarts_with_its_workers_is_taken_up_again(machines: Callable[[int], Machines]) -> None:
    there = machines(1)
    scheduler = JobScheduler(there.executor(1, return_seconds=20.0))
    threading.Timer(1.5, there.restart).start()
    found = spotree.solve(
        spotree.load("tiger_vs_antelope"), 3, time_limit=10, prove=False, cluster=scheduler, **QUICK
    )
    assert found.status is SolveStatus.TIME_LIMIT
    assert len(scheduler.shares) == 2  # the old worker, and the new one
    scheduler.executor.close()


class Leaving(ThreadExecutor):
    """All workers are gone as soon as each has answered."""

    def __init__(self, count: int) -> None:
        self.gone = False
        super().__init__(count)

    @property
    def workers(self) -> tuple[str, ...]:
        return () if self.gone else super().workers

    def wait(self, tasks: Collection[Task], seconds: float) -> list[Task]:
        done = super().wait(tasks, seconds)
        self.gone = self.gone or len(done) == len(tasks)
        return done


def test_workers_that_all_leave_end_the_run_with_the_best_tree() -> None:
    executor = Leaving(1)
    scheduler = JobScheduler(executor, nobody_seconds=0.3)
    with pytest.warns(UserWarning, match="no worker that answers"):
        found = spotree.solve(spotree.load("tiger_vs_antelope"), 3, time_limit=30, cluster=scheduler, **QUICK)
    assert found.status is SolveStatus.LOST
    assert found.seconds < 15
    assert len(found.history) < 20
    executor.close()


def test_that_no_worker_answered_in_time_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spotree.search.islands.driver.explore", lambda *_: time.sleep(2.0))
    with pytest.warns(UserWarning, match="no worker answered within the time"):
        found = spotree.solve(spotree.load("frozenlake_4x4"), 3, time_limit=0.5, prove=False, cluster="threads:1")
    assert found.policy.num_leaves == 1
