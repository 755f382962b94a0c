"""Both executors do the same: tests of the protocol, and of the one door to them."""

import subprocess
import sys
import time

import pytest

from cluster.numbers import double, slowly, total, where, wrong
from spotree.cluster.dask import DaskExecutor
from spotree.cluster.executor import Executor
from spotree.cluster.factory import open_executor, opened
from spotree.cluster.local import LocalWorkers
from spotree.cluster.worker_cache import Kept, NotKept
from spotree.errors import ClusterError, InvalidProblemError


def test_a_task_runs_on_the_worker_that_was_named(executor: Executor) -> None:
    first, second = executor.workers
    tasks = [executor.submit(worker, double, n) for n, worker in enumerate((first, second, first))]
    while not all(task.done() for task in tasks):
        executor.wait(tasks, 5.0)
    assert [task.result() for task in tasks] == [0, 2, 4]
    assert [task.worker for task in tasks] == [first, second, first]


def test_what_a_task_raises_comes_out_of_its_result(executor: Executor) -> None:
    task = executor.submit(executor.workers[0], wrong, 3)
    assert executor.wait([task], 10.0) == [task]
    with pytest.raises(ValueError, match="3 is wrong"):
        task.result()


def test_a_shared_value_takes_the_place_of_its_stand_in(executor: Executor) -> None:
    shared = executor.share([1, 2, 3], "one-two-three")
    for worker in executor.workers:
        task = executor.submit(worker, total, shared, 4)
        executor.wait([task], 10.0)
        assert task.result() == 10


def test_wait_returns_after_its_seconds_although_nothing_is_done(executor: Executor) -> None:
    task = executor.submit(executor.workers[0], slowly, 1.0, 7)
    began = time.monotonic()
    assert executor.wait([task], 0.1) == []
    assert time.monotonic() - began < 0.8
    assert executor.wait([task], 10.0) == [task]


def test_a_shared_value_is_sent_once_to_each_worker(local: DaskExecutor) -> None:
    shared = local.share(list(range(1000)), "a thousand")
    worker = local.workers[0]
    for _ in range(2):
        task = local.submit(worker, total, shared, 0)
        local.wait([task], 10.0)
        assert task.result() == 499500
    assert local._sent[worker] >= {"a thousand"}


def test_a_value_that_a_worker_let_go_of_is_sent_again(local: DaskExecutor) -> None:
    shared = local.share([5], "never sent")
    worker = local.workers[0]
    local._sent.setdefault(worker, set()).add("never sent")  # as if that worker had had it
    task = local.submit(worker, total, shared, 1)
    assert local.wait([task], 10.0) == [task]
    assert task.result() == 6


def test_local_workers_are_processes_of_their_own(local: DaskExecutor) -> None:
    tasks = [local.submit(worker, where) for worker in local.workers]
    while not all(task.done() for task in tasks):
        local.wait(tasks, 5.0)
    assert len({where(), *(task.result() for task in tasks)}) == 3


def test_a_worker_that_is_killed_while_it_starts_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = LocalWorkers._start, []

    def first_one_killed(self: LocalWorkers) -> "subprocess.Popen[bytes]":
        started.append(start(self))
        if len(started) == 1:
            started[0].kill()
        return started[-1]

    monkeypatch.setattr(LocalWorkers, "_start", first_one_killed)
    workers = LocalWorkers(1)
    try:
        assert len(workers.client.nthreads()) == 1
        assert len(started) == 2
    finally:
        workers.close()


def test_workers_that_never_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = [sys.executable, "-c", "raise SystemExit(1)"]
    monkeypatch.setattr(LocalWorkers, "_start", lambda _: subprocess.Popen(ends))
    with pytest.raises(ClusterError, match="did not start"):
        LocalWorkers(1)


def test_kept_values_end_with_the_least_recently_used() -> None:
    import pickle

    kept = Kept(most_bytes=100)
    kept.take("a", pickle.dumps("a" * 40))
    kept.take("b", pickle.dumps("b" * 20))
    kept.take("a", None)
    kept.take("c", pickle.dumps("c" * 20))
    assert kept.take("a", None) == "a" * 40
    with pytest.raises(NotKept):
        kept.take("b", None)


@pytest.mark.parametrize("name", ["local", "local:", "local:x", "local:0", "threads:-1", "local:9999", "host", ""])
def test_a_cluster_that_cannot_be_meant_is_refused(name: str) -> None:
    with pytest.raises(InvalidProblemError, match="cluster is"):
        open_executor(name)


def test_what_is_no_cluster_at_all_is_refused_by_its_type() -> None:
    with pytest.raises(InvalidProblemError, match="cluster is of type int"):
        open_executor(3)


def test_an_executor_that_was_given_stays_open() -> None:
    threads = open_executor("threads:1")
    with opened(threads) as same:
        assert same is threads
    task = threads.submit(threads.workers[0], double, 4)
    threads.wait([task], 5.0)
    assert task.result() == 8
    threads.close()
    threads.close()


def test_a_scheduler_that_does_not_answer_is_named_within_seconds() -> None:
    began = time.monotonic()
    with pytest.raises(ClusterError, match=r"tcp://127\.0\.0\.1:9 "):
        open_executor("tcp://127.0.0.1:9")
    assert time.monotonic() - began < 10


def test_without_the_extra_the_error_says_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "from spotree.cluster.factory import open_executor\n"
        "try:\n    open_executor('local:2')\n"
        "except ImportError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'spotree[cluster]'" in said.stdout
