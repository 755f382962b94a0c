"""From the complete tree of an engine to its answer: decode what it chose, and what that collects."""

import numpy as np

from spotree.common.arrays import SmallInts
from spotree.improvement.engines.rsbb.ranked_problem import Step
from spotree.improvement.problem import TreeProblem
from spotree.trees.tree import Tree, make_tree


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
