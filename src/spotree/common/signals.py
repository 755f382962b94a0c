"""Ctrl-C that waits for the end of a block, or is noted by it."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

TOGETHER = (
    0.2  # seconds: what comes so soon after the first is the same wish (a shell and a batch system both send it)
)
GRACE = 1.0  # seconds to end in good order
ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def end_at_the_second() -> None:
    """Watch for wishes to end; Python hears of them late while compiled code runs, this thread at once."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader,), daemon=True).start()


def _watch(reader: int) -> None:
    first: float | None = None
    while came := os.read(reader, 1):
        if came[0] not in ENDING:
            continue
        now = time.monotonic()
        if first is None:
            first = now
        elif now - first > TOGETHER:
            time.sleep(GRACE)
            with suppress(OSError):
                os.write(2, b"spotree: interrupted again; ended without the result\n")
            os._exit(130)


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
