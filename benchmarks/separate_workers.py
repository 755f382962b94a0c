"""A scheduler and workers as processes of their own, started by dask's own commands over TCP, as a user would."""

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from distributed import Client

DASK = str(Path(sys.executable).with_name("dask"))
START_SECONDS = 60.0


@contextlib.contextmanager
def separate_workers(count: int) -> Iterator[str]:
    """The address of a scheduler with so many workers of one thread each; all of them end with the block."""
    started: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        stack.callback(_end, started)

        def start(*words: str) -> None:
            quiet = subprocess.DEVNULL
            started.append(subprocess.Popen([DASK, *words], stdout=quiet, stderr=quiet, cwd=folder))

        port = _free_port()
        address = f"tcp://127.0.0.1:{port}"
        start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        for _ in range(count):
            start("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        with _client(address) as client:
            client.wait_for_workers(count, timeout=START_SECONDS)
        yield address


def _free_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _client(address: str) -> Client:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            return Client(address, timeout=5, set_as_default=False)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def _end(started: "list[subprocess.Popen[bytes]]") -> None:
    for process in reversed(started):
        process.kill()
        process.wait()
