"""The open pieces of a spread proof: which of them make the next task."""

import math
from collections.abc import Iterable

from spotree.proof.checkpoint.open_list_codec import Piece

MOST_PIECES = 64  # of one task
MOST_NUMBERS = 500_000  # of one task, but for a single piece: some megabytes
EACH = 2  # tasks for each worker in what is there: a worker that is done early finds more


class Pool:
    """Pieces, the smallest share of the search first: deep ones end soon, so that there are never many."""

    def __init__(self, pieces: Iterable[Piece] = ()) -> None:
        self.pieces: list[Piece] = []
        self.add(pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def share(self) -> float:
        return math.fsum(piece.share for piece in self.pieces)

    def add(self, pieces: Iterable[Piece]) -> None:
        self.pieces = sorted([*self.pieces, *pieces], key=lambda piece: piece.share)

    def take(self, workers: int) -> tuple[Piece, ...]:
        """A task for one of so many workers: a fair share of what is there, and something for the others."""
        workers = max(1, workers)  # the last one may have left just now
        self._part(workers)
        fair = self.share / (EACH * workers)
        taken = [self.pieces.pop(0)]
        share, numbers = taken[0].share, len(taken[0].numbers)
        while self.pieces and len(taken) < MOST_PIECES and len(self.pieces) >= workers:
            following = self.pieces[0]
            share, numbers = share + following.share, numbers + len(following.numbers)
            if share > fair or numbers > MOST_NUMBERS:
                break
            taken.append(self.pieces.pop(0))
        return tuple(taken)

    def _part(self, workers: int) -> None:
        """Halve the largest pieces until there are enough for all, as far as their children are known."""
        whole: list[Piece] = []  # that cannot be parted
        while self.pieces and len(self.pieces) + len(whole) < EACH * workers:
            largest = self.pieces.pop()
            halves = largest.halves()
            if halves is None:
                whole.append(largest)
            else:
                self.add(halves)
        self.add(whole)
