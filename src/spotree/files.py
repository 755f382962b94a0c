"""Writing a file whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from spotree.errors import SpotreeError


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream whose bytes appear under `path` once all of them are written; an error leaves nothing behind."""
    final = Path(path)
    partial = final.with_name(f".{final.name}.{uuid4().hex}.part")  # a name of its own for every writer
    try:
        with partial.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(final)
    except OSError as error:
        raise SpotreeError(f"{final}: cannot be written ({error.strerror or error})") from error
    finally:
        partial.unlink(missing_ok=True)
