"""Executor protocol: named workers that run one function at a time; the version on threads."""

import concurrent.futures
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol, cast


class WorkerLost(Exception):  # noqa: N818  an event that the driver answers, not an error that a person sees
    """The worker ended, or cannot be reached, before it had answered."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Stands for a large value among the arguments of a task: each worker is sent the value once and keeps it."""

    digest: str


class Task(Protocol):
    """One call on one worker."""

    @property
    def worker(self) -> str:
        """Where it was sent."""

    def done(self) -> bool:
        """Whether `result` would answer at once."""

    def result(self) -> Any:
        """What the function returned; raises what it raised, or `WorkerLost`. Only for tasks that are done."""

    def cancel(self) -> None:
        """Nobody wants the answer any more; one that has begun runs on, so tasks must end by themselves."""


class Executor(Protocol):
    """Workers, and a way to let them call functions.

    Functions are found by their name in an importable module; arguments and results must pickle.

    Attributes
    ----------
    name
        What a person calls it, as in "local:2".
    dashboard
        The address of a page that shows what it does, or None.
    """

    @property
    def name(self) -> str: ...

    @property
    def dashboard(self) -> str | None: ...

    @property
    def workers(self) -> tuple[str, ...]:
        """Who is there now; raises `ClusterError` where nobody can be asked any more."""

    def share(self, value: Any, digest: str) -> Shared:
        """A stand-in for a value; the same digest must mean an equal value."""

    def submit(self, worker: str, function: Callable[..., Any], *args: Any) -> Task:
        """Call a function on a worker after what it was given before; each `Shared` argument becomes its value."""

    def wait(self, tasks: Collection[Task], seconds: float) -> list[Task]:
        """Those that are done, as soon as there is one, or none after so many seconds."""

    def close(self) -> None:
        """Let go of the workers, and end those that were started for it; twice does no harm."""


@dataclass(frozen=True, slots=True, eq=False)
class ThreadTask:
    """One call on one thread."""

    worker: str
    future: "concurrent.futures.Future[Any]"

    def done(self) -> bool:
        return self.future.done()

    def result(self) -> Any:
        try:
            return self.future.result()
        except concurrent.futures.CancelledError as error:  # before it had begun
            raise WorkerLost(self.worker) from error

    def cancel(self) -> None:
        self.future.cancel()


class ThreadExecutor:
    """So many threads; the compiled core lets go of Python's lock, so they work side by side."""

    dashboard: str | None = None

    def __init__(self, count: int) -> None:
        self.name = f"threads:{count}"
        self._shared: dict[str, Any] = {}
        self._threads = {f"thread {n}": concurrent.futures.ThreadPoolExecutor(1) for n in range(count)}

    @property
    def workers(self) -> tuple[str, ...]:
        return tuple(self._threads)

    def share(self, value: Any, digest: str) -> Shared:
        self._shared[digest] = value
        return Shared(digest)

    def submit(self, worker: str, function: Callable[..., Any], *args: Any) -> ThreadTask:
        values = [self._shared[arg.digest] if isinstance(arg, Shared) else arg for arg in args]
        return ThreadTask(worker, self._threads[worker].submit(function, *values))

    def wait(self, tasks: Collection[Task], seconds: float) -> list[Task]:
        own = cast("Collection[ThreadTask]", tasks)
        concurrent.futures.wait(
            [task.future for task in own], seconds, return_when=concurrent.futures.FIRST_COMPLETED
        )
        return [task for task in own if task.done()]

    def close(self) -> None:
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)
