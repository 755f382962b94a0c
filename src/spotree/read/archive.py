"""The members of a UMB archive (a tar, plain or compressed), checked before anyone trusts them."""

import json
import lzma
import tarfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotree.errors import ReadError


class Archive:
    """The files inside one .umb, by name; arrays come out with the length that the index promises."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._members = _members(path)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def json(self, name: str) -> dict[str, Any]:
        try:
            content = json.loads(self.bytes(name))
        except ValueError as error:
            raise ReadError(f"{self.path}: {name} is not JSON: {error}") from None
        if not isinstance(content, dict):
            raise ReadError(f"{self.path}: {name} holds {type(content).__name__}, not an object")
        return content

    def bytes(self, name: str) -> bytes:
        if name not in self._members:
            raise ReadError(f"{self.path}: {name} is missing; the archive is not a complete UMB model")
        return self._members[name]

    def array(self, name: str, dtype: str, length: int) -> NDArray[Any]:
        """The member as an array of exactly this length."""
        content, size = self.bytes(name), np.dtype(dtype).itemsize
        if len(content) != length * size:
            raise ReadError(
                f"{self.path}: {name} has {len(content)} bytes, not {length} x {size}; cut off or corrupt?"
            )
        return np.frombuffer(content, dtype)

    def bits(self, name: str, length: int) -> NDArray[np.bool_]:
        """The member as a set: one bit each, lowest first, padded to 64."""
        packed = self.array(name, "<u8", -(-length // 64)).view(np.uint8)
        return np.unpackbits(packed, count=length, bitorder="little").astype(bool)

    def offsets(self, name: str, length: int, end: int) -> NDArray[np.int64]:
        """Where each of `length` items starts among `end` others, and the end; absent means one each."""
        if name not in self:
            if length != end:
                raise ReadError(f"{self.path}: {name} is missing, but {end} entries do not go one each to {length}")
            return np.arange(length + 1)
        starts = self.array(name, "<u8", length + 1).astype(np.int64)
        if starts[0] != 0 or starts[-1] != end or (np.diff(starts) < 0).any():
            raise ReadError(f"{self.path}: {name} does not rise from 0 to {end}")
        return starts


def _members(path: Path) -> dict[str, bytes]:
    members = {}
    try:
        with tarfile.open(path, "r:*") as tar:
            for member in tar:
                name = PurePosixPath(member.name)
                if name.is_absolute() or ".." in name.parts:
                    raise ReadError(f"{path}: the member {member.name!r} points outside the archive; refused")
                if member.isfile():
                    content = tar.extractfile(member)
                    assert content is not None
                    members[str(name)] = content.read()
                    if len(members[str(name)]) != member.size:
                        raise ReadError(f"{path}: cut off inside {member.name!r}")
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        reason = str(error).partition("\n")[0].rstrip(":")
        raise ReadError(
            f"{path}: not a complete tar archive ({reason}); a .umb is a tar, plain, gz or xz"
        ) from None
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror or error}") from None
    return members
