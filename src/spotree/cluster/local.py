"""Workers on this machine, and the watchdog that ends them with their parent."""

import contextlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

import dask
from distributed import Client, LocalCluster

from spotree.cluster.dask import quiet
from spotree.errors import ClusterError

DRIVER = "SPOTREE_DRIVER"  # its process number, and the folder of this run
PARENT_LOOK = 0.5  # seconds between two looks


def dask_setup(worker: Any) -> None:
    """Called by dask in each worker (`--preload`)."""
    driver, _, folder = os.environ[DRIVER].partition(" ")
    threading.Thread(target=_watch, args=(int(driver), folder), daemon=True).start()


def _watch(driver: int, folder: str) -> None:
    while os.getppid() == driver:
        time.sleep(PARENT_LOOK)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


LOOPBACK = "127.0.0.1"
START_SECONDS = 60.0
LOOK = 0.2  # seconds between two looks at the processes
MOST_STARTS = 100  # once more, of all workers: where they end again and again, starting them is of no use
MOST_FIRST_STARTS = 5  # the same of each, until all of them are there for the first time
# What dask watches itself with takes 3 % of a core in every worker, and all cores have work to do.
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.tick.cycle": "5s",
    "distributed.admin.system-monitor.gil.enabled": False,
}


class LocalWorkers:
    """A scheduler in this process and `count` workers beside it; a worker that ends is started again.

    The workers are started by dask's own command, as on other machines, in sessions of their own: Ctrl-C reaches this
    process alone, and no program has to be safe to import twice. When this process ends, however it does, they end.
    All of them listen on loopback only: whoever reaches a port of dask can run code (docs/scale.md).
    """

    def __init__(self, count: int) -> None:
        quiet()
        self._folder = tempfile.TemporaryDirectory(prefix="spotree-", ignore_cleanup_errors=True)
        with dask.config.set(UNWATCHED):
            self._cluster = LocalCluster(
                n_workers=0, host=LOOPBACK, dashboard_address=f"{LOOPBACK}:0", silence_logs=logging.CRITICAL
            )
            self.client = Client(self._cluster, set_as_default=False)
        self._closing = threading.Event()
        self.processes = [self._start() for _ in range(count)]
        self._starts = 0  # once more
        self._watch = threading.Thread(target=self._start_again, daemon=True)
        self._watch.start()
        try:
            self._await(count)
        except BaseException:
            self.close()
            raise

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "distributed.cli.dask_worker", self._cluster.scheduler_address),
                *("--no-nanny", "--nthreads", "1", "--memory-limit", "0"),
                *("--host", LOOPBACK, "--no-dashboard", "--dashboard-address", f"{LOOPBACK}:0"),
                *("--local-directory", self._folder.name, "--death-timeout", f"{START_SECONDS:g}"),
                *("--preload", "spotree.cluster.local"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={
                f"DASK_{name.upper().replace('.', '__').replace('-', '_')}": str(value)
                for name, value in UNWATCHED.items()
            }
            | os.environ
            | {
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
                DRIVER: f"{os.getpid()} {self._folder.name}",
            },
        )

    def _start_again(self) -> None:
        while not self._closing.wait(LOOK) and self._starts < MOST_STARTS:
            for number, process in enumerate(self.processes):
                if process.poll() is not None and not self._closing.is_set():
                    self.processes[number] = self._start()
                    self._starts += 1

    def _await(self, count: int) -> None:
        end = time.monotonic() + START_SECONDS
        while len(self.client.nthreads()) < count:
            if self._starts > MOST_FIRST_STARTS * count or time.monotonic() > end:
                raise ClusterError(f"the {count} workers of local:{count} did not start; is there memory for them?")
            time.sleep(0.02)

    def close(self) -> None:
        """End the workers at once, whatever they do."""
        self._closing.set()
        if self._watch.is_alive():
            self._watch.join()
        with contextlib.suppress(Exception):
            self.client.close(timeout=2)
        for process in self.processes:
            process.kill()
            process.wait()
        with contextlib.suppress(Exception):
            self._cluster.close(timeout=2)
        self._folder.cleanup()
