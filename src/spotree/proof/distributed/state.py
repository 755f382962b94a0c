"""How a proof is spread over workers, and what is known of its pieces since they were handed out."""

from dataclasses import dataclass, field

import numpy as np

from spotree.cluster.job_scheduler import Job, JobScheduler
from spotree.common.arrays import Floats, SmallInts
from spotree.proof.checkpoint.open_list_codec import Left, Piece
from spotree.proof.distributed.pool import Pool

ALONE = 2.0  # seconds that a proof runs here first: most end within them
SHORT, LONG = 0.5, 5.0  # seconds of a task: short ones while some worker has nothing to do
PATIENCE = 60.0  # seconds after which a task counts as hanging


@dataclass(slots=True, eq=False)
class Spreading:
    """How the proofs of one run are spread: the crew, and the model as each worker gets it once."""

    crew: JobScheduler
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

    root: Left
    epoch: int
    next: int  # number of the next region
    pool: Pool
    hopeless: SmallInts  # [leaf, (cube, action)]
    began: float
    open: float
    jobs: list[Job] = field(
        default_factory=list
    )  # whose answers have not been taken, whatever the crew knows of them
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
