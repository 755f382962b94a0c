"""The command line: parse, one public call, print."""

import errno
import signal
import sys
from types import FrameType


def main() -> None:
    """Entry point.

    Exit codes: 0 done, 1 rejected or nobody reads on, 2 bad input, 3 a file or the output cannot be written (the
    result is printed all the same), 10 not proved (where that was asked), 130 interrupted: by Ctrl-C, SIGTERM or
    SIGHUP, the result is printed all the same; a second one ends at once.
    """
    from spotree.cli.impatience import end_at_the_second
    from spotree.cli.streams import complain, ended, prepare

    prepare()
    _end_gently()
    end_at_the_second()
    if sys.stdout is None:
        complain("standard output is closed; send it to /dev/null if it is not wanted")
        sys.exit(2)
    sys.exit(ended(_run()))


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
    from spotree.cli.streams import complain
    from spotree.errors import SpotreeError

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
