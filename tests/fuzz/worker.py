"""Reads the files it is told of, one line each; says how that went. Memory and time are bounded by the kernel."""

import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path

from fuzz.targets import READ

SECONDS = 5


def _kilobytes(key: str) -> int:
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith(key)).split()[1])


def main(target: str) -> None:
    from spotree.errors import SpotreeError

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a reader prints is no answer
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # it ends the process, whatever that is doing
    for line in sys.stdin:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak
        before = _kilobytes("VmRSS")
        signal.alarm(SECONDS)
        kind, what = "read", ""
        try:
            READ[target](Path(line.rstrip("\n")))
        except SpotreeError as error:
            kind, what = "refused", str(error)
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            kind, what = (
                "exception",
                f"{type(error).__name__} at {place.filename}:{place.lineno}: {str(error)[:200]}",
            )
        signal.alarm(0)
        answers.write(json.dumps([kind, what, _kilobytes("VmHWM") - before]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
