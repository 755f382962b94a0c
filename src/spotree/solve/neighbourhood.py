"""The default search: whole trees, every candidate judged by its true return, by rounds of counted work."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spotree import _core
from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.solve.frame import Frame
from spotree.solve.history import Progress
from spotree.solve.ranks import CompleteTree, Ranks, rank_features
from spotree.solve.solution import Solution, SolveStatus
from spotree.tree.prune import prune
from spotree.tree.tree import Tree, leaf
from spotree.values import occupancy, uniform


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The settings of the search; one default for every model.

    Attributes
    ----------
    round_work
        Counted operations of one thread between two exchanges of the best tree (about 20 ms).
    shallow_every
        Every how many rounds one is spent on trees one level less deep, whose best is a start for the others.
    """

    round_work: int = 20_000_000
    shallow_every: int = 12


def neighbourhood(
    mdp: MDP,
    depth: int,
    *,
    max_leaves: int | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
    threads: int | None = None,
    start: Tree | None = None,
    progress: Callable[[Progress], Any] | None = None,
    max_rounds: int | None = None,
    settings: Neighbourhood = Neighbourhood(),  # noqa: B008 (frozen)
) -> Solution:
    """The best tree found in the time given. Ctrl-C ends the search early and keeps what was found.

    The same seed, number of threads and number of rounds give the same tree: the clock only decides after which
    round to stop. `max_rounds` stops earlier, for a repeatable run.
    """
    if time_limit is None and max_rounds is None:
        raise InvalidProblemError("the search never ends by itself: give a time_limit or max_rounds")
    frame = Frame(mdp, depth, max_leaves, "neighbourhood", seed)
    ladder = _Ladder(frame, rank_features(mdp), threads or os.cpu_count() or 1, settings)
    if start is not None:
        ladder.offer(start)
    history: list[Progress] = []
    status = SolveStatus.FINISHED
    try:
        while max_rounds is None or len(history) < max_rounds:
            left = np.inf if time_limit is None else time_limit - frame.seconds
            if history and left <= 0:
                status = SolveStatus.TIME_LIMIT
                break
            ladder.round(len(history), max(left, 0.0))
            history.append(Progress(frame.seconds, len(history) + 1, ladder.value, frame.optimum.value))
            if progress is not None:
                progress(history[-1])
            if frame.closes(ladder.value, frame.optimum.value):
                break
    except KeyboardInterrupt:
        status = SolveStatus.INTERRUPTED
    return frame.solution(ladder.best(), status, _new_bests(history))


DEEPEST = 12  # complete trees beyond this depth are not searched; deeper starts are kept as they are


class _Ladder:
    """Searches for trees of the asked depth and one level less; what the shallow one finds, the deep one starts from."""

    def __init__(self, frame: Frame, ranks: Ranks, threads: int, settings: Neighbourhood) -> None:
        self.frame, self.ranks, self.settings = frame, ranks, settings
        self.depth = min(frame.depth, DEEPEST, max(len(ranks.rank) - 1, 0))
        self.given: Tree = leaf(0)  # the best tree from outside, and its return
        self.given_value = -np.inf
        make = self._maker(threads)
        tree = leaf(0)
        for depth in range(max(self.depth - 1, 1)):
            climb = make(depth)
            self._start(climb, depth, tree)
            climb.round(settings.round_work // 4, np.inf)
            tree = ranks.tree(CompleteTree(*climb.tree)) if climb.value > -np.inf else tree
        self.shallow = make(self.depth - 1) if self.depth > 1 else None
        if self.shallow is not None:
            self._start(self.shallow, self.depth - 1, tree)
        self.deep = make(self.depth)
        self._start(self.deep, self.depth, tree)

    def offer(self, tree: Tree) -> None:
        """Start from a tree of the asked size at best."""
        frame = self.frame
        tree = prune(tree, frame.mdp.features)
        if tree.depth > frame.depth or tree.num_leaves > (frame.max_leaves or tree.num_leaves):
            raise InvalidProblemError(
                f"the start has depth {tree.depth} and {tree.num_leaves} leaves; asked are depth {frame.depth}"
                f" and {frame.max_leaves or 'any number of'} leaves"
            )
        self.given, self.given_value = tree, frame.return_of(tree)
        if tree.depth <= self.depth:
            self._start(self.deep, self.depth, tree)

    def round(self, number: int, seconds: float) -> None:
        """One round of counted work; now and then it goes to the shallow trees."""
        shallow = self.shallow
        if shallow is not None and number % self.settings.shallow_every == 0:
            shallow.round(self.settings.round_work, seconds)
            if shallow.value > self.deep.value:
                self._start(self.deep, self.depth, self.ranks.tree(CompleteTree(*shallow.tree)))
        else:
            self.deep.round(self.settings.round_work, seconds)

    @property
    def value(self) -> float:
        return max(self.deep.value, self.given_value)

    def best(self) -> Tree:
        if self.given_value >= self.deep.value:
            return self.given
        return self.ranks.tree(CompleteTree(*self.deep.tree))

    def _start(self, search: _core.TreeSearch, depth: int, tree: Tree) -> None:
        complete = self.ranks.complete(tree, depth)
        search.offer(complete.feature, complete.cut, complete.action)

    def _maker(self, threads: int) -> Callable[[int], _core.TreeSearch]:
        mdp, ranks, best = self.frame.mdp, self.ranks, self.frame.optimum
        value = np.where(np.isfinite(best.values), best.values, np.min(best.values, where=np.isfinite(best.values), initial=0))
        optimal_weight = occupancy(mdp, best.actions)
        random_weight = occupancy(mdp, uniform(mdp))

        def make(depth: int) -> _core.TreeSearch:
            return _core.TreeSearch(
                choice_of=ranks.choice_of,
                row_start=mdp.row_start,
                target=mdp.target,
                probability=mdp.probability,
                reward=mdp.reward_of_choice,
                initial=mdp.initial,
                discount=mdp.discount,
                group_of=ranks.group_of,
                rank=ranks.rank,
                num_values=ranks.num_values,
                optimal_value=value,
                optimal_weight=optimal_weight,
                random_weight=random_weight,
                optimum=best.value,
                random_return=self.frame.random_value,
                depth=depth,
                max_leaves=min(self.frame.max_leaves or 2**depth, 2**depth),
                seed=self.frame.seed or 0,
                threads=threads,
            )

        return make


def _new_bests(history: list[Progress]) -> list[Progress]:
    """The rounds that raised the best value, and the last one."""
    kept = [line for before, line in zip([None, *history], history, strict=False) if not before or line.value > before.value]
    return kept if not history or kept[-1] is history[-1] else [*kept, history[-1]]
