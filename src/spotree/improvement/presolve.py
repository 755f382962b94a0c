"""Make a problem smaller without changing its answer, and carry the answer back.

Rows with equal features become one row (gains added), rows without a preference are dropped, splits that separate
the rest alike (or as mirror images) become one split. Features become ranks 0, 1, 2, ... of the values that remain.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from spotree.common.arrays import Features, Floats
from spotree.improvement.problem import Frozen, TreeProblem
from spotree.improvement.result import StepResult
from spotree.trees.ranks import Ranks, rank_rows
from spotree.trees.splits import distinct_cuts, midpoint, rank_among
from spotree.trees.tree import Tree

NO_PREFERENCE = 1e-12  # of the largest spread


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A feature of the reduced problem: `breaks[r]` parts rank r from rank r + 1 of the original `feature`."""

    feature: int
    breaks: Floats
    fixed: dict[float, float]  # thresholds that must come back unchanged: reduced -> original

    def original(self, threshold: float) -> float:
        """The original threshold that sends the same ranks left."""
        if threshold in self.fixed:
            return self.fixed[threshold]
        left = int(np.clip(np.ceil(threshold), 0, len(self.breaks) + 1))  # ranks that go left
        if 0 < left <= len(self.breaks):
            return float(self.breaks[left - 1])
        return -np.inf if left == 0 else np.inf

    def reduced(self, threshold: float) -> float:
        """The reduced threshold registered for an original one."""
        return next(new for new, old in self.fixed.items() if old == threshold)


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """A smaller problem with the way back to the original one."""

    problem: TreeProblem
    original: TreeProblem
    columns: tuple[Column, ...]
    dropped_best: float  # most that the dropped rows can gain

    def shrink(self, tree: Tree) -> Tree:
        """A tree of the original problem, named when reducing, in terms of the reduced one."""
        place = {column.feature: k for k, column in enumerate(self.columns)}
        return _rename(tree, lambda f, t: (place[f], self.columns[place[f]].reduced(t)))

    def expand(self, result: StepResult) -> StepResult:
        """The engine's answer for the original problem, its tree worth what the original gains say."""
        tree = _rename(result.tree, lambda f, t: (self.columns[f].feature, self.columns[f].original(t)))
        gain = self.original.gain
        value = float(gain[np.arange(len(gain)), tree.actions(self.original.features)].sum())
        return replace(result, tree=tree, value=value, bound=max(value, result.bound + self.dropped_best))


def reduce(problem: TreeProblem, start: Tree | None = None) -> Reduced:
    """The smaller problem; splits of frozen nodes and of `start` stay exactly representable."""
    every = rank_rows(problem.features)
    gain = np.zeros((len(every.first), problem.gain.shape[1]))
    np.add.at(gain, every.group_of, problem.gain)
    spread = gain.max(axis=1) - gain.min(axis=1)
    kept = spread > NO_PREFERENCE * spread.max(initial=0.0)
    if len(kept):
        kept[0] |= not kept.any()  # engines want at least one row
    dropped_best = float(gain[~kept].max(axis=1).sum()) if (~kept).any() else 0.0
    named = _named_splits(problem.frozen, start)
    columns, ranks = _columns(every.take(np.flatnonzero(kept)), named, mirrors=problem.frozen is None)
    smaller = TreeProblem(
        ranks, gain[kept], problem.depth, problem.max_leaves, _reduce_frozen(problem.frozen, columns)
    )
    return Reduced(smaller, problem, tuple(columns), dropped_best)


def _named_splits(frozen: Frozen | None, start: Tree | None) -> dict[int, list[float]]:
    """Thresholds by feature that must stay representable."""
    named: dict[int, list[float]] = {}
    for part in (frozen, start):
        if part is not None:
            inner = part.feature >= 0
            for feature, threshold in zip(part.feature[inner], part.threshold[inner], strict=False):
                named.setdefault(int(feature), []).append(float(threshold))
    return named


def _columns(ranks: Ranks, named: dict[int, list[float]], mirrors: bool) -> tuple[list[Column], Features]:
    """Ranks without repeated splits; above frozen nodes a mirror image is another split."""
    columns, reduced = [], []
    for feature, new in enumerate(distinct_cuts(ranks, mirrors)):
        if feature in named:
            new[:] = True  # a fixed threshold may stand anywhere in this column
        elif not new.any():
            continue
        values = ranks.values[feature]
        breaks = midpoint(values[:-1], values[1:])[new]
        reduced.append(rank_among(new, ranks.rank[:, feature]).astype(float))
        columns.append(Column(feature, breaks, _fixed(values, named.get(feature, []))))
    if not columns and ranks.values:
        columns.append(Column(0, np.zeros(0), {}))
        reduced.append(np.zeros(len(ranks.rank)))
    return columns, np.array(reduced).T if reduced else np.zeros((len(ranks.rank), 0))


def _fixed(values: Floats, thresholds: list[float]) -> dict[float, float]:
    """A distinct reduced threshold for each original one, sending the same ranks left."""
    fixed: dict[float, float] = {}
    for threshold in sorted(set(thresholds)):
        left = int(np.searchsorted(values, threshold, side="left"))  # values below it
        part = 0.5
        while left - 1 + part in fixed:
            part = (1 + part) / 2
        fixed[left - 1 + part] = threshold
    return fixed


def _reduce_frozen(frozen: Frozen | None, columns: list[Column]) -> Frozen | None:
    if frozen is None:
        return None
    place = {column.feature: k for k, column in enumerate(columns)}
    feature, threshold = frozen.feature.copy(), frozen.threshold.copy()
    for node in np.flatnonzero(feature >= 0):
        column = place[int(feature[node])]
        feature[node], threshold[node] = column, columns[column].reduced(float(threshold[node]))
    return Frozen(feature, threshold, frozen.action)


def _rename(tree: Tree, name: Callable[[int, float], tuple[int, float]]) -> Tree:
    feature, threshold = tree.feature.copy(), tree.threshold.copy()
    for node in np.flatnonzero(feature >= 0):
        feature[node], threshold[node] = name(int(feature[node]), float(threshold[node]))
    return replace(tree, feature=feature, threshold=threshold)
