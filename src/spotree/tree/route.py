"""Send states down a tree."""

import numpy as np

from spotree import _core
from spotree.axes import Features, SmallInts
from spotree.errors import InvalidProblemError
from spotree.tree.tree import Tree


def route(tree: Tree, features: Features) -> SmallInts:
    """The leaf (node number) in which each row of `features` ends."""
    matrix = np.ascontiguousarray(features, dtype=np.float64)
    if matrix.ndim != 2 or tree.feature.max() >= matrix.shape[1]:
        raise InvalidProblemError(
            f"features have shape {matrix.shape}; the tree asks for feature number {tree.feature.max()}"
        )
    leaves: SmallInts = _core.route(tree.feature, tree.threshold, tree.left, tree.right, matrix)
    return leaves
