"""Keeps the checkpoint of a proof up to date."""

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spotree.checkpoint import Checkpoint, CheckpointWriter
from spotree.common.signals import held_interrupts
from spotree.mdp.model import fingerprint
from spotree.proof.attempt import Attempt
from spotree.proof.checkpoint.format import NOTHING, Packed, SavedProof
from spotree.proof.monitor import collect

if TYPE_CHECKING:
    from spotree.proof.driver import Run


@dataclass(frozen=True, slots=True, eq=False)
class Keeping:
    """Writes down where a run stands, every now and then."""

    keeper: CheckpointWriter
    tolerance: float

    def offer(self, run: "Run") -> None:
        """Write, if it is time."""
        if self.keeper.due():
            self.write(run)

    def write(self, run: "Run") -> None:
        """Write now what the attempt that runs has reached; Ctrl-C waits for it."""
        with held_interrupts() as came:
            began = time.monotonic()
            if run.now.running:
                run.now.look()
                collect(run.now, run.incumbent)  # what was written may have been closed by a tree of just now
            spent = time.monotonic() - began
            self.keeper.write(lambda: self._checkpoint(run, run.now, run.now.level), spent)
        if came:
            raise KeyboardInterrupt

    def write_last(self, run: "Run") -> None:
        """At the end of a run: the next one has time of its own, for the incumbent's own level first."""
        best = run.best
        attempt = best if best is not None and best.proves_tree else run.own
        self.keeper.write(lambda: self._checkpoint(run, attempt, None))

    def _checkpoint(self, run: "Run", attempt: Attempt | None, level: float | None) -> Checkpoint:
        frame = run.problem.frame
        saved = self._saved(run, attempt or run.problem.attempt(), level)
        return saved.checkpoint(frame.mdp, fingerprint(frame.mdp), frame.depth, frame.max_leaves)

    def _saved(self, run: "Run", now: Attempt, level: float | None) -> SavedProof:
        left = now.left
        proved, proof, rule = _proved(run)
        return SavedProof(
            tree=run.incumbent.tree,
            found=run.incumbent.found is not None,
            bound=min(run.recorder.bound, now.bound),
            seconds=run.problem.frame.seconds + (0.0 if run.saved is None else run.saved.seconds),
            searched=run.searched,
            tolerance=self.tolerance,
            level=level,
            low=run.turn.low,
            part=run.turn.part,
            symmetries=run.problem.symmetries.header,
            shown=now.shown,
            by_state=now.packed("state"),
            by_tree=NOTHING if left is None else now.packed("tree"),
            left=(np.zeros(0, np.int32), np.zeros(0)) if left is None else left.streams,
            following=0 if left is None else left.following,
            proved=proved,
            proof=proof,
            rule=rule,
        )


def _proved(run: "Run") -> tuple[float, Packed, str]:
    """The lowest bound that an attempt which has ended proves, this run's or an earlier one's."""
    best, saved = run.best, run.saved
    found: tuple[float, Packed, str] = (math.inf, NOTHING, "state")
    if saved is not None and saved.proved < found[0]:
        found = saved.proved, saved.proof, saved.rule
    if best is not None and best.certified < found[0]:
        found = best.certified, best.packed(best.rule), "level" if best.is_level else best.rule
    return found
