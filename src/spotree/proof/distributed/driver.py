"""A proof on many workers: it begins here, and its pieces of rule "tree" are done elsewhere.

To whoever watches it is a proof of the core: it has the same verbs.
"""

import hashlib
import math
import time
import warnings
from dataclasses import replace
from typing import Any
from uuid import uuid4

import numpy as np

from spotree import _core
from spotree._core import ProofEnding, ProofWinner
from spotree.cluster.executor import Shared
from spotree.cluster.job_scheduler import Job
from spotree.common.arrays import Floats, SmallInts
from spotree.common.signals import undivided
from spotree.errors import ClusterError
from spotree.mdp.model import fingerprint
from spotree.proof.checkpoint.open_list_codec import OpenSubproblems, Piece
from spotree.proof.distributed.pool import Elsewhere, Pool, Sent, Spreading
from spotree.proof.distributed.worker import Answer, Question, prove_pieces
from spotree.proof.problem import Problem
from spotree.proof.protocols import Nodes, Streams, Text

RAMP = 0.1  # of the time since the first task: the longest that a task may be
GRACE = 1.0  # seconds after the time limit for answers that are on their way
LONGER = 2.0  # a task after one that came to nothing


class DistributedProof:
    """A proof of the core that lets a scheduler do rule "tree"; rule "state" goes on here."""

    def __init__(self, problem: Problem, spreading: Spreading) -> None:
        self.problem, self.by = problem, spreading
        self.here = _core.Proof(problem.model, problem.margin / 2)
        self.away: Elsewhere | None = None
        self.states: list[Text] = []  # written by rule "state" and not yet drained
        self.ended = False
        self.settings: dict[str, Any] = {}
        self.began = self.seconds = 0.0
        self.model: Shared | None = None  # as shared with workers, and so the question
        self.question: Shared | None = None

    def resume(self, words: SmallInts, numbers: Floats, bound: float) -> None:
        self.here.resume(words, numbers, bound)

    def reopen(self, **old: Any) -> None:
        self.here.reopen(**old)

    def start(self, *, seconds: float, **settings: Any) -> None:
        self.began, self.seconds = time.monotonic(), seconds
        self.settings = settings | {"keep_left": True, "most_regions": self.by.regions}
        self.here.start(seconds=seconds, **self.settings)

    def offer(
        self, value: float, *, split: SmallInts, left: SmallInts, right: SmallInts, action: SmallInts
    ) -> None:
        self.here.offer(value, split=split, left=left, right=right, action=action)

    def wait(self, seconds: float) -> bool:
        """True once the proof has ended; hands out and takes back meanwhile."""
        if self.ended:
            return True
        end = time.monotonic() + seconds
        if self.away is None:
            self.ended = self.here.wait(seconds)
            if self._time_to_part(self.ended) and self.here.winner() is ProofWinner.none:
                with undivided():
                    self._hand_over()
                self.ended = self.ended and self.away is None
            return self.ended
        try:
            self._deal()
            for job in self.by.scheduler.wait(max(0.0, end - time.monotonic())):
                with undivided():
                    self._take(job)
            self._finish_if_done()
            self._deal()
        except ClusterError as error:
            warnings.warn(f"{error}; the proof ends as far as it has come", stacklevel=2)
            self.by.lost = True
            self.stop()
            return True
        self.here.tell_share(self.share())
        state_ended = self.here.wait(0.0)
        over = state_ended and (
            self.winner() is not ProofWinner.none or time.monotonic() > self.began + self.seconds + GRACE
        )
        idle = not self.away.jobs and (not len(self.away.pool) or time.monotonic() > self.began + self.seconds)
        if self.away.finished or over or (state_ended and idle):
            self.stop()
        return self.ended

    def stop(self) -> None:
        if self.away is not None:
            with undivided():
                self.away.pool.add(self._sent())  # as open as they were: nobody waits for their answers
                self.away.jobs = []
            self.by.scheduler.drop()
        self.here.stop()
        self.ended = True

    def _time_to_part(self, ended: bool) -> bool:
        """After a while, or as soon as nobody goes on here: regions may be limited."""
        part, passed = self.settings["tree_rule"] and not self.by.lost, time.monotonic() - self.began
        return bool(part) and (ended or self.by.alone <= passed) and passed < self.seconds

    def _hand_over(self) -> None:
        found = self.here.snapshot(True)
        if found is None:  # not now: the root is still being bounded
            return
        states, (epoch, words, numbers), streams, following = found
        problem, mdp = self.problem, self.problem.frame.mdp
        left = OpenSubproblems.read(*streams, mdp.num_states, len(problem.groups.state), mdp.num_actions)
        self.states.append(states)
        self.away = Elsewhere(
            replace(left, pieces=()),
            epoch,
            following,
            Pool(left.pieces),
            left.hopeless,
            time.monotonic(),
            left.open,
        )
        self.away.words.append(words)
        self.away.numbers.append(numbers)
        model = fingerprint(mdp)
        self.model = self.by.scheduler.share(mdp, model)
        unneeded = ("threads", "state_rule", "tree_rule")
        question = Question(
            problem=f"{model} {problem.depth} {problem.max_leaves} {_digest(problem.symmetries.header)}",
            depth=problem.depth,
            max_leaves=problem.max_leaves,
            tolerance=problem.margin / 2,
            symmetries=problem.symmetries.header,
            settings={name: value for name, value in self.settings.items() if name not in unneeded},
            root=left.for_worker(),
        )
        self.question = self.by.scheduler.share(question, uuid4().hex)
        self._finish_if_done()

    def _sent(self) -> list[Piece]:
        """The pieces that workers have."""
        return [] if self.away is None else [piece for job in self.away.jobs for piece in job.about.pieces]

    def _deal(self) -> None:
        """A task for every worker that has none."""
        assert self.away is not None
        scheduler, pool = self.by.scheduler, self.away.pool
        left = self.began + self.seconds - time.monotonic()
        while len(pool) and left > 0 and scheduler.room > 0:
            with undivided():
                self._send(pool.take(len(scheduler.workers)), left)

    def _send(self, pieces: tuple[Piece, ...], left: float) -> None:
        """One task, of a length that fits the time that is left."""
        away = self.away
        assert away is not None
        ramp = RAMP * (time.monotonic() - away.began)
        wish = self.by.short if not len(away.pool) else min(self.by.long, max(self.by.short, ramp))
        away.jobs.append(
            self.by.scheduler.add(
                prove_pieces,
                *(self.model, self.question, away.hopeless, pieces),
                *(self.value(), min(max(wish, away.least), left), away.next),
                about=Sent(pieces, away.next),
                patience=self.by.patience,
            )
        )

    def _take(self, job: Job) -> None:
        """Put the answer to what is there: its regions get the next numbers."""
        answer, sent, away = job.answer, job.about, self.away
        assert isinstance(answer, Answer)
        assert away is not None
        by = away.next - sent.first
        words = answer.words.copy()
        places = answer.places[words[answer.places] >= sent.first]
        words[places] += by
        away.words.append(words)
        away.numbers.append(answer.numbers)
        away.next = max(away.next, 1 + int(words[places].max(initial=-1)))
        away.pool.add(piece.moved(sent.first, by) for piece in answer.pieces)
        away.learn(answer.hopeless)
        away.open = max(away.open, answer.open)
        away.regions += answer.regions
        away.jobs.remove(job)
        self.by.scheduler.count(job, answer.regions, "regions")
        if _unchanged(sent.pieces, answer.pieces):
            away.least = LONGER * answer.seconds
        if answer.tree is not None and answer.value > self.value():
            split, left, right, action = answer.tree
            self.offer(answer.value, split=split, left=left, right=right, action=action)

    def _finish_if_done(self) -> None:
        assert self.away is not None
        close_at = self.value() + self.problem.margin / 2
        if not len(self.away.pool) and not self.away.jobs and self.away.open <= close_at:
            self.away.finished = True

    def value(self) -> float:
        return self.here.value()

    def bound(self) -> float:
        if self.winner() is ProofWinner.tree:
            return max(self.value(), min(self.here.bound(), self.value() + self.problem.margin / 2))
        return self.here.bound()

    def certified_by_states(self) -> float:
        return self.here.certified_by_states()

    def certified(self) -> float:
        return self.bound() if self.winner() is ProofWinner.tree else self.here.certified()

    def regions(self) -> int:
        return self.here.regions() + (self.away.regions if self.away is not None else 0)

    def share(self) -> float:
        if self.away is None:
            return self.here.share()
        return max(0.0, 1.0 - self.away.pool.share - math.fsum(piece.share for piece in self._sent()))

    def tell_share(self, done: float) -> None:
        self.here.tell_share(done)

    def winner(self) -> ProofWinner:
        """Who has closed everything; once pieces are handed out, only workers or rule "state" can."""
        if self.away is None:
            return self.here.winner()
        if self.away.finished:
            return ProofWinner.tree
        return ProofWinner.state if self.here.winner() is ProofWinner.state else ProofWinner.none

    def ending(self) -> ProofEnding:
        return self.here.ending() if self.winner() is ProofWinner.none else ProofEnding.closed

    def tree(self) -> Nodes:
        return self.here.tree()

    def drain(self, by_tree: bool) -> Text:
        """What was written since the last call, wherever that was."""
        if self.away is None:
            return self.here.drain(by_tree)
        if by_tree:
            words, self.away.words = self.away.words, []
            numbers, self.away.numbers = self.away.numbers, []
            return self.away.epoch, _joined(words, np.int32), _joined(numbers, np.float64)
        return self._state_text(self.here.drain(False))

    def _state_text(self, text: Text) -> Text:
        """With what was written before the pieces were handed out, unless it has begun afresh since."""
        before, self.states = self.states, []
        same = [each for each in [*before, text] if each[0] == text[0]]
        return text[0], _joined([words for _, words, _ in same], np.int32), _joined([n for _, _, n in same], float)

    def snapshot(self, for_good: bool = False) -> tuple[Text, Text, Streams, int] | None:
        """As that of the core; what is with workers is as open as when they got it."""
        if self.away is None:
            return self.here.snapshot(for_good)
        left = replace(
            self.away.root,
            hopeless=self.away.hopeless,
            open=self.away.open,
            share=self.share(),
            pieces=(*self.away.pool.pieces, *self._sent()),
        )
        return self.drain(False), self.drain(True), left.streams, self.away.next


def _unchanged(before: tuple[Piece, ...], after: tuple[Piece, ...]) -> bool:
    pairs = zip(before, after, strict=False)
    return len(before) == len(after) and all(np.array_equal(one.words, other.words) for one, other in pairs)


def _digest(header: dict[str, list[int]]) -> str:
    return hashlib.sha256(repr(sorted(header.items())).encode()).hexdigest()


def _joined(arrays: list[Any], kind: type) -> Any:
    return np.concatenate([np.zeros(0, kind), *arrays])
