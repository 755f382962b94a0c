"""Work in a process of its own: C++ that crashes or runs out of memory ends there, and here becomes one line."""

import ctypes
import faulthandler
import os
import pickle
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, TypeVar

from spotree.errors import ReadError, SpotreeError

T = TypeVar("T")
_DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG


def apart(path: Path, work: Callable[[], T]) -> T:
    """What the work on a file returns or complains about; a crash is a complaint as well."""
    if not hasattr(os, "fork"):
        return work()
    with tempfile.TemporaryFile() as answer:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # threads of others do not matter: none is needed there
            child = os.fork()
        if child == 0:
            _answer(work, answer)
        code = None
        try:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        finally:
            if code is None:  # Ctrl-C
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        if code:
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            reason = (
                "for want of memory?" if code == -signal.SIGKILL else "look for divisions by 0 and missing bounds"
            )
            raise ReadError(f"{path}: Storm crashed on it ({how}); {reason}")
        answer.seek(0)
        complaint, result = pickle.load(answer)  # our own process wrote it
    if complaint is not None:
        raise ReadError(complaint)
    returned: T = result
    return returned


def _answer(work: Callable[[], T], answer: IO[bytes]) -> None:
    """The child's life: work, write the answer down, end without any clean-up that is the parent's."""
    code = 1
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        faulthandler.disable()
        try:
            outcome: tuple[str | None, T | None] = None, work()
        except SpotreeError as error:
            outcome = str(error), None
        pickle.dump(outcome, answer, protocol=5)
        answer.flush()
        code = 0
    finally:
        os._exit(code)
