"""The engine protocol and `best_tree`, the one entry to all engines."""

import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import ClassVar, Self, final

import numpy as np

from spotree.common.arrays import Features
from spotree.improvement.limits import Limits, left_of
from spotree.improvement.presolve import reduce
from spotree.improvement.problem import TreeProblem, check_start
from spotree.improvement.result import Status, StepResult
from spotree.trees.ranks import useful_depth
from spotree.trees.tree import Tree


class Engine(ABC):
    """A frozen setting with one verb of its own, `search`; what a run accumulates lives in the run, never here.

    An engine of your own is a frozen dataclass of this kind: see docs/adding-an-engine.md.

    Attributes
    ----------
    name
        What results and reports call it.
    reduces
        Whether it merges and drops rows itself; the others are handed a problem that is reduced already.
    """

    __slots__ = ()
    reduces: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def search(self, problem: TreeProblem, limits: Limits, start: Tree | None) -> StepResult:
        """The best tree found; `start` is known to be a tree of the problem, and the answer is never worse."""

    def prepared(self, features: Features, time_limit: float | None = None) -> Self:
        """The same engine with what it can know of a feature matrix before it sees any gain."""
        return self

    @final
    def best_tree(self, problem: TreeProblem, limits: Limits, start: Tree | None = None) -> StepResult:
        """Call the engine on a problem as it stands; `spotree.improvement.engine` reduces it first."""
        check_start(problem, start)
        return self.search(problem, limits, start)


ROUNDING = 1e-12  # of the sum of spreads: a bound this close to the value proves it


def best_tree(problem: TreeProblem, engine: Engine, limits: Limits, start: Tree | None = None) -> StepResult:
    """The tree of a problem that collects the most gain, with proof.

    Every step comes through here, of `improve` as of SPOT. Many steps on the same features are quicker with
    `engine.prepared(features)`.

    Parameters
    ----------
    engine
        Sees the problem reduced (equal rows merged, rows without a preference dropped), unless it reduces by itself.
    limits
        The time covers the reduction.
    start
        A tree of the problem; the answer is never worse.
    """
    began = time.perf_counter()
    check_start(problem, start)
    if engine.reduces:
        result = engine.search(problem, limits, start)
    else:
        smaller = reduce(problem, start)
        shrunk = None if start is None else smaller.shrink(start)
        left = left_of(limits.time, time.perf_counter() - began)
        result = smaller.expand(
            engine.search(_no_deeper(smaller.problem, shrunk), replace(limits, time=left), shrunk)
        )
    if not result.optimal and result.bound - result.value <= ROUNDING * float(np.ptp(problem.gain, axis=1).sum()):
        result = replace(result, status=Status.OPTIMAL if result.trusted is None else Status.TRUSTED)
    return replace(result, seconds=time.perf_counter() - began)


def _no_deeper(problem: TreeProblem, start: Tree | None) -> TreeProblem:
    """The problem without levels that its rows cannot use, unless something on them is frozen."""
    if problem.frozen is not None:
        return problem
    depth = max(useful_depth(problem.depth, problem.features), 0 if start is None else start.depth)
    return problem if depth == problem.depth else replace(problem, depth=depth)
