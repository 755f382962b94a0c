"""The second Ctrl-C: it ends the process at once, also where nobody looks at signals."""

import os
import signal
import threading
import time
from contextlib import suppress

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
