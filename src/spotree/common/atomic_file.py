"""Writing a file whole or not at all; what is no regular file (a device, a pipe) is written through."""

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import SpotreeError


class UnwrittenError(SpotreeError):
    """A file cannot be written; `result` is what a run has found all the same, if it has."""

    def __init__(self, path: str | os.PathLike[str], error: OSError) -> None:
        super().__init__(f"{shown(os.fspath(path), LONGEST_LINE)}: cannot be written ({error.strerror or error})")
        self.result: object = None


def utf8_name(path: str | os.PathLike[str]) -> str:
    """The name of a file, or a command line, as it can be written down: bytes that are no UTF-8 are escaped."""
    return os.fsencode(path).decode(errors="backslashreplace")


@contextmanager
def whole_file(path: str | os.PathLike[str], partial: Path | None = None) -> Iterator[IO[bytes]]:
    """A stream whose bytes appear under `path` once all of them are written; an error leaves nothing behind.

    A process that is killed leaves its partial file: who writes often, and alone, gives it a name of its own.
    """
    try:
        draft = Draft(path, partial)
        try:
            yield draft.stream
            draft.keep()
        finally:
            draft.drop()
    except OSError as error:
        raise UnwrittenError(path, error) from error


def check_target(path: str | os.PathLike[str]) -> Path | None:
    """The regular file that would be written, if it is one; complains before the work whose result goes there."""
    try:
        return _target(path)
    except OSError as error:
        raise UnwrittenError(path, error) from error


class Draft:
    """A file that is not there yet: what `stream` takes is put in place by `keep` or forgotten by `drop`.

    Until then the bytes lie under a name of their own beside the file, so that one of several writers wins as a
    whole. For a target that is no regular file they lie in a temporary one. Raises OSError.
    """

    stream: IO[bytes]

    def __init__(self, path: str | os.PathLike[str], partial: Path | None = None) -> None:
        self.path = Path(path)
        self.final = _target(path)
        self.partial: Path | None = None
        if self.final is None:
            self.stream = tempfile.TemporaryFile()  # noqa: SIM115 (keep and drop close it)
            return
        before = os.stat(self.final) if self.final.exists() else None
        if partial is None:
            partial = self.final.with_name(f".spotree-{uuid4().hex}.partial")
        else:
            partial.unlink(missing_ok=True)  # of a writer that was killed
        mode = 0o666 if before is None else stat.S_IMODE(before.st_mode)
        number = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        self.stream, self.partial = os.fdopen(number, "w+b"), partial
        if before is not None:
            with suppress(OSError):  # a foreign file system may know no owners or permissions
                os.fchown(number, before.st_uid, before.st_gid)
            with suppress(OSError):
                os.fchmod(number, mode)

    def keep(self) -> None:
        """Put the bytes in place."""
        self.stream.flush()
        if self.final is None:
            self.stream.seek(0)
            with _through(self.path) as target:
                shutil.copyfileobj(self.stream, target)
        elif self.partial is not None:
            os.fsync(self.stream.fileno())
            self.stream.close()
            self.partial.replace(self.final)
            self.partial = None
        self.drop()

    def drop(self) -> None:
        """Forget what was not kept; a second call does nothing."""
        with suppress(OSError):  # what a full disk would not take is not wanted any more
            self.stream.close()
        if self.partial is not None:
            with suppress(OSError):
                self.partial.unlink()
            self.partial = None


def _target(path: str | os.PathLike[str]) -> Path | None:
    """The regular file that the path and its symbolic links lead to; None for what is to be written through."""
    real = Path(os.path.realpath(path))
    try:
        there = os.stat(path)
    except FileNotFoundError:  # also a link to a file that is not there yet
        _need(real.parent, os.W_OK | os.X_OK)
        return real
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory")
    if stat.S_ISSOCK(there.st_mode):
        raise OSError(errno.ENXIO, "it is a socket")
    _need(Path(path), os.W_OK)
    named = real.exists() and os.path.samestat(there, os.stat(real))  # a file open elsewhere may have no name
    if not stat.S_ISREG(there.st_mode) or not named or _standard(there) is not None:
        return None
    _need(real.parent, os.W_OK | os.X_OK)
    return real


def _need(path: Path, access: int) -> None:
    if not path.exists():
        raise FileNotFoundError(
            errno.ENOENT, f"there is no directory {shown(str(path), LONGEST_LINE)}; make it first"
        )
    if not os.access(path, access):
        raise PermissionError(errno.EACCES, f"no permission to write {shown(str(path), LONGEST_LINE)}")


def _standard(there: os.stat_result) -> int | None:
    """The number of the standard stream that is this very file, which must not be replaced under its writer."""
    for number in (1, 2):
        with suppress(OSError):
            if os.path.samestat(there, os.fstat(number)):
                return number
    return None


def _through(path: Path) -> IO[bytes]:
    """The target itself, opened for writing."""
    number = _standard(os.stat(path))
    if number is None:
        return os.fdopen(_opened(path), "wb")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return os.fdopen(os.dup(number), "wb")


def _opened(path: Path) -> int:
    """Opened at once: a pipe that nobody reads is refused, as waiting for a reader would keep the result from all."""
    try:
        number = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nobody reads this pipe; start its reader first") from error
        raise
    os.set_blocking(number, True)
    return number
