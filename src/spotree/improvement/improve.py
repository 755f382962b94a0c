"""The improvement step: the tree with the largest total gain, by any engine."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from spotree.common.arrays import Features, Floats, PerStateAction, columns_of
from spotree.errors import InvalidProblemError
from spotree.improvement.engine import Engine, best_tree
from spotree.improvement.engines.exact import Exact, Preparation
from spotree.improvement.engines.registry import as_engine
from spotree.improvement.limits import Limits
from spotree.improvement.problem import Frozen, TreeProblem
from spotree.improvement.result import StepResult
from spotree.trees.tree import Tree


def improve(
    features: Features,
    gain: PerStateAction,
    depth: int = 3,
    engine: str | Engine = "exact",
    time_limit: float | None = None,
    threads: int | None = None,
    start: Tree | None = None,
    frozen: Frozen | None = None,
    max_leaves: int | None = None,
    memory_limit: int | None = None,
    gap_tolerance: float = 0.0,
    preparation: Preparation | None = None,
) -> StepResult:
    """The tree of at most `depth` that maximises the sum of gain[row, action of the row's leaf], with proof.

    Parameters
    ----------
    features
        [row, feature]
    gain
        [row, action] (the paper's Phi_i * Q_ik). Of data frames, here or for `features`, the columns name features and
        actions in `step.policy`.
    depth, max_leaves
        The size of tree: most splits on a path, and most leaves in all (None for 2**depth).
    engine
        "exact" (the default), "rsbb", "milp", "exhaustive", an engine with settings such as `Rsbb(seed=1)`, or one of
        your own.
    time_limit
        Seconds, or None.
    threads
        None for all cores.
    start
        A tree of the problem to start from; the answer is never worse. Its features and actions are numbers of the
        columns.
    frozen
        Nodes that may not change.
    memory_limit
        Bytes for tables and caches.
    gap_tolerance
        Stop within this relative distance of the optimum.
    preparation
        Of `features`, for the exact engine: saves work when many steps share their features.
    """
    began = time.perf_counter()
    features, feature_names = columns_of(features, InvalidProblemError)
    gain, action_names = columns_of(gain, InvalidProblemError)
    problem = TreeProblem(
        _numbers("features", "row, feature", features),
        _numbers("gain", "row, action", gain),
        depth,
        max_leaves,
        frozen,
    )
    chosen = as_engine(engine)
    if preparation is not None and isinstance(chosen, Exact):
        chosen = replace(chosen, preparation=preparation)
    limits = Limits(time_limit, memory_limit, gap_tolerance, threads)
    return replace(
        best_tree(problem, chosen, limits, start),
        seconds=time.perf_counter() - began,
        feature_names=feature_names or _numbered("feature", problem.features.shape[1]),
        action_names=action_names or _numbered("action", problem.gain.shape[1]),
    )


def _numbered(kind: str, count: int) -> tuple[str, ...]:
    return tuple(f"{kind}_{number}" for number in range(count))


def _numbers(name: str, axes: str, given: Any) -> Floats:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidProblemError(
            f"{name} is of type {type(given).__name__}; expected an array [{axes}] of numbers"
            " (mdp.features are such; solve takes a whole model)"
        ) from error
