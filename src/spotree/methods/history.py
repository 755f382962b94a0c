"""What happened while a policy was sought: one line for each new best, or each round."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a run at one moment, for a live line and for the record.

    Attributes
    ----------
    seconds
        Wall-clock seconds since the start.
    round
        Rounds finished (the paper's l).
    value
        Return of the best tree so far.
    bound
        Proven upper bound on the return of any tree of that size so far.
    current
        Return of the tree of this round, which may be below `value`.
    leaves
        Leaves of the smallest tree that is good enough, where that is what is sought.
    """

    seconds: float
    round: int
    value: float
    bound: float
    current: float | None = None
    leaves: int | None = None
