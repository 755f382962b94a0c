"""Schedule of proof attempts: the next target value and its time, a pure function of the progress so far.

The incumbent's own level comes first: proved, it ends the run. Where it does not get on, levels above the incumbent are
easier to prove, and each lowers the bound. The seconds that a level takes grow about exponentially on the way down, and
faster and faster: what the last ones took says how far the next one may go.
"""

import math
from dataclasses import dataclass, replace

OWN_SHARE = 0.7  # of the time for the incumbent's own level, which says most; the rest is enough for a few levels
DOUBTFUL_SHARE = 0.35  # of the time after which it is given up unless it gets on: what it costs the levels, whose
# seconds grow exponentially, is little, and a proof may close without having seemed to get on (wlan0, firewire D=2)
EARLY = 0.9  # of the doubtful moment: what ends before is proved, or too large for any level
FIRST_PART = (
    1 / 16
)  # of the way from the bound down: the first level is to succeed, as nobody knows how hard they are
LARGEST_PART = (
    1 / 2
)  # parts double with each success up to here, as soon as something is known of how seconds grow, or none are taken
FIRST_TIME_PART = 0.15  # of the time left goes into a level before one was proved: it may lie far too low
TIME_PART = 1 / 2  # of the time left goes into a level, so that one that fails leaves time for an easier one
LAST_PART = 0.9  # of the time left is what the last level is to take, where half is too short for any
LONGER = 3  # times as long as the one before may a level take
STEEPER = 1.75  # times as fast as between the last two levels do the seconds grow below them
OVERRUN = 3  # times as long as it is to take may a level take: then a nearer one gains more
WORTH_WHILE = 1.2  # times the seconds of the last level: less time is not enough for another one
SHORTEST = 0.01  # of the time limit: what takes less tells nothing about how seconds grow
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
class Tried:
    """A level that was attempted, and the seconds that it took."""

    level: float
    seconds: float


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
        The moment from which on it is given up unless it gets on.
    began
        The moment at which it began.
    part
        A level lies at most this part of the way from the bound to the highest level that was not proved.
    proved, failed
        The levels before it, the last one last.
    """

    seconds: float
    level: float | None = None
    doubtful: float = math.inf
    began: float = 0.0
    part: float = FIRST_PART
    proved: tuple[Tried, ...] = ()
    failed: tuple[Tried, ...] = ()

    @property
    def low(self) -> float:
        """The highest level that was not proved; -inf if there is none."""
        return max((tried.level for tried in self.failed), default=-math.inf)


def taken_up(now: Standing, level: float, low: float, part: float) -> Turn:
    """The rest of a level that an earlier run was in the middle of; what it had proved is in the bound."""
    failed = (Tried(low, 0.0),) if low > -math.inf else ()
    return Turn(TIME_PART * now.left, level, began=now.seconds, part=part, failed=failed)


def first_turn(now: Standing, levels: bool) -> Turn:
    """The incumbent's own level, for all of the time unless levels may follow."""
    if not levels:
        return Turn(now.left)
    return Turn(OWN_SHARE * now.left, doubtful=now.seconds + DOUBTFUL_SHARE * now.left, began=now.seconds)


def next_turn(last: Turn, now: Standing) -> Turn | None:
    """The level after an attempt that did not prove the incumbent; None where no further one is worth while."""
    if last.level is None and now.seconds <= EARLY * last.doubtful:
        return None
    last = _with_outcome(last, now)
    room = now.bound - max(now.value, last.low)
    if now.left < LEAST_SHARE * now.time_limit or not LEAST_ROOM * now.margin < room < math.inf:
        return None
    seconds, step = (TIME_PART if last.proved else FIRST_TIME_PART) * now.left, last.part * room
    if last.proved:
        shortest = SHORTEST * now.time_limit
        took = max(last.proved[-1].seconds, shortest)
        aim = min(LONGER * took, seconds)
        seconds = min(OVERRUN * aim, seconds)
        if aim < WORTH_WHILE * took:
            aim = seconds = LAST_PART * now.left
        if aim < WORTH_WHILE * took:
            return None
        steepness = _steepness(last, shortest)
        step = min(step, math.log(aim / took) / steepness) if steepness > 0 else step
    if not step > now.margin:
        return None
    return replace(last, seconds=seconds, level=now.bound - step, doubtful=math.inf, began=now.seconds)


def _with_outcome(last: Turn, now: Standing) -> Turn:
    """The turn with itself among the levels that were proved or not."""
    if last.level is None:
        return last
    tried = Tried(last.level, now.seconds - last.began)
    if now.bound > last.level + now.margin:  # the next lies half of the way to it, at most
        return replace(last, part=LARGEST_PART, failed=(*last.failed, tried))
    grown = 2 if last.proved or tried.seconds <= SHORTEST * now.time_limit else 1
    return replace(last, part=min(grown * last.part, LARGEST_PART), proved=(*last.proved, tried))


def _steepness(turn: Turn, shortest: float) -> float:
    """How fast the logarithm of the seconds grows below the last level that was proved; 0 if nothing is known."""
    here = turn.proved[-1]
    took = max(here.seconds, shortest)
    found = 0.0
    if len(turn.proved) > 1:
        above = turn.proved[-2]
        found = math.log(took / max(above.seconds, shortest)) / (above.level - here.level)
    for below in turn.failed:  # it would have taken longer still
        if below.level < here.level:
            found = max(found, math.log(max(1.0, below.seconds / took)) / (here.level - below.level))
    return STEEPER * found
