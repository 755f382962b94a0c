"""One process at a time for a file that a long run writes."""

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path

from spotree.common.atomic_file import UnwrittenError
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import SpotreeError

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
