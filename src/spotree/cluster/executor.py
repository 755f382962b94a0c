"""What does work elsewhere, as a driver sees it: named workers that run one function at a time."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol


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
