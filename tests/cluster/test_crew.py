"""A crew answers every job once, whoever is lost, hangs or comes late."""

import time
from pathlib import Path
from typing import Any

import pytest

from cluster.numbers import double, end_once, hang_once, slowly, wrong
from spotree.cluster.executor import Executor, ThreadExecutor, ThreadTask, WorkerLost
from spotree.cluster.factory import open_executor
from spotree.cluster.job_scheduler import Job, JobScheduler
from spotree.errors import ClusterError


def all_of(crew: JobScheduler, seconds: float = 30.0) -> list[object]:
    end = time.monotonic() + seconds
    answers: list[object] = []
    while crew.under_way and time.monotonic() < end:
        answers += [job.answer for job in crew.wait(1.0)]
    return answers


def test_every_job_is_answered_once(executor: Executor) -> None:
    crew = JobScheduler(executor)
    for n in range(12):
        crew.add(double, n)
    assert sorted(all_of(crew)) == [2 * n for n in range(12)]  # type: ignore[type-var]
    assert sum(share.jobs for share in crew.shares.values()) == 12
    assert set(crew.shares) == set(executor.workers)


def test_what_a_job_raises_comes_out_of_wait(executor: Executor) -> None:
    crew = JobScheduler(executor)
    crew.add(wrong, 5)
    with pytest.raises(ValueError, match="5 is wrong"):
        crew.wait(10.0)


def test_a_job_goes_to_the_worker_that_it_names(executor: Executor) -> None:
    crew = JobScheduler(executor)
    jobs = [crew.add(double, n, worker=executor.workers[1]) for n in range(3)]
    all_of(crew)
    assert {job.done_by for job in jobs} == {executor.workers[1]}


def test_a_job_for_a_worker_that_is_gone_is_done_by_another(executor: Executor) -> None:
    crew = JobScheduler(executor)
    crew.add(double, 4, worker="nobody")
    assert all_of(crew) == [8]


def test_room_is_one_job_for_each_idle_worker(executor: Executor) -> None:
    crew = JobScheduler(executor)
    assert crew.room == 2
    crew.add(double, 1)
    assert crew.room == 1
    all_of(crew)
    assert crew.room == 2


def test_a_job_that_hangs_goes_to_another_worker_too_and_the_first_answer_counts(
    executor: Executor, tmp_path: Path
) -> None:
    crew = JobScheduler(executor)
    began = time.monotonic()
    job = crew.add(hang_once, str(tmp_path / "mark"), 4.0, patience=0.3)
    assert len(crew.wait(3.0)) == 1
    assert job.answer != 0
    assert time.monotonic() - began < 3.0
    assert len(crew.workers) == 1  # the other still hangs
    crew.add(slowly, 4.0, 1)
    all_of(crew)
    crew.wait(0.1)
    assert len(crew.workers) == 2  # it answered after all, and gets work again
    assert sum(share.jobs for share in crew.shares.values()) == 2


def test_who_hung_with_a_job_that_was_dropped_is_asked_again(executor: Executor, tmp_path: Path) -> None:
    crew = JobScheduler(executor)
    crew.add(hang_once, str(tmp_path / "mark"), 1.0, patience=0.3)
    assert len(crew.wait(3.0)) == 1
    assert len(crew.workers) == 1
    crew.drop()
    assert len(crew.workers) == 2
    for n in range(4):
        crew.add(slowly, 0.2, n)
    assert sorted(all_of(crew)) == list(range(4))  # type: ignore[type-var]
    assert all(share.jobs for share in crew.shares.values())


def test_a_job_that_waits_behind_one_that_hangs_may_be_done_by_another(executor: Executor, tmp_path: Path) -> None:
    """The task that nobody wants any more had not begun when it was cancelled: nothing is lost by that."""
    first, second = executor.workers
    busy = executor.submit(first, slowly, 1.5, 0)  # somebody else's, so that a job for this worker cannot begin
    crew = JobScheduler(executor)
    job = crew.add(double, 4, worker=first, patience=0.2)
    assert crew.wait(5.0) == [job]
    assert (job.answer, job.done_by) == (8, second)
    executor.wait([busy], 5.0)
    crew.add(double, 5)
    assert all_of(crew) == [10]
    for _ in range(3):
        crew.wait(0.1)
    assert [share.lost for share in crew.shares.values() if share.lost] == [1]


def test_a_job_whose_worker_is_killed_is_done_again(tmp_path: Path) -> None:
    executor = open_executor("local:2")
    try:
        crew = JobScheduler(executor)
        before = set(executor.workers)
        crew.add(end_once, str(tmp_path / "mark"))
        crew.add(slowly, 0.5, 1)
        assert len(all_of(crew)) == 2
        end = time.monotonic() + 20
        while len(executor.workers) < 2 and time.monotonic() < end:
            time.sleep(0.1)
        assert len(set(executor.workers) - before) == 1  # started again, and gets work
        for n in range(6):
            crew.add(slowly, 0.1, n)
        assert sorted(all_of(crew)) == list(range(6))  # type: ignore[type-var]
        assert set(executor.workers) <= set(crew.shares)
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
    crew = JobScheduler(executor)
    deadly = crew.add(double, 1, worker=executor.workers[0])
    others = [crew.add(double, n, worker=executor.workers[1]) for n in range(20)]
    answered: list[Job] = []

    def until_it_fails() -> None:
        while crew.under_way:
            answered.extend(crew.wait(5.0))

    with pytest.raises(ClusterError, match="ended or hung"):
        until_it_fails()
    assert deadly in crew.under_way
    assert set(answered) == {job for job in others if job.done_by is not None}
    executor.close()


def test_a_job_that_may_fail_says_why_and_the_others_are_answered() -> None:
    executor = Deadly(2)
    crew = JobScheduler(executor)
    deadly = crew.add(double, 1, worker=executor.workers[0], may_fail=True)
    others = [crew.add(double, n, worker=executor.workers[1]) for n in range(5)]
    answered: list[Job] = []
    while crew.under_way:
        answered += crew.wait(5.0)
    assert len(answered) == 6
    assert "ended or hung" in str(deadly.failure)
    assert [job.answer for job in others] == [2 * n for n in range(5)]
    executor.close()


def test_a_crew_without_workers_gives_up_with_a_clear_error() -> None:
    crew = JobScheduler(ThreadExecutor(0), nobody_seconds=0.2)
    with pytest.raises(ClusterError, match="no worker that answers"):
        crew.assemble()
    crew.add(double, 1)
    with pytest.raises(ClusterError, match="no worker that answers"):
        crew.wait(10.0)
