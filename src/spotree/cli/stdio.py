"""Standard output and error that lose no result: signs that an encoding lacks, closed pipes, full disks."""

import codecs
import io
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from spotree.cli.words import in_flags
from spotree.common.sanitize import LONGEST_LINE, shown

_as_python_does = warnings.showwarning
_INSTEAD = {
    "├": "+",
    "└": "+",
    "─": "-",
    "│": "|",
    "…": "...",
    **dict.fromkeys("█▉▊▋▌▐", "#"),
    **dict.fromkeys("▍▎▏", "."),
}


before_a_line: list[Callable[[], None]] = []  # what must leave the terminal before a line is printed


def _plainer(error: UnicodeError) -> tuple[str, int]:
    """Lines of a tree as ASCII, every other sign that cannot be encoded as its escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_INSTEAD.get(s) or s.encode("unicode_escape").decode() for s in signs), error.end


def prepare() -> None:
    """Make the streams take every text; a closed standard error is as good as none. Warnings become plain lines."""
    warnings.showwarning = _in_one_line
    codecs.register_error("spotree-plainer", _plainer)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (until the end)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spotree-plainer")


def _in_one_line(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """A warning of spotree in its words alone; those of others as Python shows them."""
    if issubclass(category, UserWarning):
        complain(message)
    else:
        _as_python_does(message, category, *place, **more)


def complain(message: object) -> None:
    """Say what went wrong, in one line of the command line's words that no file can forge."""
    with suppress(OSError):
        for erase in before_a_line:
            erase()
        print(f"spotree: {shown(in_flags(str(message), sys.argv), LONGEST_LINE)}", file=sys.stderr, flush=True)


def ended(code: int) -> int:
    """Get what was printed out; the exit code says whether that went well."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or 1
    except OSError as error:
        complain(f"the output cannot be written ({error.strerror or error})")
        code = code or 3
    else:
        return code
    with suppress(OSError):  # or Python would try again at its end, and complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
