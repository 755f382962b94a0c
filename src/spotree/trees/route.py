"""Send states down a tree."""

from collections.abc import Sequence

import numpy as np

from spotree import _core
from spotree.common.arrays import Features, SmallInts
from spotree.errors import InvalidProblemError
from spotree.trees.inputs import numbers
from spotree.trees.tree import Tree


def route(tree: Tree, features: Features, names: Sequence[str] = ()) -> SmallInts:
    """The leaf (node number) in which each row of `features` ends; `names` are those of the features, for errors."""
    matrix = np.ascontiguousarray(numbers(features, "features"))
    if matrix.ndim != 2 or tree.feature.max() >= matrix.shape[1]:
        raise InvalidProblemError(
            f"features have shape {matrix.shape}; the tree asks for feature number {tree.feature.max()}"
        )
    leaves: SmallInts = _core.route(
        feature=tree.feature, threshold=tree.threshold, left=tree.left, right=tree.right, features=matrix
    )
    if leaves.min(initial=0) < 0:
        row = int((leaves < 0).argmax())
        feature = next(int(j) for j in np.unique(tree.feature[tree.feature >= 0]) if np.isnan(matrix[row, j]))
        raise InvalidProblemError(
            f"row {row}, feature {repr(names[feature]) if names else feature}: value is nan, which is neither below a"
            " threshold nor above it; fill it in"
        )
    return leaves
