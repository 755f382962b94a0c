"""The one door to an improvement step: the start is checked, the problem reduced, the answer carried back."""

import time
from dataclasses import replace

import numpy as np

from spotree.step.engine import Engine
from spotree.step.limits import Limits, left_of
from spotree.step.problem import TreeProblem
from spotree.step.reduce import reduce
from spotree.step.result import Status, StepResult
from spotree.step.start import check_start
from spotree.tree.tree import Tree

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
        result = smaller.expand(engine.search(smaller.problem, replace(limits, time=left), shrunk))
    if not result.optimal and result.bound - result.value <= ROUNDING * float(np.ptp(problem.gain, axis=1).sum()):
        result = replace(result, status=Status.OPTIMAL)
    return replace(result, seconds=time.perf_counter() - began)
