"""Driver of `certify`: attempts in turn, in the background, while searches look for better trees."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from spotree._core import ProofEnding
from spotree.certificates.certificate import Certificate
from spotree.common.signals import held_interrupts
from spotree.proof.attempt import Attempt
from spotree.proof.checkpoint.format import NOTHING, SavedProof
from spotree.proof.checkpoint.writer import Keeping
from spotree.proof.distributed.driver import DistributedProof
from spotree.proof.distributed.pool import Spreading
from spotree.proof.incumbent import Incumbent, search_due
from spotree.proof.monitor import collect, follow
from spotree.proof.options import ProofOptions
from spotree.proof.problem import Problem
from spotree.proof.recorder import Recorder
from spotree.proof.schedule import LEAST_ROOM, Standing, Turn, first_turn, next_turn, taken_up
from spotree.proof.time_sharing import gets_on
from spotree.results.progress import Progress
from spotree.results.solution import Solution, SolveStatus
from spotree.search.first_tree import fitting_start
from spotree.trees.serialize import claimed_tree

UNFINISHED = {
    ProofEnding.too_large: SolveStatus.TOO_LARGE,
    ProofEnding.stuck: SolveStatus.STUCK,
}  # by how an attempt ended


@dataclass(slots=True, eq=False)
class Run:
    """The loop that joins schedule, incumbent and recorder; `budget` is the time for searches beside the proof."""

    problem: Problem
    incumbent: Incumbent
    recorder: Recorder
    use: ProofOptions
    memory: int
    budget: float
    searched: int = 0  # times, beside the proof
    paid: bool = False  # whether the last search found a better tree
    unfinished: SolveStatus = SolveStatus.TIME_LIMIT  # why the last attempt ended, if it did not close
    interrupted: bool = False
    keeping: Keeping | None = None  # a checkpoint
    spreading: Spreading | None = None  # over workers
    saved: SavedProof | None = None  # what it goes on from
    doubtful: float = math.inf  # from when on the attempt that runs is given up unless it gets on
    began: float = 0.0  # when that attempt did
    looks: list[tuple[float, float]] = field(default_factory=list)  # at that attempt: (seconds, part that was done)
    now: Attempt = field(init=False)
    ready: Attempt | None = None  # an attempt that goes on from a file, before it begins
    own: Attempt | None = None  # the one about the incumbent's own return
    best: Attempt | None = None  # of those that have ended
    turn: Turn = Turn(0.0)  # noqa: RUF009 (frozen)

    def attempt(self, level: float | None = None) -> Attempt:
        """An attempt that has not begun."""
        if self.spreading is None:
            made = self.problem.attempt(level)
        else:
            made = self.problem.attempt(level, DistributedProof(self.problem, self.spreading))
        if self.keeping is not None:
            made.keep()
        return made

    def take_up(self, saved: SavedProof, path: str) -> None:
        """Go on from a checkpoint: its tree, its bound, and the attempt that ran."""
        self.saved, self.searched = saved, saved.searched
        if saved.found:
            self.incumbent.offer(saved.tree)
        self.recorder.take_up(saved, path)
        if saved.level is None or self.use.levels:
            self.now = self.ready = self.attempt(saved.level)
            self.now.take_up(saved, path)

    def resume(self, old: Certificate, path: str) -> None:
        """Take up a stopped proof from its file: its tree and its open regions."""
        frame = self.problem.frame
        self.recorder.resume(old, path)
        self.now = self.ready = self.attempt()
        tree = claimed_tree(old.header["tree"])
        self.incumbent.offer(fitting_start(tree, frame.mdp, frame.depth, frame.max_leaves))
        self.now.resume(old, path)

    def search(self, seconds: float, rounds: int | None = None, go_on: Callable[[], bool] = lambda: True) -> None:
        """Look for a better tree for a while."""
        before = self.incumbent.value
        came = self.incumbent.search(seconds, rounds, go_on)
        self.interrupted = self.interrupted or came
        self.paid = self.incumbent.value > before + self.problem.margin

    def prove(self) -> Solution:
        """Attempt after attempt until one proves the incumbent or the schedule ends; the search has what is left."""
        if self.problem.frame.hurried:
            return self.problem.frame.solution(self.incumbent.tree, SolveStatus.TIME_LIMIT)
        best = self.best = self.follow(self.first_turn())
        while not (self.interrupted or best.proves_tree or self.unfinished is SolveStatus.TOO_LARGE) and (
            after := next_turn(self.turn, self.standing)
        ):
            best = self.best = self.recorder.better(best, self.follow(after))
        if not (self.interrupted or best.proves_tree):
            self.search_on()
        with held_interrupts():
            if self.keeping is not None:
                self.keeping.write_last(self)
            return self.answer(best)

    def first_turn(self) -> Turn:
        """What comes first, or what a checkpoint was in the middle of."""
        saved = self.saved
        if saved is None or saved.level is None or not self.use.levels:
            return first_turn(self.standing, self.use.levels)
        return taken_up(self.standing, saved.level, saved.low, saved.part)

    def checkpoint(self) -> None:
        """Write one, if it is time."""
        if self.keeping is not None:
            self.keeping.offer(self)

    def search_on(self) -> None:
        """Spend the rest of the time on better trees, unless searches were not asked for or the bound is reached."""
        recorder, incumbent = self.recorder, self.incumbent

        def show() -> bool:
            recorder.show(incumbent.value, recorder.bound, recorder.regions)
            self.checkpoint()
            return True

        if self.budget > 0 and recorder.bound - incumbent.value > LEAST_ROOM * self.problem.margin:
            self.search(self.problem.left, go_on=show)

    def exchange(self) -> bool:
        """Hand a better tree to the proof that runs, or take one from it; False once it has ended."""
        collect(self.now, self.incumbent)
        self.checkpoint()
        return not self.now.wait(0.0)

    @property
    def standing(self) -> Standing:
        frame = self.problem.frame
        assert frame.time_limit is not None
        return Standing(
            frame.seconds, frame.time_limit, self.incumbent.value, self.recorder.bound, self.problem.margin
        )

    def follow(self, turn: Turn) -> Attempt:
        """Let an attempt run, and search for better trees meanwhile."""
        self.doubt()
        self.turn, self.doubtful = turn, turn.doubtful
        self.began, self.looks = self.problem.frame.seconds, []
        ready, self.ready = self.ready, None
        self.now = ready if ready is not None and ready.level == turn.level else self.attempt(turn.level)
        self.own = self.now if turn.level is None else self.own
        came = follow(self.now, turn.seconds, self.incumbent, self.recorder, self.use, self.memory, self.meanwhile)
        self.interrupted = self.interrupted or came  # a search meanwhile may have been told
        self.unfinished = UNFINISHED.get(self.now.ending, SolveStatus.TIME_LIMIT)
        return self.now

    def doubt(self) -> None:
        """Forget what the resumed file says, if there is a tree that must not be."""
        if self.recorder.contradicted(self.incumbent.value):
            self.ready = None
            if self.saved is not None:
                self.saved = replace(self.saved, proved=math.inf, proof=NOTHING)

    def meanwhile(self) -> bool:
        """Give up a doubtful attempt; search where that is due; write a checkpoint."""
        self.checkpoint()
        frame, incumbent = self.problem.frame, self.incumbent
        if self.doubtful < math.inf:
            self.looks.append((frame.seconds - self.began, self.now.done(frame.optimum.value, incumbent.value)))
        if frame.seconds > self.doubtful and not gets_on(self.looks):
            return False
        seconds = search_due(self.searched, frame.seconds, self.budget, self.paid, self.standing.time_limit)
        if seconds is not None:
            self.search(seconds, go_on=self.exchange)
            self.searched += 1
        return not self.interrupted

    def answer(self, best: Attempt) -> Solution:
        """What was reached, and its certificate."""
        frame, recorder, incumbent = self.problem.frame, self.recorder, self.incumbent
        self.doubt()
        margin, anew = self.problem.margin, recorder.began_anew(best)
        stopped = SolveStatus.INTERRUPTED if self.interrupted else self.unfinished
        # The tree that closed the proof is the incumbent, unless the time was up before it could be evaluated.
        closed = best.proves_tree and recorder.bound - incumbent.value <= 2 * margin
        status = SolveStatus.OPTIMAL if closed and anew else stopped
        history = [*recorder.history, Progress(frame.seconds, recorder.regions, incumbent.value, recorder.bound)]
        solution = frame.solution(incumbent.tree, status, history, recorder.anew, margin)
        if recorder.source is not None:
            solution = frame.trusting(solution, recorder.bound, recorder.source, margin, closed)
        recorder.save(best, solution)
        return solution
