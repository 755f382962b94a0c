"""A scheduler answers every job once, whoever is lost, hangs or comes late."""

import time
from pathlib import Path
from typing import Any

import pytest

from cluster.numbers import double, end_once, hang_once, slowly, wrong
from spotree.cluster.executor import Executor, ThreadExecutor, ThreadTask, WorkerLost
from spotree.cluster.factory import open_executor
from spotree.cluster.job_scheduler import Job, JobScheduler
from spotree.errors import ClusterError


def all_of(scheduler: JobScheduler, seconds: float = 30.0) -> list[object]:
    end = time.monotonic() + seconds
    answers: list[object] = []
    while scheduler.under_way and time.monotonic() < end:
        answers += [job.answer for job in scheduler.wait(1.0)]
    return answers


def test_every_job_is_answered_once(executor: Executor) -> None:
    scheduler = JobScheduler(executor)
    for n in range(12):
        scheduler.add(double, n)
    assert sorted(all_of(scheduler)) == [2 * n for n in range(12)]  # type: ignore[type-var]
    assert sum(share.jobs for share in scheduler.shares.values()) == 12
    assert set(scheduler.shares) == set(executor.workers)


def test_what_a_job_raises_comes_out_of_wait(executor: Executor) -> None:
    scheduler = JobScheduler(executor)
    scheduler.add(wrong, 5)
    with pytest.raises(ValueError, match="5 is wrong"):
        scheduler.wait(10.0)


def test_a_job_goes_to_the_worker_that_it_names(executor: Executor) -> None:
    scheduler = JobScheduler(executor)
    jobs = [scheduler.add(double, n, worker=executor.workers[1]) for n in range(3)]
    all_of(scheduler)
    assert {job.done_by for job in jobs} == {executor.workers[1]}


def test_a_job_for_a_worker_that_is_gone_is_done_by_another(executor: Executor) -> None:
    scheduler = JobScheduler(executor)
    scheduler.add(double, 4, worker="nobody")
    assert all_of(scheduler) == [8]


def test_room_is_one_job_for_each_idle_worker(executor: Executor) -> None:
    scheduler = JobScheduler(executor)
    assert scheduler.room == 2
    scheduler.add(double, 1)
    assert scheduler.room == 1
    all_of(scheduler)
    assert scheduler.room == 2


def test_a_job_that_hangs_goes_to_another_worker_too_and_the_first_answer_counts(
    executor: Executor, tmp_path: Path
) -> None:
    scheduler = JobScheduler(executor)
    began = time.monotonic()
    job = scheduler.add(hang_once, str(tmp_path / "mark"), 4.0, patience=0.3)
    assert len(scheduler.wait(3.0)) == 1
    assert job.answer != 0
    assert time.monotonic() - began < 3.0
    assert len(scheduler.workers) == 1  # the other still hangs
    scheduler.add(slowly, 4.0, 1)
    all_of(scheduler)
    scheduler.wait(0.1)
    assert len(scheduler.workers) == 2  # it answered after all, and gets work again
    assert sum(share.jobs for share in scheduler.shares.values()) == 2


def test_who_hung_with_a_job_that_was_dropped_is_asked_again(executor: Executor, tmp_path: Path) -> None:
    scheduler = JobScheduler(executor)
    scheduler.add(hang_once, str(tmp_path / "mark"), 1.0, patience=0.3)
    assert len(scheduler.wait(3.0)) == 1
    assert len(scheduler.workers) == 1
    scheduler.drop()
    assert len(scheduler.workers) == 2
    for n in range(4):
        scheduler.add(slowly, 0.2, n)
    assert sorted(all_of(scheduler)) == list(range(4))  # type: ignore[type-var]
    assert all(share.jobs for share in scheduler.shares.values())


def test_a_job_that_waits_behind_one_that_hangs_may_be_done_by_another(executor: Executor, tmp_path: Path) -> None:
    """The task that nobody wants any more had not begun when it was cancelled: nothing is lost by that."""
    first, second = executor.workers
    busy = executor.submit(first, slowly, 1.5, 0)  # somebody else's, so that a job for this worker cannot begin
    scheduler = JobScheduler(executor)
    job = scheduler.add(double, 4, worker=first, patience=0.2)
    assert scheduler.wait(5.0) == [job]
    assert (job.answer, job.done_by) == (8, second)
    executor.wait([busy], 5.0)
    scheduler.add(double, 5)
    assert all_of(scheduler) == [10]
    for _ in range(3):
        scheduler.wait(0.1)
    assert [share.lost for share in scheduler.shares.values() if share.lost] == [1]


def test_a_job_whose_worker_is_killed_is_done_again(tmp_path: Path) -> None:
    executor = open_executor("local:2")
    try:
        scheduler = JobScheduler(executor)
        before = set(executor.workers)
        scheduler.add(end_once, str(tmp_path / "mark"))
        scheduler.add(slowly, 0.5, 1)
        assert len(all_of(scheduler)) == 2
        end = time.monotonic() + 20
        while len(executor.workers) < 2 and time.monotonic() < end:
            time.sleep(0.1)
        assert len(set(executor.workers) - before) == 1  # started again, and gets work
        for n in range(6):
            scheduler.add(slowly, 0.1, n)
        assert sorted(all_of(scheduler)) == list(range(6))  # type: ignore[type-var]
        assert set(executor.workers) <= set(scheduler.shares)
    finally:
        executor.close()


class Deadly(ThreadExecutor):
    """The first worker survives nothing."""

    def submit(self, worker: str, function: Any, *args: Any) -> ThreadTask:
        return super().submit(worker, lost if worker == self.workers[0] else function, *args)


def lost(*args: object) -> None:
    raise WorkerLost("gone")


def test_a_job_that_nobody_survives_is_said_after_all_answers_and_stays_under_way() -> None:
    executor = Deadly(2)
    scheduler = JobScheduler(executor)
    deadly = scheduler.add(double, 1, worker=executor.workers[0])
    others = [scheduler.add(double, n, worker=executor.workers[1]) for n in range(20)]
    answered: list[Job] = []

    def until_it_fails() -> None:
        while scheduler.under_way:
            answered.extend(scheduler.wait(5.0))

    with pytest.raises(ClusterError, match="ended or hung"):
        until_it_fails()
    assert deadly in scheduler.under_way
    assert set(answered) == {job for job in others if job.done_by is not None}
    executor.close()


def test_a_job_that_may_fail_says_why_and_the_others_are_answered() -> None:
    executor = Deadly(2)
    scheduler = JobScheduler(executor)
    deadly = scheduler.add(double, 1, worker=executor.workers[0], may_fail=True)
    others = [scheduler.add(double, n, worker=executor.workers[1]) for n in range(5)]
    answered: list[Job] = []
    while scheduler.under_way:
        answered += scheduler.wait(5.0)
    assert len(answered) == 6
    assert "ended or hung" in str(deadly.failure)
    assert [job.answer for job in others] == [2 * n for n in range(5)]
    executor.close()


def test_a_crew_without_workers_gives_up_with_a_clear_error() -> None:
    scheduler = JobScheduler(ThreadExecutor(0), nobody_seconds=0.2)
    with pytest.raises(ClusterError, match="no worker that answers"):
        scheduler.assemble()
    scheduler.add(double, 1)
    with pytest.raises(ClusterError, match="no worker that answers"):
        scheduler.wait(10.0)
