"""How much a compressed file may unpack to."""

import os
from dataclasses import dataclass

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
