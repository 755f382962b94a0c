"""Jobs handed to the workers of an executor until each is answered, whoever is lost, hangs or comes late."""

import math
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from spotree.cluster.executor import Executor, Shared, Task, WorkerLost
from spotree.errors import ClusterError

PATIENCE = 60.0  # seconds after which a task counts as hanging, where the job says nothing else
NOBODY_SECONDS = 30.0  # how long there may be no worker at all
MOST_LOSSES = 5  # a job that so many workers did not survive is at fault itself


@dataclass(slots=True, eq=False)
class Job:
    """Something to be done once, by anybody; `about` is what its owner wants to remember.

    Attributes
    ----------
    worker
        Who should do it, if that worker is there and answers.
    answer
        What the function returned, once the job came out of `JobScheduler.wait`.
    done_by, seconds
        Who that was, and how long it took.
    may_fail, failure
        Whether the others go on where this one is at fault, and then why it has no answer.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    about: Any = None
    worker: str | None = None
    patience: float = PATIENCE
    answer: Any = None
    done_by: str | None = None
    seconds: float = 0.0
    may_fail: bool = False
    failure: ClusterError | None = None
    losses: int = 0
    tasks: list[Task] = field(default_factory=list)  # more than one where the first hangs


@dataclass(slots=True)
class Share:
    """What one worker did."""

    worker: str
    jobs: int = 0
    seconds: float = 0.0  # between sending a job and seeing its answer
    lost: int = 0  # jobs that it took away with it, or did not answer in time
    work: int = 0  # what the owners of its jobs counted


class JobScheduler:
    """One job at a time for each worker; a job whose worker is lost or hangs goes to another, the first answer counts.

    A worker that hangs gets nothing more until it answers. Jobs are done in the order in which they were added, those
    that wait for a certain worker aside.
    """

    def __init__(self, executor: Executor, nobody_seconds: float = NOBODY_SECONDS) -> None:
        self.executor, self.nobody_seconds = executor, nobody_seconds
        self.shares: dict[str, Share] = {}
        self.unit = "jobs"  # of the work that is counted
        self.listener: Callable[[str], Any] | None = None  # hears how it goes, where nobody else says it
        self.began = time.monotonic()
        self._waiting: deque[Job] = deque()
        self._at: dict[str, tuple[Task, Job, float]] = {}  # by worker: what it does, since when
        self._hanging: set[str] = set()
        self._told: list[Task] = []  # held, as dask forgets what nobody holds
        self._alone_since: float | None = None
        self._there: tuple[str, ...] = ()
        self._failure: ClusterError | None = None  # said once all answers were
        self._given_up: list[Job] = []

    def add(
        self,
        function: Callable[..., Any],
        *args: Any,
        about: Any = None,
        worker: str | None = None,
        patience: float = PATIENCE,
        may_fail: bool = False,
    ) -> Job:
        """A job for the scheduler; `patience` is how many seconds it may take before somebody else is asked as well."""
        job = Job(function, args, about, worker, patience, may_fail=may_fail)
        self._waiting.append(job)
        return job

    def share(self, value: Any, digest: str) -> Shared:
        """See `Executor.share`."""
        return self.executor.share(value, digest)

    @property
    def workers(self) -> tuple[str, ...]:
        """Who is there and answers."""
        return tuple(worker for worker in self.executor.workers if worker not in self._hanging)

    @property
    def known_workers(self) -> tuple[str, ...]:
        """The same, as of the last look: asks nobody."""
        return tuple(worker for worker in self._there if worker not in self._hanging)

    @property
    def under_way(self) -> list[Job]:
        """Jobs without an answer, begun or not."""
        begun = {id(job): job for _, job, _ in self._at.values() if job.done_by is None}
        return [*begun.values(), *(job for job in self._waiting if id(job) not in begun)]

    @property
    def room(self) -> int:
        """How many more jobs would begin at once."""
        idle = sum(worker not in self._at for worker in self.workers)
        return max(0, idle - len(self._waiting))

    def wait(self, seconds: float) -> list[Job]:
        """The jobs that were answered since the last call, as soon as there is one; raises what a job raised."""
        end = time.monotonic() + seconds
        while True:
            self._hand_out()
            left = end - time.monotonic()
            tasks = [task for task, _, _ in self._at.values()]
            if tasks:
                done = self.executor.wait(tasks, max(0.0, min(left, self._next_look())))
            else:
                done = []
                time.sleep(max(0.0, min(left, 0.05)))
            answered = [job for task in done for job in self._collect(task)]
            self._notice_who_is_gone()
            answered += self._given_up
            self._given_up = []
            if self._failure is not None and not answered:
                raise self._failure
            if answered or left <= 0 or not (self._at or self._waiting):
                return answered

    def assemble(self, seconds: float = math.inf) -> None:
        """Wait until somebody is there, at most so many seconds; complain where there has been nobody for long."""
        began = time.monotonic()
        while not self.workers and time.monotonic() - began < seconds:
            if time.monotonic() - began > self.nobody_seconds:
                raise self._nobody()
            time.sleep(0.05)

    def count(self, job: Job, work: int, unit: str) -> None:
        """So much was done by a job that was answered: for the rate, and the table of who did what."""
        if job.done_by is not None:
            self.shares[job.done_by].work += work
            self.unit = unit

    @property
    def rate(self) -> float:
        """Counted work per second, since the scheduler came together."""
        return sum(share.work for share in self.shares.values()) / max(time.monotonic() - self.began, 1e-9)

    def tell_all(self, function: Callable[..., Any], *args: Any) -> None:
        """Call a function on every worker, some time; nobody waits for it, and it may be lost."""
        with suppress(ClusterError):
            for worker in self.executor.workers:
                self._told.append(self.executor.submit(worker, function, *args))

    def drop(self) -> None:
        """Nobody wants the answers any more; who hung is asked again, as nobody would hear of an answer."""
        self._failure = None
        self._hanging.clear()
        self._waiting.clear()
        for task, _, _ in self._at.values():
            task.cancel()
        self._at.clear()

    def _hand_out(self) -> None:
        there = self._there = self.executor.workers
        self._look_for_anybody(there)
        for worker in there:
            if worker in self._at or worker in self._hanging:
                continue
            job = self._next_for(worker, there)
            if job is None:
                continue
            self._waiting.remove(job)
            task = self.executor.submit(worker, job.function, *job.args)
            job.tasks.append(task)
            self._at[worker] = (task, job, time.monotonic())

    def _next_for(self, worker: str, there: tuple[str, ...]) -> Job | None:
        """The first job that wants this worker or may go anywhere."""
        for job in self._waiting:
            wanted = job.worker
            if wanted is None or wanted == worker or wanted not in there or wanted in self._hanging:
                return job
        return None

    def _collect(self, task: Task) -> list[Job]:
        _, job, since = self._at.pop(task.worker)
        self._hanging.discard(task.worker)
        share = self.shares.setdefault(task.worker, Share(task.worker))
        try:
            answer = task.result()
        except WorkerLost:
            self._lose(task.worker, job)
            return []
        if job.done_by is not None:
            return []  # somebody else was quicker
        share.jobs += 1
        job.seconds = time.monotonic() - since
        share.seconds += job.seconds
        job.answer, job.done_by = answer, task.worker
        if job in self._waiting:
            self._waiting.remove(job)
        for other in job.tasks:
            if other is not task:
                other.cancel()
        return [job]

    def _lose(self, worker: str, job: Job) -> None:
        """A job whose worker is gone or hangs stands first in the row, unless somebody else was quicker."""
        if job.done_by is not None:
            return
        self.shares.setdefault(worker, Share(worker)).lost += 1
        job.losses += 1
        if job not in self._waiting:
            self._waiting.appendleft(job)
        if job.losses >= MOST_LOSSES:
            self._give_up(
                worker,
                job,
                f"{job.losses} workers of {self.executor.name} ended or hung while they did the same piece of work;"
                " it may need more memory than they have",
            )

    def _give_up(self, worker: str, job: Job, why: str) -> None:
        """Nobody is asked any more; where others cannot do without it, that is the end of everything."""
        failure = ClusterError(why)
        if not job.may_fail:
            self._failure = failure
            return
        self._waiting.remove(job)
        job.failure, job.done_by = failure, worker
        self._given_up.append(job)

    def _notice_who_is_gone(self) -> None:
        """Jobs of workers that left or hang go to others."""
        there = set(self.executor.workers)
        now = time.monotonic()
        for worker, (task, job, since) in list(self._at.items()):
            if worker not in there and not task.done():
                del self._at[worker]
                self._hanging.discard(worker)
                task.cancel()
                self._lose(worker, job)
            elif worker not in self._hanging and now - since > job.patience:
                self._hanging.add(worker)
                self._lose(worker, job)

    def _next_look(self) -> float:
        """Seconds until the first task counts as hanging, at most half of one: workers come and go."""
        now = time.monotonic()
        due = [since + job.patience - now for _, job, since in self._at.values()]
        return min(0.5, *(seconds for seconds in due if seconds > 0), 0.5)

    def _look_for_anybody(self, there: tuple[str, ...]) -> None:
        able = [worker for worker in there if worker not in self._hanging]
        if able or not self._waiting:
            self._alone_since = None
            return
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > self.nobody_seconds:
            raise self._nobody()

    def _nobody(self) -> ClusterError:
        return ClusterError(
            f"{self.executor.name} has had no worker that answers for {self.nobody_seconds:g} s;"
            " start workers, or run without a cluster"
        )
