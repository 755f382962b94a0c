"""The shape of the answer: a binary decision tree as parallel arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spotree import _core
from spotree.common.arrays import ActionOf, Features, Floats, SmallInts
from spotree.errors import InvalidProblemError
from spotree.trees.inputs import numbers


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A decision tree; node 0 is the root, children come after their parent.

    An inner node has `feature >= 0`: a row whose value there is below `threshold` goes to `left`, any other to
    `right`. A leaf has `feature == left == right == -1` and an `action`; inner nodes have `action == -1`.
    """

    feature: SmallInts
    threshold: Floats
    left: SmallInts
    right: SmallInts
    action: SmallInts

    def _repr_svg_(self) -> str | None:
        from spotree.exports.notebook import bare_svg

        return bare_svg(self)

    @property
    def num_nodes(self) -> int:
        return len(self.feature)

    @property
    def num_leaves(self) -> int:
        return int(np.count_nonzero(self.feature < 0))

    @property
    def depth(self) -> int:
        """Splits on the longest path from the root to a leaf."""
        depth_of = np.zeros(self.num_nodes, dtype=int)
        for node in np.flatnonzero(self.feature >= 0):  # parents stand before their children
            depth_of[self.left[node]] = depth_of[self.right[node]] = depth_of[node] + 1
        return int(depth_of.max())

    def leaf_of(self, features: Features) -> SmallInts:
        """The leaf (node number) in which each row ends."""
        from spotree.trees.tree import route

        return route(self, features)

    def actions(self, features: Features) -> ActionOf:
        """The action that the tree takes for each row of `features`."""
        return self.action[self.leaf_of(features)]

    def tree_for(self, feature_names: Sequence[str], action_names: Sequence[str]) -> "Tree":
        """The tree itself: it knows no names, so it is taken by position; only the range of its numbers is checked."""
        from spotree.trees.serialize import check_range

        check_range(self, len(feature_names), len(action_names))
        return self


def leaf(action: int) -> Tree:
    """The tree that always takes one action."""
    return make_tree([-1], [0.0], [-1], [-1], [action])


def make_tree(feature: object, threshold: object, left: object, right: object, action: object) -> Tree:
    """A tree from any five sequences, checked for shape: one node each, children after parents."""
    from spotree.common.arrays import frozen_array
    from spotree.errors import InvalidProblemError

    tree = Tree(
        frozen_array(feature, np.int32),
        frozen_array(threshold, np.float64),
        frozen_array(left, np.int32),
        frozen_array(right, np.int32),
        frozen_array(action, np.int32),
    )
    inner = tree.feature >= 0
    node = np.arange(tree.num_nodes)
    children = np.concatenate([tree.left[inner], tree.right[inner]])
    if tree.num_nodes == 0 or not np.array_equal(np.sort(children), np.arange(1, tree.num_nodes)):
        raise InvalidProblemError("a tree needs a root at node 0 and every other node as the child of one parent")
    if (tree.left[inner] <= node[inner]).any() or (tree.right[inner] <= node[inner]).any():
        raise InvalidProblemError("in a tree, children come after their parent")
    if (tree.action[~inner] < 0).any():
        first = int(node[~inner][tree.action[~inner] < 0][0])
        raise InvalidProblemError(f"tree node {first} is a leaf without an action")
    return tree


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
