"""The course of one search: its lines so far, the bound, and what of it is kept in a checkpoint."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from spotree.checkpoint import Checkpoint
from spotree.mdp.model import fingerprint
from spotree.results.progress import Progress, turning_points
from spotree.results.solution import Solution
from spotree.search.request import Request
from spotree.search.run_context import RunContext
from spotree.search.saved_search import SavedSearch
from spotree.trees.prune import prune
from spotree.trees.tree import Tree

CLEARLY = 1e-5  # of the largest of optimum, value and reward: more than the tolerance of any proof


class SessionSearch(Protocol):
    """A search between two rounds."""

    @property
    def value(self) -> float: ...

    def best(self) -> Tree: ...

    def others(self) -> list[Tree]: ...


class SearchSession:
    """One run, after those that a checkpoint tells of; rounds and seconds count on from them.

    The bound of a checkpoint is taken on trust, until a tree is found that returns more. A solution that rests on it
    names the file and is not called proved.
    """

    def __init__(self, frame: RunContext, request: Request) -> None:
        self.frame, self.request, self.saved = frame, request, request.saved
        self.trusted = math.inf if self.saved is None else self.saved.bound
        self.proved = frame.ceiling  # in this run
        self.lines: list[Progress] = []  # of this run, one for each round
        self.search: SessionSearch | None = None
        self._model = "" if request.keeper is None else fingerprint(frame.mdp)

    @property
    def rounds(self) -> int:
        """Rounds of this run."""
        return len(self.lines)

    @property
    def bound(self) -> float:
        """No tree of the size returns more."""
        return min(self.proved, self.trusted)

    def prove(self, bound: float) -> None:
        """A bound that this run has shown."""
        self.proved = min(self.proved, bound)

    def line(self, value: float, rounds: int) -> Progress:
        """This moment."""
        return self._after(Progress(self.frame.seconds, rounds, value, self.bound))

    def add(self, value: float) -> None:
        """A round has ended."""
        self._doubt(value)
        self.lines.append(self.line(value, self.rounds + 1))
        self.request.tell(self.lines[-1])
        self.keep()

    def meanwhile(self, line: Progress) -> None:
        """Somebody proves between two rounds, and has come so far."""
        self.request.tell(replace(self._after(line), bound=min(line.bound, self.bound)))
        self.keep(line.bound)

    def closed(self, within: float) -> bool:
        """Whether the best tree is known to be the best: by the optimum, or by a proof that a checkpoint tells of."""
        value = self.lines[-1].value
        slack = self.bound - value + self.frame.optimum.error
        return self.frame.closes(value, self.bound) or (self.bound == self.trusted and slack <= within)

    def end(self, value: float) -> None:
        """The last round has ended, or was broken off."""
        self._doubt(value)
        if self.lines and (self.lines[-1].value, self.lines[-1].bound) != (value, self.bound):
            self.lines.append(self.line(value, self.rounds))
        if self.request.keeper is not None:
            self.request.keeper.write(self._checkpoint)

    def whole(self, solution: Solution, within: float = 0.0) -> Solution:
        """The answer of this run and those before it; `within` is the tolerance of a proof."""
        if self.saved is None:
            return solution
        self._doubt(solution.value)
        whole = replace(
            solution,
            seconds=solution.seconds + self.saved.seconds,
            history=solution.history or self.saved.history,
        )
        return self.frame.trusting(whole, self.trusted, self.saved.path, within)

    def keep(self, bound: float = math.inf) -> None:
        """Write a checkpoint, if it is time."""
        if self.request.keeper is not None:
            self.request.keeper.offer(lambda: self._checkpoint(bound))

    @property
    def history(self) -> list[Progress]:
        """Lines of all runs, at least one for each new best."""
        before = [] if self.saved is None else list(self.saved.history)
        return turning_points([*before, *self.lines], lambda line: line.value)

    def _doubt(self, value: float) -> None:
        """Forget the bound of the checkpoint, if there is a tree above it."""
        best, rewards = self.frame.optimum.value, self.frame.mdp.reward_of_choice
        scale = max(abs(best), abs(value), float(np.abs(rewards).max(initial=0.0)))
        if value > self.trusted + CLEARLY * scale:
            warnings.warn("the checkpoint's bound is below the return of a tree: it is not used", stacklevel=2)
            self.trusted = math.inf
            self.lines = self._without_trust(self.lines)
            assert self.saved is not None
            self.saved = replace(self.saved, history=tuple(self._without_trust(self.saved.history)))

    def _without_trust(self, lines: Sequence[Progress]) -> list[Progress]:
        return [replace(line, bound=max(line.bound, self.frame.ceiling)) for line in lines]

    def _after(self, line: Progress) -> Progress:
        if self.saved is None:
            return line
        return replace(line, seconds=line.seconds + self.saved.seconds, round=line.round + self.saved.rounds)

    def _checkpoint(self, bound: float = math.inf) -> Checkpoint:
        search, saved, frame = self.search, self.saved, self.frame
        assert search is not None
        state = SavedSearch(
            prune(search.best(), frame.mdp.features),
            search.value,
            min(bound, self.bound),
            self.rounds + (0 if saved is None else saved.rounds),
            frame.seconds + (0.0 if saved is None else saved.seconds),
            int(self.request.seed),
            1 if saved is None else saved.runs + 1,
            tuple(map(prune, search.others())),
            tuple(self.history),
        )
        return state.checkpoint(frame.mdp.name, self._model, frame.depth, frame.max_leaves)


def better_start(frame: RunContext, given: Tree | None, saved: SavedSearch) -> Tree | None:
    """The start, or the tree of the checkpoint if that is better."""
    if given is None or frame.return_of(saved.tree) >= frame.return_of(given):
        return saved.tree if math.isfinite(saved.value) else given
    return given
