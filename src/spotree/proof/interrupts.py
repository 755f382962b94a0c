"""Ctrl-C that waits for the end of a block."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_interrupts() -> Iterator[list[int]]:
    """Collect Ctrl-C in a list while the block runs: what it writes is whole or not there at all."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came  # signals go to the main thread alone
        return
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def undivided() -> Iterator[None]:
    """Ctrl-C takes effect after the block, never within it."""
    with held_interrupts() as came:
        yield
    if came:
        raise KeyboardInterrupt
