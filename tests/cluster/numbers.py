"""Small jobs for tests of executors; workers import them by name."""

import os
import time
from typing import Any


def double(x: Any) -> Any:
    return 2 * x


def total(values: list[int], more: int) -> int:
    return sum(values) + more


def where() -> int:
    return os.getpid()


def slowly(seconds: float, x: Any) -> Any:
    time.sleep(seconds)
    return x


def wrong(x: Any) -> Any:
    raise ValueError(f"{x} is wrong")


def end_once(mark: str) -> int:
    """Ends its process the first time that it is called with this file."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return os.getpid()
    os.kill(os.getpid(), 9)
    return 0


def hang_once(mark: str, seconds: float) -> int:
    """Takes so many seconds the first time that it is called with this file."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return os.getpid()
    time.sleep(seconds)
    return 0
