"""The command line: parse, one public call, print."""

import errno
import sys


def main() -> None:
    """Entry point.

    Exit codes: 0 done, 1 rejected or nobody reads on, 2 bad input, 3 a file or the output cannot be written (the
    result is printed all the same), 130 interrupted.
    """
    from spotree.cli.streams import complain, ended, prepare

    prepare()
    if sys.stdout is None:
        complain("standard output is closed; send it to /dev/null if it is not wanted")
        sys.exit(2)
    sys.exit(ended(_run()))


def _run() -> int:
    from spotree.cli.app import app
    from spotree.cli.streams import complain
    from spotree.errors import SpotreeError

    try:
        app()
    except SystemExit as end:
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
