"""Ctrl-C that waits for the end of a block, or is noted by it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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


@contextmanager
def noticed_interrupts() -> Iterator[list[int]]:
    """Note every Ctrl-C in a list while the block runs; it does what it did before as well.

    A run that was about to end anyway may answer Ctrl-C with its answer.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came  # signals go to the main thread alone
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        (before if callable(before) else signal.default_int_handler)(number, frame)

    if before is signal.SIG_IGN or before is None:  # somebody does not want it to count
        yield came
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)
