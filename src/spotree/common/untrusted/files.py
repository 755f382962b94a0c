"""Reading of untrusted files: size limits, JSON documents, zip archives."""

import json
import os
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from spotree.common.untrusted.schema import ClaimError, in_short
from spotree.errors import ReadError

MEGABYTE = 2**20


def refuse_large_table(path: str | os.PathLike[str], num_states: int, num_actions: int) -> None:
    """A model has a table [state, action]: it must fit into the machine, however short the file is."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if 16 * num_states * num_actions > there:
        raise ReadError(
            f"{path}: a table of {num_states:,} states and {num_actions:,} actions does not fit into the"
            f" {there // MEGABYTE:,} MB of this machine"
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """Up to `free` bytes always, and beyond them up to `ratio` times the size of the file.

    The most regular models (a chain of states, one outcome per choice) reach a quarter to a third of the ratios below.
    """

    ratio: int
    free: int = 64 * MEGABYTE

    def of(self, size: int) -> int:
        return self.free + self.ratio * size

    def refuse_beyond(self, path: str | os.PathLike[str], size: int, claimed: int, way_out: str) -> None:
        """Complain if a file of `size` bytes claims to unpack to more."""
        if claimed > self.of(size):
            raise ReadError(
                f"{path}: {size:,} bytes that claim to unpack to {claimed:,} or more, over {self.ratio} times as"
                f" many; {way_out}"
            )


ZIPPED = Limit(50)  # .npz and certificates
COMPRESSED = Limit(200)  # .umb.gz and .umb.xz


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


def regular_size(path: str | os.PathLike[str]) -> int:
    """The bytes of a file; complains about anything else, before it is opened (a pipe would wait for ever)."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        raise ReadError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISDIR(found.st_mode):
        raise ReadError(f"{path}: is a directory")
    if not stat.S_ISREG(found.st_mode):
        raise ReadError(f"{path}: is a device or a pipe, not a file; copy its content into one")
    return found.st_size


def regular_bytes(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """What stands in a file of up to `most` bytes."""
    size = regular_size(path)
    if most is not None and size > most:
        raise ReadError(f"{path}: has {size:,} bytes; such a file has up to {most:,}")
    try:
        with open(path, "rb") as stream:
            return stream.read(size)
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror or error}") from None


def json_bytes(content: bytes | memoryview) -> Any:
    """The JSON value, in which no object has a key twice; ClaimError says what is wrong."""
    try:
        return json.loads(bytes(content), object_pairs_hook=_without_repeats)
    except RecursionError:
        raise ClaimError("not JSON that can be read: lists or objects too deep inside each other") from None
    except ClaimError:
        raise
    except ValueError as error:
        raise ClaimError(f"not JSON: {error}") from None


def saved_document(path: str | os.PathLike[str], kind: str, version: int, most: int) -> dict[str, Any]:
    """The entries of a file of up to `most` bytes that `spotree.common.json_format` made of that kind and version."""
    content = regular_bytes(path, most)
    try:
        claim = json_bytes(content)
    except ClaimError as error:
        raise ReadError(f"{path}: not a {kind} file ({error})") from error
    if not isinstance(claim, dict) or claim.get("format") != f"spotree-{kind}":
        raise ReadError(f"{path}: not a {kind} file (no format 'spotree-{kind}' in it)")
    if claim.get("version") != version:
        raise ReadError(f"{path}: version {in_short(claim.get('version'))}; this spotree reads version {version}")
    return claim


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        again = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ClaimError(f"not JSON: the key {again[:60]!r} stands twice in one object")
    return unique
