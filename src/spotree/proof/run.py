"""One call of `certify`: attempts in turn, each in the background, while searches look for better trees."""

import math
from dataclasses import dataclass, field

from spotree.methods.history import Progress
from spotree.methods.solution import Solution, SolveStatus
from spotree.methods.start import fitting_start
from spotree.proof.attempt import Attempt
from spotree.proof.certificate import Certificate
from spotree.proof.follow import follow
from spotree.proof.incumbent import Incumbent, search_due
from spotree.proof.ingredients import Ingredients
from spotree.proof.interrupts import held_interrupts
from spotree.proof.problem import Problem
from spotree.proof.recorder import Recorder
from spotree.proof.schedule import FAR_ENOUGH, Standing, Turn, first_turn, next_turn
from spotree.tree.claim import claimed_tree


@dataclass(slots=True, eq=False)
class Run:
    """The loop that joins schedule, incumbent and recorder; `budget` is the time for searches beside the proof."""

    problem: Problem
    incumbent: Incumbent
    recorder: Recorder
    use: Ingredients
    memory: int
    budget: float
    searched: int = 0  # times, beside the proof
    interrupted: bool = False
    doubtful: float = math.inf  # when the attempt that runs is given up unless it has come far
    now: Attempt = field(init=False)

    def __post_init__(self) -> None:
        self.now = self.problem.attempt()

    def resume(self, old: Certificate, path: str) -> None:
        """Take up a stopped proof from its file: its tree and its open regions."""
        frame = self.problem.frame
        self.recorder.resume(old, path)
        tree = claimed_tree(old.header["tree"])
        self.incumbent.offer(fitting_start(tree, frame.mdp, frame.depth, frame.max_leaves))
        self.now.resume(old, path)

    def search(self, seconds: float) -> None:
        """Look for a better tree for a while."""
        self.interrupted |= self.incumbent.search(seconds)

    def prove(self) -> Solution:
        """Attempt after attempt until one proves the incumbent or the schedule ends."""
        if self.problem.frame.hurried:
            return self.problem.frame.solution(self.incumbent.tree, SolveStatus.TIME_LIMIT)
        turn = first_turn(self.standing, self.use.levels)
        best = self.follow(turn)
        while not (self.interrupted or best.proves_tree) and (after := next_turn(turn, self.standing)):
            turn, best = after, self.recorder.better(best, self.follow(after))
        with held_interrupts():
            return self.answer(best)

    @property
    def standing(self) -> Standing:
        frame = self.problem.frame
        assert frame.time_limit is not None
        return Standing(
            frame.seconds, frame.time_limit, self.incumbent.value, self.recorder.bound, self.problem.margin
        )

    def follow(self, turn: Turn) -> Attempt:
        """Let an attempt run, and search for better trees meanwhile."""
        if turn.level is not None:
            self.now = self.problem.attempt(turn.level)
        self.doubtful = turn.doubtful
        self.interrupted |= follow(
            self.now, turn.seconds, self.incumbent, self.recorder, self.use, self.memory, self.meanwhile
        )
        return self.now

    def meanwhile(self) -> bool:
        """Give up a doubtful attempt; search where that is due."""
        frame, incumbent = self.problem.frame, self.incumbent
        if frame.seconds > self.doubtful:
            if self.now.done(frame.optimum.value, incumbent.value) < FAR_ENOUGH:
                return False
            self.doubtful = math.inf
        if (seconds := search_due(self.searched, frame.seconds, self.budget)) is not None:
            self.search(seconds)
            self.searched += 1
        return not self.interrupted

    def answer(self, best: Attempt) -> Solution:
        """What was reached, and its certificate."""
        frame, recorder, incumbent = self.problem.frame, self.recorder, self.incumbent
        unfinished = SolveStatus.INTERRUPTED if self.interrupted else SolveStatus.TIME_LIMIT
        status = SolveStatus.OPTIMAL if best.proves_tree else unfinished
        history = [*recorder.history, Progress(frame.seconds, recorder.regions, incumbent.value, recorder.bound)]
        solution = frame.solution(incumbent.tree, status, history, recorder.bound, self.problem.margin)
        recorder.save(best, solution)
        return solution
