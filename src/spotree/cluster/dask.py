"""The executor of a dask cluster."""

import asyncio
import logging
import math
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Collection
from concurrent.futures import CancelledError
from typing import Any, cast

from distributed import Client, Future
from distributed.core import rpc
from distributed.security import Security
from distributed.utils import LoopRunner

from spotree.cluster.executor import Shared, Task, WorkerLost
from spotree.cluster.worker_cache import NotKept, call
from spotree.errors import ClusterError

RETURN_SECONDS = 20.0  # how long a scheduler that is gone may take to come back
LOOK = 0.5  # seconds between two looks at the connection while nothing happens


class DaskTask:
    """One call on one dask worker."""

    def __init__(self, worker: str, calls: tuple[Callable[..., Any], tuple[Any, ...]], future: Future) -> None:
        self.worker, self.calls, self.future = worker, calls, future

    def done(self) -> bool:
        return bool(self.future.done())

    def result(self) -> Any:
        from distributed.scheduler import KilledWorker

        if self.future.status in ("cancelled", "lost"):
            raise WorkerLost(self.worker)
        try:
            return self.future.result(timeout=RETURN_SECONDS)
        except (KilledWorker, CancelledError, TimeoutError, OSError) as error:
            if self.future.status == "error" and not isinstance(error, KilledWorker):
                raise  # the function's own
            raise WorkerLost(self.worker) from error

    def cancel(self) -> None:
        if not self.future.done():
            self.future.release()


class DaskExecutor:
    """The workers of a dask client; values are sent with the first task that needs them."""

    def __init__(
        self, client: Client, name: str, close: Callable[[], None], return_seconds: float = RETURN_SECONDS
    ) -> None:
        self.client, self.name, self.return_seconds = client, name, return_seconds
        self._close = close
        self._packed: dict[str, bytes] = {}
        self._sent: dict[str, set[str]] = {}  # by worker
        self._news = threading.Event()
        self._workers: tuple[str, ...] = ()
        self._asked = -math.inf

    @property
    def dashboard(self) -> str | None:
        return dashboard_of(self.client)

    @property
    def workers(self) -> tuple[str, ...]:
        now = time.monotonic()
        if now - self._asked > LOOK / 2:
            self._connected()
            try:
                self._workers = tuple(sorted(self.client.nthreads(callback_timeout=self.return_seconds)))
                self._asked = now
            except (OSError, RuntimeError):  # the scheduler is gone, or the client with it
                self._connected()
        return self._workers

    def share(self, value: Any, digest: str) -> Shared:
        if digest not in self._packed:
            self._packed[digest] = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        return Shared(digest)

    def submit(self, worker: str, function: Callable[..., Any], *args: Any) -> DaskTask:
        return DaskTask(worker, (function, args), self._send(worker, function, args))

    def _send(self, worker: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Future:
        there = self._sent.setdefault(worker, set())
        new = {arg.digest for arg in args if isinstance(arg, Shared)} - there
        there |= new
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")  # once per worker, by intent
            future = self.client.submit(
                call,
                function,
                args,
                {digest: self._packed[digest] for digest in new},
                workers=[worker],
                pure=False,
                retries=0,
            )
        future.add_done_callback(lambda _: self._news.set())
        return future

    def wait(self, tasks: Collection[Task], seconds: float) -> list[Task]:
        own = cast("Collection[DaskTask]", tasks)
        end = time.monotonic() + seconds
        while True:
            self._news.clear()
            done = [task for task in own if task.done() and not self._sent_again(task)]
            left = end - time.monotonic()
            if done or left <= 0:
                return cast("list[Task]", done)
            self._connected()
            self._news.wait(min(left, LOOK))

    def _sent_again(self, task: DaskTask) -> bool:
        """Whether a worker had let go of a shared value: then the task goes there once more, with the value."""
        if task.future.status != "error" or not isinstance(task.future.exception(timeout=RETURN_SECONDS), NotKept):
            return False
        self._sent.pop(task.worker, None)
        task.future = self._send(task.worker, *task.calls)
        return True

    def _connected(self) -> None:
        """Wait for a scheduler that is gone to come back, but not for ever."""
        end = time.monotonic() + self.return_seconds
        while self.client.status != "running":
            self._sent.clear()
            if self.client.status in ("closed", "closing") or time.monotonic() > end:
                raise ClusterError(
                    f"the scheduler of {self.name} is gone; start it again, or run without a cluster"
                )
            time.sleep(0.1)

    def close(self) -> None:
        self._close()


def dashboard_of(client: Client) -> str | None:
    """The link to dask's own page, where it runs."""
    try:
        return (
            cast("str | None", client.dashboard_link)
            if "dashboard" in client.scheduler_info()["services"]
            else None
        )
    except (KeyError, OSError, ValueError):
        return None


def connect(address: str, seconds: float) -> Client:
    """A client of a scheduler that runs already, or an exception of any kind within so many seconds."""
    quiet()
    kind = LoopRunner().run_sync(_kind, address, seconds)
    if kind != "Scheduler":
        raise OSError(f"a dask {kind}, not a scheduler")
    client = Client(address, timeout=seconds, set_as_default=False)
    client._timeout = RETURN_SECONDS  # a scheduler that restarts has longer than one that was never there
    return client


async def _kind(address: str, seconds: float) -> str:
    """What answers there, as it says itself; a `Client` alone would wait for a silent port much longer."""
    how = Security().get_connection_args("client")
    if address.startswith("tls:") and how.get("ssl_context") is None:
        raise OSError("dask knows no certificates; set distributed.comm.tls")
    remote = rpc(address, timeout=seconds, connection_args=how)
    try:
        return str((await asyncio.wait_for(remote.identity(), seconds))["type"])
    finally:
        await remote.close_rpc()


def quiet() -> None:
    """dask's own words about lost workers would stand between ours."""
    for name in ("distributed", "distributed.scheduler", "distributed.client", "distributed.core", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
