"""The one door to an improvement step: the start is checked, the problem reduced, the answer carried back."""

import time
from dataclasses import replace

import numpy as np

from spotree.improvement.engine import Engine
from spotree.improvement.limits import Limits, left_of
from spotree.improvement.presolve import reduce
from spotree.improvement.problem import TreeProblem, check_start
from spotree.improvement.result import Status, StepResult
from spotree.trees.ranks import useful_depth
from spotree.trees.tree import Tree

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
