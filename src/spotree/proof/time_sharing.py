"""Time sharing between search and proof: pure functions of the progress so far.

A first attempt comes early, as it costs little: once the search has a tree worth proving. It ends soon unless it gets
on. Later attempts wait until the search has stalled. So a proof that does not close takes a small part of the time, and
one that does ends the run.
"""

from dataclasses import dataclass

FREE_SHARE = 0.04  # of the time limit: what attempts may take whatever they bring
LEAST_FREE, MOST_FREE = 0.5, 0.1  # seconds that short runs give at least, of the time limit that they give at most
LONGEST = 3600.0  # seconds: a longer time limit counts as this
FIRST_ROUNDS = 2  # of the search before the first attempt: a proof is faster from a good tree
FIRST_SECONDS = 2.4  # of the first attempt, unless it gets on
LONGER = 2  # times as long as the one before is an attempt at least
STALLED = 0.25  # of the time so far without a better tree: then a longer attempt may come
CLOSING_SHARE = 0.5  # of the time that is left, for an attempt that gets on
FAR_ENOUGH = 0.1  # part of a proof; less is no sign that it may close
SHRINKS = 0.8  # of what was open at half of its time is open at most where a proof gets on


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a run stands between two rounds of its search.

    Attributes
    ----------
    seconds, time_limit
        Of the clock.
    rounds
        Of the search so far.
    better_at
        When the last better tree was found, in seconds.
    spent, last
        Seconds of all attempts, and of the last one.
    got_on
        Whether the last attempt had come far enough for another one to be of use beyond what is free.
    """

    seconds: float
    time_limit: float
    rounds: int
    better_at: float
    spent: float = 0.0
    last: float = 0.0
    got_on: bool = False

    @property
    def left(self) -> float:
        return max(0.0, min(self.time_limit, LONGEST) - self.seconds)


def free_seconds(time_limit: float) -> float:
    """What attempts may take whatever they bring."""
    limit = min(time_limit, LONGEST)
    return max(FREE_SHARE * limit, min(LEAST_FREE, MOST_FREE * limit))


def due(now: Moment) -> float | None:
    """Seconds for an attempt now, as long as it does not get on; None where the search goes on instead."""
    free = free_seconds(now.time_limit) - now.spent
    if now.last == 0:
        return min(free, FIRST_SECONDS, now.left) if now.rounds >= FIRST_ROUNDS else None
    if now.seconds - now.better_at < STALLED * now.seconds:
        return None
    seconds = LONGER * now.last
    return seconds if seconds <= (CLOSING_SHARE * now.left if now.got_on else min(free, now.left)) else None


def most_seconds(now: Moment, seconds: float) -> float:
    """Where even an attempt that gets on ends, if it began now with so many seconds."""
    return max(seconds, CLOSING_SHARE * now.left)


def gets_on(progress: list[tuple[float, float]]) -> bool:
    """Whether an attempt may close soon, by the part that was done at each look: (seconds, part), in order."""
    seconds, part = progress[-1]
    before = [done for at, done in progress if at <= seconds / 2]
    return part >= FAR_ENOUGH and 1 - part <= SHRINKS * (1 - (before[-1] if before else 0.0))
