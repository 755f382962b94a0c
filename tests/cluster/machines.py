"""A scheduler and workers as separate processes, started by dask's own commands over TCP, as a user would."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from spotree.cluster.dask import DaskExecutor, connect


class Machines:
    """Processes on this machine that know each other by TCP only."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(folder / "scheduler"))
        self.workers: list[subprocess.Popen[bytes]] = []
        end = time.monotonic() + 30
        while not (folder / "scheduler").exists() and time.monotonic() < end:
            time.sleep(0.05)
        self.address = str(json.loads((folder / "scheduler").read_text())["address"])
        for _ in range(workers):
            self.add_worker()

    def _start(self, command: str, *options: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{command}", "--host", "127.0.0.1", "--no-dashboard", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )

    def add_worker(self) -> None:
        self.workers.append(self._start("dask_worker", self.address, "--nthreads", "1", "--no-nanny"))

    def restart(self) -> None:
        """The scheduler is killed and started again at its address, with one new worker."""
        self.scheduler.kill()
        self.scheduler.wait()
        self.scheduler = self._start("dask_scheduler", "--port", self.address.rpartition(":")[2])
        self.add_worker()

    def executor(self, count: int, return_seconds: float = 2.0) -> DaskExecutor:
        """As `open_executor` would give, once so many workers are there."""
        client = connect(self.address, 10.0)
        client.wait_for_workers(count, timeout=30)
        return DaskExecutor(client, self.address, client.close, return_seconds)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
