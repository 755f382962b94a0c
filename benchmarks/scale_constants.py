"""What one task costs on this machine, for each kind of work: the constants of `scale_on_paper.py`.

python benchmarks/scale_constants.py [--seconds 15]

Second halves of short runs on local:2, the scheduler in the driver's process: seconds and bytes of a task and its
answer, the driver's processor time for a task (ours and dask's, less what it takes while nothing happens), bytes that
each worker is sent once; and the seconds between two tasks of a worker, from empty ones.
"""

import argparse
import pickle
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from scale import MODEL
from spotree.api.certify import certify
from spotree.api.solve import solve
from spotree.cluster.executor import Executor, Shared, Task
from spotree.cluster.factory import crewed, opened
from spotree.cluster.job_scheduler import JobScheduler
from spotree.evaluation import policy_value
from spotree.improvement.engines.rsbb import Rsbb
from spotree.improvement.improve import improve
from spotree.models import load
from spotree.proof.options import ProofOptions
from spotree.search.gain import gain


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of work: seconds of a task, bytes of a task and its answer, driver's seconds for it, bytes sent once."""

    name: str
    seconds: float
    bytes: float
    driver: float
    once: float


class Weighing:
    """An executor that weighs what goes through it in the second half of a run; its own time does not count."""

    def __init__(self, inner: Executor, seconds: float) -> None:
        self.inner, self.half = inner, seconds / 2
        self.name, self.dashboard = inner.name, None
        self.tasks = self.bytes = self.once = 0
        self.seconds = self.own = self.first = 0.0
        self.began: tuple[float, float] | None = None  # processor and wall time at the first task
        self._sent: dict[int, float] = {}

    @property
    def workers(self) -> tuple[str, ...]:
        return self.inner.workers

    def _weigh(self, value: Any) -> int:
        began = time.thread_time()
        size = len(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
        self.own += time.thread_time() - began
        return size

    def share(self, value: Any, digest: str) -> Shared:
        self.once += self._weigh(value)
        return self.inner.share(value, digest)

    def submit(self, worker: str, function: Callable[..., Any], *args: Any) -> Task:
        now = time.monotonic()
        if self.began is None:
            self.first = now
        if self.began is None or self.began[1] - self.first < self.half < now - self.first:
            self.began = time.process_time(), now
            self.tasks = self.bytes = 0
            self.seconds = self.own = 0.0
        self.bytes += self._weigh(args)
        task = self.inner.submit(worker, function, *args)
        self._sent[id(task)] = time.monotonic()
        return task

    def wait(self, tasks: Collection[Task], seconds: float) -> list[Task]:
        done = self.inner.wait(tasks, seconds)
        for task in done:
            self.tasks += 1
            self.seconds += time.monotonic() - self._sent.pop(id(task))
            self.bytes += self._weigh(task.result())
        return done

    def close(self) -> None:
        self.inner.close()

    def kind(self, name: str, idle: float, least: float) -> Kind:
        """What a task was like on average; `idle` is what a driver takes of a core while nothing happens."""
        assert self.began is not None
        spent = time.process_time() - self.began[0] - self.own - idle * (time.monotonic() - self.began[1])
        each = 1 / max(self.tasks, 1)
        return Kind(name, self.seconds * each, self.bytes * each, max(spent * each, least), self.once)


def search(crew: JobScheduler, seconds: float) -> None:
    solve(load(MODEL), 4, time_limit=seconds, prove=False, cluster=crew)


def rsbb(crew: JobScheduler, seconds: float) -> None:
    mdp = load(MODEL)
    gains = gain(mdp, policy_value(mdp, np.zeros(mdp.num_states, np.int32)), np.ones(mdp.num_states))
    improve(mdp.features, gains, 3, Rsbb(cluster=crew), seconds, gap_tolerance=0.01)


def proof(crew: JobScheduler, seconds: float) -> None:
    mdp = load(MODEL)
    start = solve(mdp, 2, time_limit=None, max_rounds=4, threads=1, prove=False)
    use = ProofOptions(rules=("tree",), symmetries=False, levels=False)
    certify(mdp, 2, start=start, search=0.0, threads=1, time_limit=seconds, cluster=crew, ingredients=use)


WORK = {"search (islands)": search, "rsbb (parts)": rsbb, "proof (pieces)": proof}


def idle_load(seconds: float = 4.0) -> float:
    """What the driver takes of a core while its workers work."""
    with crewed("local:2") as crew:
        for _ in crew.workers:
            crew.add(time.sleep, seconds)
        crew.wait(0.5)
        began = time.process_time()
        crew.wait(seconds - 1)
        return (time.process_time() - began) / (seconds - 1)


def empty_tasks(count: int = 200) -> tuple[float, float]:
    """Seconds of an empty task, one after the other, and the driver's processor time for it."""
    with crewed("local:1") as crew:
        crew.add(abs, 1)
        crew.wait(10.0)
        began, spent = time.monotonic(), time.process_time()
        for _ in range(count):
            crew.add(abs, 1)
            crew.wait(10.0)
        return (time.monotonic() - began) / count, (time.process_time() - spent) / count


def measured(seconds: float) -> tuple[float, float, list[Kind]]:
    """Seconds between two tasks of a worker, the driver's for an empty one, and each kind of work."""
    kinds, idle, (between, least) = [], idle_load(), empty_tasks()
    print(f"a driver whose workers work takes {idle:.1%} of a core; an empty task {1000 * least:.1f} ms of it")
    for name, work in WORK.items():
        with opened("local:2") as executor:
            weighing = Weighing(executor, seconds)
            work(JobScheduler(weighing), seconds)
            kinds.append(weighing.kind(name, idle, least))
    return between, least, kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15.0, help="of each kind of work")
    between, _, kinds = measured(parser.parse_args().seconds)
    print(f"between two tasks of a worker: {1000 * between:.1f} ms")
    for kind in kinds:
        print(
            f"{kind.name}: a task of {kind.seconds:.2f} s, {kind.bytes / 1e3:,.0f} kB with its answer,"
            f" {1000 * kind.driver:.1f} ms of the driver; {kind.once / 1e3:,.0f} kB once to each worker"
        )


if __name__ == "__main__":
    main()
