"""The command line: parse, one public call, print."""

import errno
import os
import signal
import sys
from types import FrameType

LEAST_MEMORY = 400  # MB of address space: with less, NumPy and SciPy fail to load, or their BLAS never ends
SMALL_MEMORY = 4096  # MB of address space: with less, BLAS has one thread, as each takes its share


def main() -> None:
    """Entry point.

    Exit codes: 0 done, 1 rejected or nobody reads on, 2 bad input, 3 a file or the output cannot be written (the
    result is printed all the same), 10 not proved (where that was asked), 130 interrupted: by Ctrl-C, SIGTERM or
    SIGHUP, the result is printed all the same; a second one ends at once.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
    from spotree.cli.stdio import complain, ended, prepare
    from spotree.common.signals import end_at_the_second

    prepare()
    _end_gently()
    end_at_the_second()
    if sys.stdout is None:
        complain("standard output is closed; send it to /dev/null if it is not wanted")
        sys.exit(2)
    if (limit := _address_space()) is not None and limit < SMALL_MEMORY:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if limit < LEAST_MEMORY:
            complain(
                f"the address space is limited to {limit:.0f} MB, too little to load NumPy and SciPy; allow"
                f" {LEAST_MEMORY} MB or more (ulimit -v {LEAST_MEMORY * 1000})"
            )
            sys.exit(2)
    code = ended(_run())
    if code == 130:
        exec("")  # clears what a KeyboardInterrupt inside of exec() left: CPython would die of SIGINT
    sys.exit(code)


def _address_space() -> float | None:
    """The limit of this process in MB, None where there is none or the system knows no such limit."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft / 1e6


def _end_at_once(_number: int, _frame: FrameType | None) -> None:
    """End without a word while modules are imported: there is no result yet, and an import must not be half done."""
    os._exit(130)


def _end_gently() -> None:
    """Let a request to end (`kill`, a batch system's time limit, a closed terminal) do what Ctrl-C does."""

    def interrupt(_number: int, frame: FrameType | None) -> None:
        ctrl_c = signal.getsignal(signal.SIGINT)
        (ctrl_c if callable(ctrl_c) else signal.default_int_handler)(signal.SIGINT, frame)

    for name in ("SIGTERM", "SIGHUP"):  # the latter is not everywhere
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores it: so be it
            signal.signal(number, interrupt)


def _run() -> int:
    from spotree.cli.app import app
    from spotree.cli.stdio import complain
    from spotree.errors import SpotreeError

    if signal.getsignal(signal.SIGINT) is _end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        app()
    except SystemExit as end:
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            complain("interrupted")  # before there was an answer: the framework ends in silence then
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except SpotreeError as error:
        complain(error)
        return 2
    except BrokenPipeError:
        return 1
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
            raise
        complain(f"the output cannot be written ({error.strerror})")
        return 3
    except KeyboardInterrupt:
        complain("interrupted")
        return 130
    return 0
