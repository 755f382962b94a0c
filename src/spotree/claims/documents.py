"""JSON and plain bytes from files that may be anything."""

import json
import os
import stat
from collections import Counter
from typing import Any

from spotree.claims.schema import ClaimError
from spotree.errors import ReadError


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


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        again = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ClaimError(f"not JSON: the key {again[:60]!r} stands twice in one object")
    return unique
