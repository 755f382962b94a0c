"""Running the cells of a sweep: one after another here, or several at a time on workers."""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any
from uuid import uuid4

from spotree.cluster.executor import Executor
from spotree.cluster.job_scheduler import Job, JobScheduler
from spotree.mdp.model import MDP, fingerprint
from spotree.results.progress import Progress
from spotree.sweeps.cell import STOPPED, Outcome, run_cell
from spotree.sweeps.plan import Key

LOOK = 0.5  # seconds between two looks at workers
PATIENCE = 2.0, 60.0  # times the time limit, and seconds: after that a worker counts as hanging

Opened = Callable[[Key], MDP | Outcome]  # the model of a cell, or why it cannot be had
Asked = Callable[[Key], Mapping[str, Any]]


def here(
    keys: list[Key], model: Opened, asked: Asked, tell: Callable[[Key, Progress | None], Any]
) -> Iterator[tuple[Key, Outcome]]:
    """One cell after another, in this thread."""
    for key in keys:
        tell(key, None)
        found = model(key)
        if isinstance(found, MDP):
            found = run_cell(found, asked(key), tell=lambda line, key=key: tell(key, line))  # type: ignore[misc]
        yield key, found


def elsewhere(
    executor: Executor, keys: list[Key], model: Opened, asked: Asked, tell: Callable[[Key, None], Any]
) -> Iterator[tuple[Key, Outcome]]:
    """As many cells at a time as there are workers, in the order in which they end; closing it ends them.

    A cell whose worker is lost is done again by another one; one that several do not survive has failed.
    """
    scheduler, waiting, sweep = JobScheduler(executor), keys[::-1], uuid4().hex
    with closing(_Stopping(scheduler, sweep)):
        while waiting or scheduler.under_way:
            while waiting and scheduler.room:
                key = waiting.pop()
                found = model(key)
                if isinstance(found, MDP):
                    _add(scheduler, key, found, asked(key), sweep)
                    tell(key, None)
                else:
                    yield key, found
            for job in scheduler.wait(LOOK):
                yield job.about, job.answer if job.failure is None else Outcome(None, str(job.failure), 0.0)


def _add(scheduler: JobScheduler, key: Key, mdp: MDP, asked: Mapping[str, Any], sweep: str) -> Job:
    times, more = PATIENCE
    limit = asked["time_limit"]
    shared = scheduler.share(mdp, fingerprint(mdp))
    patience = math.inf if limit is None else times * limit + more
    return scheduler.add(run_cell, shared, asked, sweep, about=key, patience=patience, may_fail=True)


class _Stopping:
    """Lets go of a scheduler; cells that run in threads of this process end soon."""

    def __init__(self, scheduler: JobScheduler, sweep: str) -> None:
        self.scheduler, self.sweep = scheduler, sweep

    def close(self) -> None:
        STOPPED.add(self.sweep)
        self.scheduler.drop()


def threads_each(executor: Executor) -> int:
    """Threads of a cell where nothing is said: the cores of this machine shared out, one on other machines."""
    if executor.name.startswith(("threads:", "local:")):
        return max(1, (os.cpu_count() or 1) // max(1, len(executor.workers)))
    return 1
