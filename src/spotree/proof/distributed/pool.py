"""The open pieces of a spread proof: which of them make the next task."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from spotree.cluster.job_scheduler import Job, JobScheduler
from spotree.common.arrays import Floats, SmallInts
from spotree.proof.checkpoint.open_list_codec import OpenSubproblems, Piece

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


ALONE = 2.0  # seconds that a proof runs here first: most end within them
SHORT, LONG = 0.5, 5.0  # seconds of a task: short ones while some worker has nothing to do
PATIENCE = 60.0  # seconds after which a task counts as hanging


@dataclass(slots=True, eq=False)
class Spreading:
    """How the proofs of one run are spread: the scheduler, and the model as each worker gets it once."""

    scheduler: JobScheduler
    alone: float = ALONE
    short: float = SHORT
    long: float = LONG
    patience: float = PATIENCE
    regions: int = 0  # of rule "tree" here and of each task, at most; 0: as many as there is time for
    lost: bool = False  # nobody answers: proofs stay here

    def __post_init__(self) -> None:
        self.long = max(self.long, self.short)


@dataclass(frozen=True, slots=True, eq=False)
class Sent:
    pieces: tuple[Piece, ...]
    first: int  # number of the regions that it may write


@dataclass(slots=True, eq=False)
class Elsewhere:
    """What is known of the pieces since they were handed out."""

    root: OpenSubproblems
    epoch: int
    next: int  # number of the next region
    pool: Pool
    hopeless: SmallInts  # [leaf, (cube, action)]
    began: float
    open: float
    jobs: list[Job] = field(
        default_factory=list
    )  # whose answers have not been taken, whatever the scheduler knows of them
    words: list[SmallInts] = field(default_factory=list)
    numbers: list[Floats] = field(default_factory=list)
    regions: int = 0
    least: float = 0.0  # seconds of a task: more where one was too short for a single region
    finished: bool = False

    def learn(self, hopeless: SmallInts) -> None:
        """Leaves that a worker found; others may have found them, too."""
        known = {tuple(leaf) for leaf in self.hopeless.tolist()} if len(hopeless) else set()
        new = [leaf for leaf in hopeless.tolist() if tuple(leaf) not in known]
        self.hopeless = np.concatenate([self.hopeless, np.array(new, np.int32).reshape(-1, 2)])
