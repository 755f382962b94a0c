"""Periodic checkpoint writer; a failed write never ends the run."""

import errno
import fcntl
import math
import os
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from spotree.checkpoint.checkpoint import Checkpoint, described
from spotree.common.atomic_file import UnwrittenError, check_target
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import InvalidProblemError, SpotreeError

NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # a file system that knows none: go without


class Lock:
    """Held by the process that runs; a process that dies, however it does, lets go of it.

    The lock stands beside the file, `NAME.lock`, as the file itself is replaced at every write.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        final = Path(os.path.realpath(path))
        self.path, self.place = path, final.with_name(final.name + ".lock")
        self.number: int | None = None

    def take(self) -> None:
        """Take it, or complain that another process has it."""
        while self.number is None:
            try:
                number = os.open(self.place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
            except OSError as error:
                raise UnwrittenError(self.place, error) from error
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    os.close(number)
                    raise SpotreeError(
                        f"{shown(os.fspath(self.path), LONGEST_LINE)}: another process is writing it; wait for its end,"
                        " or give this run a file of its own"
                    ) from error
            if self._is_there(number):
                self.number = number
            else:  # its holder ended and took it away meanwhile
                os.close(number)

    def drop(self) -> None:
        """Let go of it; a second call does nothing."""
        if self.number is not None:
            with suppress(OSError):
                self.place.unlink()
            os.close(self.number)
            self.number = None

    def _is_there(self, number: int) -> bool:
        try:
            return os.path.samestat(os.fstat(number), os.stat(self.place))
        except FileNotFoundError:
            return False


EVERY = 30.0  # seconds
SHARE = 0.05  # of the time may go into writing


class CheckpointWriter:
    """Keeps one checkpoint file up to date.

    Parameters
    ----------
    path
        The file, a regular one.
    every
        Seconds between two writes; more where a write takes more than a twentieth of that.
    tell
        Called with a sentence when the file cannot be written, once until it can be again; a warning if not given.

    Attributes
    ----------
    failure
        Why the last write did not succeed; None if it did.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        every: float = EVERY,
        tell: Callable[[str], Any] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not isinstance(every, int | float) or not 0 <= every < math.inf:
            raise InvalidProblemError(f"every is {every!r}; it must be 0 or more seconds between checkpoints")
        self.path, self.every, self.clock = Path(path), float(every), clock
        self.tell = tell or _warn
        self.failure: UnwrittenError | None = None
        self.written = 0  # times
        self._next = -math.inf
        self._lock: Lock | None = None
        self._partial = self.path

    def open(self, resumed: str | os.PathLike[str] | None = None) -> None:
        """Get ready, before any work: refuses a file that cannot be written, is in use, or is not the one resumed."""
        final = check_target(self.path)
        if final is None:
            raise UnwrittenError(self.path, OSError(errno.EINVAL, "a checkpoint needs a regular file"))
        lock = Lock(final)
        lock.take()
        try:
            if final.exists() and (resumed is None or not _same(final, resumed)):
                raise SpotreeError(
                    f"{shown(str(self.path), LONGEST_LINE)}: there is a file already, {described(final)}; resume"
                    " from it to go on with it, remove it to start afresh, or give another file"
                )
        except BaseException:
            lock.drop()
            raise
        self._partial = final.with_name(final.name + ".partial")
        self._lock = lock

    def due(self) -> bool:
        """Whether it is time for the next write; the first one is due at once."""
        return self.clock() >= self._next

    def offer(self, make: Callable[[], Checkpoint]) -> bool:
        """Write what `make` makes, if it is time; True if that was so and succeeded."""
        return self.due() and self.write(make)

    def write(self, make: Callable[[], Checkpoint], spent: float = 0.0) -> bool:
        """Write now; `spent` are seconds that making it has cost already. False if it could not be written."""
        began = self.clock() - spent
        try:
            make().save(self.path, self._partial)
        except UnwrittenError as error:
            if self.failure is None:
                self.tell(f"no checkpoint: {error}; the run goes on without, and tries again")
            self.failure = error
        else:
            self.failure = None
            self.written += 1
        now = self.clock()
        self._next = now + max(self.every, (now - began) / SHARE)
        return self.failure is None

    def close(self) -> None:
        """Let another process have the file; a second call does nothing."""
        if self._lock is not None:
            self._lock.drop()
            self._lock = None

    def __enter__(self) -> "CheckpointWriter":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def opened(self, resumed: str | os.PathLike[str] | None = None) -> "CheckpointWriter":
        """For a `with`: open in it, closed after it."""
        self.open(resumed)
        return self


def _same(final: Path, resumed: str | os.PathLike[str]) -> bool:
    try:
        return os.path.samefile(final, resumed)
    except OSError:
        return False


def _warn(sentence: str) -> None:
    warnings.warn(sentence, stacklevel=4)
