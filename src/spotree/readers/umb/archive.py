"""The members of a UMB archive (a tar, plain or compressed), checked before anyone trusts them."""

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from spotree.common.untrusted import (
    COMPRESSED,
    Check,
    ClaimError,
    anything,
    json_bytes,
    list_of,
    named,
    number,
    one_of,
    optional,
    record,
    regular_bytes,
    regular_size,
    text,
    truth,
    whole,
)
from spotree.errors import ReadError

_COUNT = whole(0, 2**48)
_TYPE = record({"type": text()}, {"size": whole(0, 2**16)})

_SYSTEM = record(
    {"time": text(), "#players": whole(0), "#states": _COUNT, "#choices": _COUNT, "#branches": _COUNT},
    {"#observations": optional(whole(0)), "#choice-actions": _COUNT, "branch-probability-type": _TYPE},
)
_ANNOTATIONS = record(
    {},
    {
        "rewards": named(
            record(
                {"type": _TYPE, "applies-to": list_of(one_of("states", "choices", "branches"), most=3)},
                {"alias": text()},
            )
        ),
        "aps": named(record({}, {"alias": text()})),
    },
)
_VARIABLE = record({"name": text(), "type": _TYPE}, {"is-optional": truth, "offset": number()})
_PADDING = record({"padding": whole(0, 2**16)})
_OWN = record(
    {"name": text(), "notes": named(text(2**20))},
    {
        "discount": number(0, 1),
        "missing": text(),
        "missing_reward": number(),
        "must_end": truth,
        "sense": one_of("max", "min"),
        "forbidden": list_of(whole(0)),
        "sink": truth,
    },
)


def _entry(name: str, value: object) -> None:
    (_PADDING if isinstance(value, dict) and "padding" in value else _VARIABLE)(name, value)


def _parameters(name: str, value: object) -> None:
    """Free, but for what spotree itself wrote."""
    if isinstance(value, dict) and "spotree" in value:
        _OWN(f"{name}/spotree", value["spotree"])


_VALUATIONS = record({"classes": list_of(record({"variables": list_of(_entry)}), least=1)})
INDEX: Check = record(
    {"transition-system": _SYSTEM},
    {
        "format-version": anything,
        "annotations": _ANNOTATIONS,
        "valuations": record({}, {"states": optional(_VALUATIONS)}),
        "file-data": record({}, {"parameters": _parameters}),
    },
)


LONGEST_INDEX = 2**24
_CHUNK, _DICTIONARY = 2**20, 2**28


class Archive:
    """The files inside one .umb, by name; arrays come out with the length that the index promises."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._members = _members(path)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def json(self, name: str) -> dict[str, Any]:
        raw = self.bytes(name)
        if len(raw) > LONGEST_INDEX:
            raise ReadError(f"{self.path}: {name} has {len(raw):,} bytes; it has up to {LONGEST_INDEX:,}")
        try:
            content = json_bytes(raw)
        except ClaimError as error:
            raise ReadError(f"{self.path}: {name} is {error}") from None
        if not isinstance(content, dict):
            raise ReadError(f"{self.path}: {name} holds {type(content).__name__}, not an object")
        return content

    def bytes(self, name: str) -> memoryview:
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
        return np.unpackbits(packed, count=length, bitorder="little").view(bool)

    def offsets(self, name: str, length: int, end: int) -> NDArray[np.int64]:
        """Where each of `length` items starts among `end` others, and the end; absent means one each."""
        if name not in self:
            if length != end:
                raise ReadError(f"{self.path}: {name} is missing, but {end} entries do not go one each to {length}")
            return np.arange(length + 1)
        starts = self.array(name, "<u8", length + 1)
        if starts[0] != 0 or starts[-1] != end or (starts[1:] < starts[:-1]).any():
            raise ReadError(f"{self.path}: {name} does not rise from 0 to {end}")
        return starts.astype(np.int64)


def _members(path: Path) -> dict[str, memoryview]:
    """Views into the unpacked archive: no member can be larger than what is there."""
    members: dict[str, memoryview] = {}
    try:
        content = _unpacked(path)
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
            for member in tar:
                name = PurePosixPath(member.name)
                if name.is_absolute() or ".." in name.parts:
                    raise ReadError(f"{path}: the member {member.name!r} points outside the archive; refused")
                if member.isdir():
                    continue
                if not member.isreg() or member.issparse():
                    raise ReadError(f"{path}: the member {member.name!r} is a link, a device or sparse; refused")
                if str(name) in members:
                    raise ReadError(f"{path}: the member {member.name!r} is there twice")
                end = member.offset_data + member.size
                if not 0 <= member.offset_data <= end <= len(content):
                    raise ReadError(f"{path}: cut off inside {member.name!r}")
                members[str(name)] = memoryview(content)[member.offset_data : end]
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0].rstrip(":")
        raise ReadError(
            f"{path}: not a complete tar archive ({reason}); a .umb is a tar, plain, gz or xz"
        ) from None
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror or error}") from None
    return members


def _unpacked(path: Path) -> bytes:
    """The tar itself; a compressed one only up to what a model of that size may unpack to."""
    size = regular_size(path)
    with path.open("rb") as stream:
        start = stream.read(6)
    unpack = next((unpack for magic, unpack in _UNPACK.items() if start.startswith(magic)), None)
    if unpack is None:
        return regular_bytes(path)
    content = bytearray()
    with path.open("rb") as stream:
        for chunk in unpack(stream):
            content += chunk
            COMPRESSED.refuse_beyond(path, size, len(content), "refused; unpack it yourself if you trust it")
    return bytes(content)


def _read(stream: io.BufferedIOBase) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _unxz(stream: IO[bytes]) -> Iterator[bytes]:
    """lzma.open would allow a dictionary of any size."""
    packed = stream.read(_CHUNK)
    while packed:
        decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_DICTIONARY)
        while not decoder.eof:
            yield decoder.decompress(packed, _CHUNK)
            packed = stream.read(_CHUNK) if decoder.needs_input else b""
            if decoder.needs_input and not packed:
                raise EOFError("the xz stream ends early")
        packed = decoder.unused_data.lstrip(b"\0") or stream.read(_CHUNK)  # another stream may follow


_UNPACK: dict[bytes, Callable[[IO[bytes]], Iterator[bytes]]] = {
    b"\x1f\x8b": lambda stream: _read(gzip.GzipFile(fileobj=stream)),
    b"BZh": lambda stream: _read(bz2.BZ2File(stream)),
    b"\xfd7zXZ\0": _unxz,
}
