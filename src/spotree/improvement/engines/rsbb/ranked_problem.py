"""A tree problem as the branch and bound sees it: ranks, scaled thresholds, losses."""

from dataclasses import dataclass

import numpy as np

from spotree.common.arrays import Floats, SmallInts
from spotree.improvement.problem import FREE, TreeProblem
from spotree.trees.ranks import rank_rows
from spotree.trees.splits import midpoint
from spotree.trees.tree import Tree, make_tree

TOP = 1.0625  # a scaled threshold above every value


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Threshold k of a feature has k of its values below it; 0 and the last send every row one way.

    Attributes
    ----------
    rank
        [feature, row] position of the row's value among the feature's distinct values.
    values
        [feature] number of distinct values.
    thresholds
        [feature] the candidate thresholds in the feature's own unit, by number.
    scaled, position
        Values and thresholds of all features one after the other, scaled to [0, 1] (the paper's x and b).
    loss
        [row, action] the row's best gain minus its gain for the action.
    """

    rank: SmallInts
    values: SmallInts
    thresholds: tuple[Floats, ...]
    scaled: Floats
    position: Floats
    loss: Floats
    best_gain: float
    frozen_feature: SmallInts
    frozen_cut: SmallInts
    frozen_action: SmallInts


def as_step(problem: TreeProblem) -> Step:
    """Rank the rows and scale each feature to [0, 1]."""
    gain = problem.gain
    ranks = rank_rows(problem.features if problem.features.shape[1] else np.zeros((len(gain), 1)))
    distinct = [values if len(values) else np.zeros(1) for values in ranks.values]
    scaled, position = zip(*map(_scaled, distinct), strict=True)
    best = gain.max(axis=1)
    frozen_feature, frozen_cut, frozen_action = _frozen(problem, distinct)
    return Step(
        np.ascontiguousarray(ranks.rank[ranks.group_of].T),
        np.array([len(values) for values in distinct], np.int32),
        tuple(np.concatenate([[-np.inf], midpoint(v[:-1], v[1:]), [np.inf]]) for v in distinct),
        np.concatenate(scaled),
        np.concatenate(position),
        np.ascontiguousarray(best[:, None] - gain),
        float(best.sum()),
        frozen_feature,
        frozen_cut,
        frozen_action,
    )


def _scaled(values: Floats) -> tuple[Floats, Floats]:
    """Values and thresholds in [0, 1], both strictly ascending; evenly spaced where rounding would merge some."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        unit: Floats = (values - values[0]) / (values[-1] - values[0]) if len(values) > 1 else np.zeros(1)
    for _ in range(2):
        cuts = np.concatenate([[0.0], midpoint(unit[:-1], unit[1:]), [TOP]])
        if (np.diff(unit) > 0).all() and (np.diff(cuts) > 0).all():
            break
        unit = np.linspace(0.0, 1.0, len(values))
    return unit, cuts


def _frozen(problem: TreeProblem, distinct: list[Floats]) -> tuple[SmallInts, SmallInts, SmallInts]:
    inner = 2**problem.depth - 1
    if problem.frozen is None:
        return (
            np.full(inner, FREE, np.int32),
            np.zeros(inner, np.int32),
            np.full(inner + 1, FREE, np.int32),
        )
    feature, action = problem.frozen.feature, problem.frozen.action
    cut = np.zeros(inner, np.int32)
    for node in np.flatnonzero(feature >= 0):
        cut[node] = np.searchsorted(distinct[feature[node]], problem.frozen.threshold[node])
    return feature, cut, action


def decode(problem: TreeProblem, step: Step, feature: SmallInts, cut: SmallInts, action: SmallInts) -> Tree:
    """The tree of the chosen splits, without nodes that send every row one way (frozen ones stay)."""
    inner = len(feature)
    nodes: list[list[float]] = []

    def add(node: int) -> int:
        while node < inner and (goes := one_way(node)):
            node = 2 * node + goes
        place = len(nodes)
        if node >= inner:
            nodes.append([-1, 0.0, -1, -1, action[node - inner]])
            return place
        threshold = step.thresholds[feature[node]][cut[node]]
        if problem.frozen is not None and problem.frozen.feature[node] >= 0:
            threshold = problem.frozen.threshold[node]
        nodes.append([feature[node], threshold, -1, -1, -1])
        nodes[place][2] = add(2 * node + 1)
        nodes[place][3] = add(2 * node + 2)
        return place

    def one_way(node: int) -> int:
        """1 for left, 2 for right, 0 for a split that stays."""
        if feature[node] < 0:
            return 2
        if problem.frozen is not None and problem.frozen.feature[node] >= 0:
            return 0
        if cut[node] == 0:
            return 2
        return int(cut[node] == step.values[feature[node]])

    add(0)
    return make_tree(*zip(*nodes, strict=True))


def collected(tree: Tree, problem: TreeProblem) -> float:
    """The gain that a tree collects."""
    return float(problem.gain[np.arange(len(problem.gain)), tree.actions(problem.features)].sum())
