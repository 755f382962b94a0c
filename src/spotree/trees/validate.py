"""Whether a tree is one of those that are asked for: its features, its actions and its size."""

import numpy as np

from spotree.errors import InvalidProblemError
from spotree.trees.tree import Tree


def check_range(tree: Tree, num_features: int, num_actions: int, whose: str = "the tree") -> None:
    """Refuse a tree that asks for a feature or takes an action that is not there."""
    if (most := int(tree.feature.max())) >= num_features:
        raise InvalidProblemError(
            f"{whose} asks for feature {most}; there are {num_features}, numbered from 0: it is of another model"
        )
    if (most := int(tree.action[tree.feature < 0].max())) >= num_actions:
        raise InvalidProblemError(
            f"{whose} takes action {most}; there are {num_actions}, numbered from 0: it is of another model"
        )
    if np.isnan(tree.threshold[tree.feature >= 0]).any():
        node = int(np.flatnonzero((tree.feature >= 0) & np.isnan(tree.threshold))[0])
        raise InvalidProblemError(f"{whose}: the threshold of node {node} is nan; give a number")


def check_fit(tree: Tree, depth: int, max_leaves: int | None) -> None:
    """Refuse a start that is larger than the trees that are sought."""
    if tree.depth > depth:
        raise InvalidProblemError(
            f"start has depth {tree.depth}; trees of depth {depth} are sought: ask for more depth, or drop the start"
        )
    if max_leaves is not None and tree.num_leaves > max_leaves:
        raise InvalidProblemError(
            f"start has {tree.num_leaves} leaves; trees of at most {max_leaves} are sought: allow more leaves, or"
            " drop the start"
        )
