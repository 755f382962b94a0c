"""What a worker of `local:N` does when the process that started it is gone: it ends too, in the middle of its work."""

import os
import shutil
import threading
import time
from typing import Any

DRIVER = "SPOTREE_DRIVER"  # its process number, and the folder of this run
LOOK = 0.5  # seconds between two looks


def dask_setup(worker: Any) -> None:
    """Called by dask in each worker (`--preload`)."""
    driver, _, folder = os.environ[DRIVER].partition(" ")
    threading.Thread(target=_watch, args=(int(driver), folder), daemon=True).start()


def _watch(driver: int, folder: str) -> None:
    while os.getppid() == driver:
        time.sleep(LOOK)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
