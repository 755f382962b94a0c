"""The paper's complete program for one improvement step (eq:MILP1), and the way back to a tree.

Variables, named as in the paper: a[t, j] node t splits on feature j; b[t] its threshold; d[t] whether it splits;
c[t, k] leaf t takes action k; z[i, t] state i ends in leaf t; mu[i, k] state i takes action k.

Two changes of scale keep the solver's absolute tolerances harmless and lose no tree. Features enter as ranks: the
r-th of n values of a feature becomes r / n, so that every step, the paper's epsilon_j, is the same 1 / n, and a
threshold of 1 sends all rows left. Gains enter as minus the loss of the row's action, the largest being `SPREAD`.
"""

from dataclasses import dataclass

import numpy as np

from spotree.common.arrays import Features, Floats, Ints
from spotree.improvement.engines.milp.complete_tree import leaf_numbers, path_to, restrictions
from spotree.improvement.engines.milp.linear_program import Builder, LinearProgram
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem
from spotree.trees.ranks import rank_rows
from spotree.trees.splits import midpoint

SPREAD = 1000.0  # HiGHS cannot tell objectives apart that differ by less than about 1e-6 of 1


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """How a problem's features and gains appear in its program.

    Attributes
    ----------
    values
        For each feature its distinct values, ascending.
    unit
        What 1 in the program's objective is worth in gains.
    best
        The sum of every row's best gain: what an objective of 0 means.
    """

    values: tuple[Floats, ...]
    unit: float
    best: float

    @staticmethod
    def of(problem: TreeProblem) -> "Scale":
        values = rank_rows(problem.features).values
        top = problem.gain.max(axis=1)
        spread = float((top - problem.gain.min(axis=1)).max(initial=0.0))
        return Scale(values, spread / SPREAD if spread > 0 else 1.0, float(np.sum(top)))

    def ranks(self, features: Features) -> Features:
        """[row, feature] in 0, 1/n, ..., (n - 1)/n."""
        columns = [np.searchsorted(v, x) / len(v) for v, x in zip(self.values, features.T, strict=True)]
        return np.stack(columns, axis=1) if columns else features

    def to_rank(self, feature: int, threshold: float) -> float:
        """b of a threshold: the share of the feature's values below it."""
        values = self.values[feature]
        return float(np.searchsorted(values, threshold) / len(values)) if len(values) else 0.0

    def to_threshold(self, feature: int, rank: float) -> float:
        """The threshold that parts the values as b does; infinite where all are on one side."""
        values = self.values[feature]
        below = round(rank * len(values))
        if below == 0 or below >= len(values):
            return -np.inf if below == 0 else np.inf
        return float(midpoint(values[below - 1], values[below]))


@dataclass(frozen=True, slots=True, eq=False)
class StepColumns:
    """Where the variables of the program stand; the last four serve to count leaves and may be empty."""

    a: Ints
    b: Ints
    d: Ints
    c: Ints
    z: Ints
    mu: Ints
    all_left: Ints
    all_right: Ints
    reached: Ints
    counted: Ints


def place_variables(builder: Builder, problem: TreeProblem, scale: Scale) -> StepColumns:
    """All variables with their bounds; what is frozen has equal bounds."""
    rules = restrictions(problem)
    inner, leaves = len(rules.feature), len(rules.action)
    num_rows, num_features = problem.features.shape
    num_actions = problem.gain.shape[1]
    fixed, split = rules.feature != FREE, rules.feature >= 0
    feature_is = rules.feature[:, None] == np.arange(num_features)
    action_is = rules.action[:, None] == np.arange(num_actions)
    b = np.array(
        [scale.to_rank(j, t) if j >= 0 else 0.0 for j, t in zip(rules.feature, rules.threshold, strict=True)]
    )
    counting = inner if problem.max_leaves is not None and problem.frozen is not None else 0
    leaf_fixed = (rules.action != FREE)[:, None]
    minus_loss = (problem.gain - problem.gain.max(axis=1, keepdims=True)) / scale.unit
    return StepColumns(
        a=builder.variables(
            inner, num_features, lower=feature_is, upper=feature_is | ~fixed[:, None], integer=True
        ),
        b=builder.variables(inner, lower=b, upper=np.where(fixed, b, 1.0)),
        d=builder.variables(inner, lower=split, upper=split | ~fixed, integer=True),
        c=builder.variables(leaves, num_actions, lower=action_is, upper=action_is | ~leaf_fixed, integer=True),
        z=builder.variables(num_rows, leaves, integer=True),
        mu=builder.variables(num_rows, num_actions, upper=np.inf, objective=minus_loss),
        all_left=builder.variables(counting, upper=~fixed[:counting], integer=True),
        all_right=builder.variables(counting, upper=~fixed[:counting], integer=True),
        reached=builder.variables(counting, lower=np.arange(counting) == 0),
        counted=builder.variables(counting),
    )


