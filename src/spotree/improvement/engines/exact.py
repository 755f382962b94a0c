"""Exact engine: the best tree of a depth, with proof, by dynamic programming in the core."""

import time
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from spotree import _core
from spotree.common.arrays import Features
from spotree.errors import InvalidProblemError
from spotree.improvement.engine import Engine
from spotree.improvement.limits import Limits, started_threads
from spotree.improvement.problem import Frozen, TreeProblem, too_few_leaves
from spotree.improvement.result import REASONS, Status, StepResult
from spotree.trees.tree import Tree, make_tree


class Preparation:
    """Sorted values, ranks and groups of like rows of one feature matrix, and working memory.

    Policy iteration solves many steps on the same features: hand one preparation to all of them,
    `Exact(preparation=Preparation(features))`. One preparation serves one call at a time. One that was stopped at
    its `time_limit` (seconds) or by Ctrl-C only serves to say so: the engine then answers with a single action.
    """

    def __init__(self, features: Features, time_limit: float | None = None) -> None:
        matrix = np.ascontiguousarray(features, dtype=np.float64)
        if matrix.ndim != 2:
            raise InvalidProblemError(f"features have shape {matrix.shape}; they need two axes, [row, feature]")
        self.features = matrix
        self.ranks = _core.Ranks(matrix, -1.0 if time_limit is None else time_limit)
        self.workspace = _core.ExactWorkspace()

    def fits(self, features: Features) -> bool:
        """Whether `features` is the matrix that was prepared."""
        return features is self.features or np.array_equal(features, self.features)


MANY = 2**30  # leaves: more than any tree has
DEFAULT_MEMORY = 2 << 30  # bytes for tables and cache; the rows themselves come on top
KERNELS = tuple(kernel.name for kernel in _core.ExactKernel)


@dataclass(frozen=True, slots=True, eq=False)
class Exact(Engine):
    """Finds the best tree and proves it; switches change the time, never the answer.

    The same tree comes back for every number of threads: from the root down, of all choices within 1e-13 of the sum
    of spreads of the node's optimum, a leaf, else a tree of depth 1, else of depth 2, else any; of the splits left,
    the smallest (feature, threshold).

    A result is `OPTIMAL` when the search ran to its end. Its bound then exceeds its value by no more than rounding
    can hide: (2**depth - 1) * 1e-13 of the sum of spreads (largest minus smallest gain of a row), plus the spreads
    of rows dropped for having no preference (each at most 1e-12 of the largest).

    Memory: `Limits.memory` (2 GiB if not given) bounds tables and cache; when the cache is full it forgets old
    entries, when tables do not fit the slower kernel without tables is used, so memory alone never ends a search.

    Attributes
    ----------
    preparation
        Of the problem's features, to save the work of preparing them again.
    cache, interval_bound, share_small, kernel
        Switches for tests and measurements.
    """

    reduces: ClassVar[bool] = True
    preparation: Preparation | None = None
    cache: bool = True
    interval_bound: bool = True
    share_small: bool = False
    kernel: str = "automatic"

    def __post_init__(self) -> None:
        if self.kernel not in KERNELS:
            raise InvalidProblemError(f"kernel is {self.kernel!r}; choose one of {', '.join(KERNELS)}")

    @property
    def name(self) -> str:
        return "exact"

    def prepared(self, features: Features, time_limit: float | None = None) -> Self:
        return self if self.preparation else replace(self, preparation=Preparation(features, time_limit))

    def search(self, problem: TreeProblem, limits: Limits, start: Tree | None) -> StepResult:
        began = time.perf_counter()
        prepared = self.preparation or Preparation(problem.features, limits.time)
        if not prepared.fits(problem.features):
            raise InvalidProblemError(
                f"the preparation is of other features (shape {prepared.features.shape}) than the problem's"
                f" (shape {problem.features.shape}); make one with Preparation(problem.features)"
            )
        remaining = -1.0 if limits.time is None else max(0.0, limits.time - (time.perf_counter() - began))
        settings = _core.ExactSettings(
            depth=_useful_depth(problem),
            max_leaves=0 if problem.max_leaves is None else min(problem.max_leaves, MANY),
            threads=started_threads(limits.threads),
            seconds=remaining,
            memory=DEFAULT_MEMORY if limits.memory is None else limits.memory,
            gap_tolerance=limits.gap_tolerance,
            cache=self.cache,
            interval_bound=self.interval_bound,
            share_small=self.share_small,
            kernel=_core.ExactKernel[self.kernel],
        )
        found = _core.exact_solve(
            prepared.ranks,
            prepared.workspace,
            problem.gain,
            settings,
            start=_as_start(start),
            frozen=_as_frozen(problem.frozen),
        )
        if found.lower == np.inf:
            raise too_few_leaves(problem)
        tree = make_tree(found.feature, found.threshold, found.left, found.right, found.action)
        value = problem.collected(tree)
        bound = value + max(0.0, found.loss - found.lower) + found.dropped_spread
        if not found.begun:  # the time was up while the rows were prepared: any row may get its best action
            bound = found.best_gain
        status = Status.GAP if found.used_gap else REASONS[found.reason]
        if start is not None and status is not Status.OPTIMAL and (given := problem.collected(start)) > value:
            tree, value = start, given
        seconds = time.perf_counter() - began
        return StepResult(tree, value, max(bound, value), status, seconds, self.name, _counts(found))


def _counts(found: _core.ExactOutcome) -> dict[str, int]:
    return {
        "rows": found.rows,
        "splits": found.splits,
        "actions": found.actions,
        "kernels": found.kernels,
        "nodes": found.nodes,
        "hits": found.hits,
    }


def _useful_depth(problem: TreeProblem) -> int:
    """A tree with k leaves has depth k - 1 at most, and no more leaves than rows are of use."""
    if problem.frozen is not None:
        return problem.depth
    leaves = min(len(problem.gain), problem.max_leaves or len(problem.gain))
    return min(problem.depth, max(0, leaves - 1))


def _as_start(tree: Tree | None) -> _core.ExactStart | None:
    if tree is None:
        return None
    return _core.ExactStart(
        feature=tree.feature, threshold=tree.threshold, left=tree.left, right=tree.right, action=tree.action
    )


def _as_frozen(frozen: Frozen | None) -> _core.ExactFrozen | None:
    if frozen is None:
        return None
    return _core.ExactFrozen(feature=frozen.feature, threshold=frozen.threshold, action=frozen.action)
