"""Cache of a worker: shared values by digest, least recently used out first."""

import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from spotree.cluster.executor import Shared

MOST_BYTES = 2**30  # of packed values; one larger value is kept alone


class NotKept(Exception):  # noqa: N818  the driver answers by sending the value again
    """This worker does not have the value (any more)."""


class Kept:
    """Values by digest; the least recently used ones are let go."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._values: OrderedDict[str, tuple[int, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, digest: str, packed: bytes | None) -> Any:
        """The value, unpacked from what was sent where it is not here yet."""
        with self._lock:
            if digest not in self._values:
                if packed is None:
                    raise NotKept(digest)
                self._values[digest] = (len(packed), pickle.loads(packed))
            self._values.move_to_end(digest)
            value = self._values[digest][1]
            while len(self._values) > 1 and sum(size for size, _ in self._values.values()) > self.most_bytes:
                self._values.popitem(last=False)
        return value


KEPT = Kept()  # of this process


def call(function: Callable[..., Any], args: tuple[Any, ...], sent: Mapping[str, bytes]) -> Any:
    """Call a function here; `sent` holds the shared values that this worker may not have yet."""
    return function(
        *(KEPT.take(arg.digest, sent.get(arg.digest)) if isinstance(arg, Shared) else arg for arg in args)
    )
