"""What a proof attempts next, and for how long: a pure function of what has happened.

The incumbent's own level comes first: proved, it ends the run. Where it does not end, levels above the incumbent are
easier to prove, and each lowers the bound.
"""

import math
from dataclasses import dataclass

OWN_SHARE = 0.7  # of the time for the incumbent's own level, which says most; the rest is enough for a few levels
DOUBTFUL_SHARE = 0.25  # of the time after which it is given up if it has not come far: levels gain more from there
FAR_ENOUGH = 0.1  # share of the proof that makes the rest of its time worth while
EARLY = 0.9  # of the doubtful moment: what ends before is proved, or too large for any level
FIRST_PART = (
    1 / 8
)  # of the way from the bound down: the first level is to succeed, as nobody knows how hard they are
LARGEST_PART = 1 / 2  # parts double with each success up to here: then levels bisect what is left
TIME_PART = 1 / 2  # of the time left goes into a level, so that one that fails leaves time for an easier one
LEAST_SHARE = 0.04  # of the time limit: less is too short for another level
LEAST_ROOM = 4  # margins between bound and lowest level: closer, a level is as hard to prove as the incumbent


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands: its clock, the return of its best tree, and what no tree exceeds."""

    seconds: float
    time_limit: float
    value: float
    bound: float
    margin: float

    @property
    def left(self) -> float:
        return max(0.0, self.time_limit - self.seconds)


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt of a run.

    Attributes
    ----------
    seconds
        How long it may take.
    level
        What it is to prove that no tree exceeds; None for the incumbent's own return.
    doubtful
        The moment at which it is given up unless it has come `FAR_ENOUGH`.
    low, part
        Nothing up to `low` was proved; the level lies this part of the way from the bound to it.
    """

    seconds: float
    level: float | None = None
    doubtful: float = math.inf
    low: float = -math.inf
    part: float = FIRST_PART


def first_turn(now: Standing, levels: bool) -> Turn:
    """The incumbent's own level, for all of the time unless levels may follow."""
    if not levels:
        return Turn(now.left)
    return Turn(OWN_SHARE * now.left, doubtful=now.seconds + DOUBTFUL_SHARE * now.left)


def next_turn(last: Turn, now: Standing) -> Turn | None:
    """The level after an attempt that did not prove the incumbent; None where no further one is worth while."""
    if last.level is None:
        if now.seconds <= EARLY * last.doubtful:
            return None
        low, part = now.value, FIRST_PART
    elif now.bound > last.level + now.margin:  # it failed: the next lies half of the way to it
        low, part = last.level, LARGEST_PART
    else:
        low, part = last.low, min(2 * last.part, LARGEST_PART)
    low = max(low, now.value)
    room = now.bound - low
    if now.left < LEAST_SHARE * now.time_limit or not LEAST_ROOM * now.margin < room < math.inf:
        return None
    return Turn(TIME_PART * now.left, now.bound - part * room, low=low, part=part)
