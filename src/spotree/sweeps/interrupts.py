"""Whether Ctrl-C came, also where a run that was about to end anyway has answered it with its answer."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noticed_interrupts() -> Iterator[list[int]]:
    """Note every Ctrl-C in a list while the block runs; it does what it did before as well."""
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
