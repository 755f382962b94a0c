"""A zip archive whose members are counted, named once and of bounded size before any of them is unpacked."""

import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from spotree.claims.documents import regular_size
from spotree.claims.limits import ZIPPED

DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
"""What a damaged archive makes zipfile raise (an encrypted member is a RuntimeError)."""


class Zip:
    """The members of one archive. Raises ReadError for a claim that is refused, one of DAMAGED for a broken file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path, self.size = path, regular_size(path)
        self._archive = zipfile.ZipFile(path)
        try:
            self._members: dict[str, zipfile.ZipInfo] = {}
            for member in self._archive.infolist():
                if member.filename in self._members:
                    raise zipfile.BadZipFile(f"the member {member.filename[:60]!r} is there twice")
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise zipfile.BadZipFile(f"the member {member.filename[:60]!r} is neither stored nor deflated")
                self._members[member.filename] = member
            claimed = sum(member.file_size for member in self._members.values())
            ZIPPED.refuse_beyond(path, self.size, claimed, "refused as a zip bomb; write it without compression")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Zip":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        self._archive.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def claimed(self, name: str) -> int:
        """The bytes that a member says it unpacks to; it never gives more, and fewer are an error."""
        return self._members[name].file_size

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        with self._archive.open(self._members[name]) as stream:
            yield stream

    def read(self, name: str, most: int | None = None) -> bytes:
        """The whole member, of up to `most` bytes."""
        if most is not None and self.claimed(name) > most:
            raise zipfile.BadZipFile(f"{name} claims {self.claimed(name):,} bytes; it has up to {most:,}")
        return self._archive.read(self._members[name])
