"""The executor without a cluster: each worker is a thread of this process."""

import concurrent.futures
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, cast

from spotree.cluster.executor import Shared, Task, WorkerLost


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
