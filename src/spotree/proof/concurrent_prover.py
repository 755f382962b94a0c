"""The proof that `solve` makes beside its search: they hand each other trees, and a proof that closes ends the run."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spotree._core import ProofEnding
from spotree.errors import InvalidProblemError
from spotree.proof.attempt import Attempt, half_of_memory
from spotree.proof.incumbent import Incumbent
from spotree.proof.monitor import follow
from spotree.proof.options import ProofOptions
from spotree.proof.problem import Problem, problem_in
from spotree.proof.recorder import Recorder
from spotree.proof.time_sharing import FAR_ENOUGH, Moment, due, free_seconds, gets_on, most_seconds
from spotree.results.progress import Progress
from spotree.results.solution import Solution
from spotree.search.request import Prover, RunningSearch
from spotree.search.run_context import RunContext

MOST_STATES = 100_000  # of a model: to look at a larger one takes longer than an attempt may
MOST_SIDES = 20_000_000  # groups times splits: what the sets that one split makes hold in all


class ConcurrentProver(Prover):
    """Attempts of a proof between rounds of a search, as `shares` says; none where the model is too large for them."""

    def __init__(
        self,
        frame: RunContext,
        threads: int,
        certificate: str | Path | None = None,
        progress: Callable[[Progress], Any] | None = None,
    ) -> None:
        self.frame, self.progress, self.certificate = frame, progress, certificate
        self.rounds, self.value, self.better_at = 0, -math.inf, 0.0
        self.spent, self.last, self.got_on = 0.0, 0.0, False
        self.best: Attempt | None = None
        self.problem = _problem(frame, certificate is not None)
        self.hopeful = self.problem is not None  # another attempt may be of use
        if self.problem is not None:
            self.within = self.problem.margin
            self.incumbent = Incumbent(self.problem, threads)
            self.recorder = Recorder(self.problem, certificate)

    def turn(self, search: RunningSearch) -> bool:
        self.rounds += 1
        if search.value > self.value + self.within:
            self.value, self.better_at = search.value, self.frame.seconds
        if not self.hopeful:
            return False
        assert self.frame.time_limit is not None
        now = Moment(
            self.frame.seconds,
            self.frame.time_limit,
            self.rounds,
            self.better_at,
            self.spent,
            self.last,
            self.got_on,
        )
        seconds = due(now)
        if seconds is None:
            return False
        self.incumbent.offer(search.best())
        known = self.incumbent.value
        interrupted = self._attempt(seconds, most_seconds(now, seconds))
        if self.incumbent.value > known:
            search.offer(self.incumbent.tree)
        if interrupted:
            raise KeyboardInterrupt
        assert self.best is not None
        return self.best.proves_tree

    def _attempt(self, seconds: float, most: float) -> bool:
        """One attempt of so many seconds, or up to the most if it gets on; True if Ctrl-C came."""
        assert self.problem is not None
        attempt, began = self.problem.attempt(), self.frame.seconds
        looks: list[tuple[float, float]] = []

        def meanwhile() -> bool:
            spent = self.frame.seconds - began
            looks.append((spent, attempt.done(self.frame.optimum.value, self.incumbent.value)))
            if self.progress is not None:
                bound = min(self.bound, attempt.proof.bound())
                self.progress(Progress(self.frame.seconds, self.rounds, self.incumbent.value, bound))
            return spent < seconds or gets_on(looks)

        interrupted = follow(
            attempt, most, self.incumbent, self.recorder, ProofOptions(), half_of_memory(), meanwhile
        )
        self.last = self.frame.seconds - began
        self.spent += self.last
        self.got_on = bool(looks) and looks[-1][1] >= FAR_ENOUGH
        self.hopeful = attempt.ending is ProofEnding.stopped
        self.bound = self.recorder.bound
        self.best = attempt if self.best is None else self.recorder.better(self.best, attempt)
        return interrupted

    def keep(self, solution: Solution) -> None:
        if self.certificate is None:
            return
        if self.best is None or (solution.proved_optimal and not self.best.proves_tree):
            self.incumbent.offer(solution.policy.tree)  # proved by trying all trees: that leaves nothing to check
            left = max(0.0, (self.frame.time_limit or 0.0) - self.frame.seconds) if solution.proved_optimal else 0.0
            self._attempt(left, left)
        assert self.best is not None
        self.recorder.save(self.best, solution)

    def drop(self) -> None:
        if self.problem is not None:
            self.recorder.drop()


def _problem(frame: RunContext, asked: bool) -> Problem | None:
    """The problem, unless a proof is not possible or the model too large; an error where a certificate is asked for."""
    mdp = frame.mdp
    if asked:
        return problem_in(frame, symmetries=True)
    assert frame.time_limit is not None
    if mdp.num_states > MOST_STATES or frame.seconds > free_seconds(frame.time_limit):
        return None
    try:
        problem = problem_in(frame, symmetries=True)
    except InvalidProblemError:  # rounding may exceed the margin
        return None
    groups = problem.groups
    return problem if len(groups.state) * len(groups.splits) <= MOST_SIDES else None