def paper_program(problem: TreeProblem, start: Frozen | None = None) -> LinearProgram:
    """The program of a problem, with a tree to start from."""
    scale = Scale.of(problem)
    x = scale.ranks(problem.features)
    step = np.array([1 / max(len(v), 1) for v in scale.values])  # epsilon_j
    step_min, step_max = step.min(initial=1.0), step.max(initial=0.0)
    builder = Builder()
    at = place_variables(builder, problem, scale)

    builder.rows((at.mu, 1), lower=1, upper=1)  # the policy rows
    builder.rows((at.c, 1), lower=1, upper=1)  # con:tree_b
    builder.rows((at.z, 1), lower=1, upper=1)  # con:tree_a
    for leaf in range(len(at.c)):
        z = at.z[:, leaf, None]
        for node, goes_left in path_to(leaf + len(at.d)):
            a, b = at.a[node], at.b[node, None]
            if goes_left:  # con:tree_c
                shifted = x + (step - step_min)
                builder.rows((a, shifted), (b, -1), (z, 1 + step_max), upper=1 + step_max - step_min)
            else:  # con:tree_d
                builder.rows((a, x), (b, -1), (z, -1), lower=-1)
    builder.rows((at.a, 1), (at.d[:, None], -1), lower=0, upper=0)  # con:tree_e
    builder.rows((at.b[:, None], 1), (at.d[:, None], -1), upper=0)  # con:tree_f
    child = np.arange(1, len(at.d))
    builder.rows((at.d[child, None], 1), (at.d[(child - 1) // 2, None], -1), upper=0)  # con:tree_g
    z, c, mu = at.z[:, None, :, None], at.c.T[None, :, :, None], at.mu[:, :, None, None]
    builder.rows((z, 1), (c, 1), (mu, -1), upper=1)  # eq:constraint_link
    if problem.max_leaves is not None and problem.frozen is None:
        builder.rows((at.d[None], 1), upper=problem.max_leaves - 1)
    elif problem.max_leaves is not None:
        _count_leaves(builder, at, problem.max_leaves)

    return builder.program(None if start is None else encode(start, problem, scale, at))


def _count_leaves(builder: Builder, at: StepColumns, most: int) -> None:
    """At most so many leaves, where a free node may pass all rows to one child and so save the other's splits."""
    for leaf in range(len(at.c)):
        for node, goes_left in path_to(leaf + len(at.d)):
            closed = at.all_right if goes_left else at.all_left
            builder.rows((at.z[:, leaf, None], 1), (closed[None, node, None], 1), upper=1)
    child = np.arange(1, len(at.d))
    parent = (child - 1) // 2
    closed = np.where(child % 2 == 1, at.all_right[parent], at.all_left[parent])
    builder.rows((at.reached[child, None], 1), (at.reached[parent, None], -1), (closed[:, None], 1), lower=0)
    one_way = np.stack([at.all_left, at.all_right], axis=1)
    builder.rows((at.counted[:, None], 1), (at.reached[:, None], -1), (at.d[:, None], -1), (one_way, 1), lower=-1)
    builder.rows((at.counted[None], 1), upper=most - 1)


def encode(layout: Frozen, problem: TreeProblem, scale: Scale, at: StepColumns) -> Floats:
    """The full vector of variables that stands for a tree."""
    x = np.zeros(at.counted.max(initial=at.mu.max(initial=at.c.max())) + 1)
    for node, (feature, threshold) in enumerate(zip(layout.feature, layout.threshold, strict=True)):
        if feature >= 0:
            x[at.a[node, feature]] = x[at.d[node]] = 1
            x[at.b[node]] = scale.to_rank(int(feature), float(threshold))
        if at.counted.size:
            x[at.all_left[node]] = feature >= 0 and threshold == np.inf
            x[at.all_right[node]] = feature >= 0 and threshold == -np.inf
            closed = at.all_right if node % 2 == 1 else at.all_left
            parent = (node - 1) // 2
            x[at.reached[node]] = node == 0 or (x[at.reached[parent]] and not x[closed[parent]])
            x[at.counted[node]] = x[at.reached[node]] and feature >= 0 and np.isfinite(threshold)
    leaf = leaf_numbers(layout, problem.features)
    row = np.arange(len(leaf))
    x[at.c[np.arange(len(layout.action)), layout.action]] = 1
    x[at.z[row, leaf]] = 1
    x[at.mu[row, layout.action[leaf]]] = 1
    return x


def decode(x: Floats, problem: TreeProblem, scale: Scale) -> Frozen:
    """The tree that a vector of variables stands for; frozen nodes keep their own thresholds."""
    rules = restrictions(problem)
    at = place_variables(Builder(), problem, scale)
    feature, threshold = rules.feature.copy(), np.array(rules.threshold, dtype=np.float64)
    for node in np.flatnonzero(feature == FREE):
        feature[node] = np.argmax(x[at.a[node]]) if x[at.d[node]] > 0.5 else UNSPLIT
        if feature[node] >= 0:
            threshold[node] = scale.to_threshold(int(feature[node]), float(x[at.b[node]]))
    return Frozen(feature, threshold, x[at.c].argmax(axis=1).astype(np.int32))
