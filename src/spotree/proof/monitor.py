"""Watching one attempt: it runs in the background, and its trees and its text are taken from it."""

from collections.abc import Callable

from spotree.common.signals import held_interrupts
from spotree.proof.attempt import Attempt
from spotree.proof.incumbent import Incumbent
from spotree.proof.options import ProofOptions
from spotree.proof.recorder import Recorder

FIRST_PAUSE, LONGER, LONGEST_PAUSE = 0.01, 1.3, 0.25  # seconds between looks at a proof: a short one ends at once


def follow(
    attempt: Attempt,
    seconds: float,
    incumbent: Incumbent,
    recorder: Recorder,
    use: ProofOptions,
    memory: int,
    meanwhile: Callable[[], bool],
) -> bool:
    """Let an attempt run to its end, for so many seconds, or until `meanwhile` says no; True if Ctrl-C came.

    The attempt is closed in any case: its bound is in the recorder, its tree with the incumbent.
    """
    attempt.offer(incumbent.value)
    recorder.begin(attempt)
    attempt.start(seconds, incumbent.threads, use, memory)
    pause, interrupted = FIRST_PAUSE, False
    try:
        while not attempt.wait(pause):
            pause = min(LONGER * pause, LONGEST_PAUSE)
            collect(attempt, incumbent)
            recorder.note(attempt, incumbent.value)
            with held_interrupts() as came:  # what is taken from the proof must get into the file
                attempt.drain()
            if came:
                raise KeyboardInterrupt
            if not meanwhile():
                break
    except KeyboardInterrupt:
        interrupted = True
    with held_interrupts():
        attempt.stop()
        collect(attempt, incumbent)
        recorder.end(attempt)
    return interrupted


def collect(attempt: Attempt, incumbent: Incumbent) -> None:
    """Exchange trees: the proof's, if it is better, and the value of the best one."""
    if attempt.proof.value() > incumbent.value and (found := attempt.tree()) is not None:
        incumbent.offer(found)
    attempt.offer(incumbent.value)
