"""A tree that an engine starts from must be one of the trees of its problem."""

from functools import cache

from spotree.errors import InvalidProblemError
from spotree.step.problem import FREE, UNSPLIT, Frozen, TreeProblem
from spotree.tree.fit import check_fit, check_range
from spotree.tree.tree import Tree


def check_start(problem: TreeProblem, start: Tree | None) -> None:
    """Refuse a start that is not a tree of the problem."""
    if start is None:
        return
    if not isinstance(start, Tree):
        raise InvalidProblemError(f"start is of type {type(start).__name__}; give a Tree, such as `policy.tree`")
    check_range(start, problem.features.shape[1], problem.gain.shape[1], "start")
    check_fit(start, problem.depth, problem.max_leaves)
    if problem.frozen is not None and not respects(problem.frozen, start):
        raise InvalidProblemError("start differs from the frozen nodes; freeze nodes of the start itself")


def respects(frozen: Frozen, tree: Tree) -> bool:
    """Whether a tree agrees with every frozen node that its rows can reach, an early leaf being an unsplit node."""
    inner = len(frozen.feature)

    @cache
    def agrees(node: int, at: int) -> bool:
        if at >= inner:
            fixed = int(frozen.action[at - inner])
            return bool(tree.feature[node] < 0 and fixed in (FREE, tree.action[node]))
        fixed = int(frozen.feature[at])
        if tree.feature[node] < 0:
            if fixed == UNSPLIT:
                while at < inner:
                    at = 2 * at + 2
                return agrees(node, at)
            return fixed == FREE and (agrees(node, 2 * at + 2) or agrees(node, 2 * at + 1))
        if fixed == UNSPLIT:
            return False
        same = (fixed, float(frozen.threshold[at])) == (tree.feature[node], float(tree.threshold[node]))
        if (fixed == FREE or same) and (
            agrees(int(tree.left[node]), 2 * at + 1) and agrees(int(tree.right[node]), 2 * at + 2)
        ):
            return True
        return fixed == FREE and (agrees(node, 2 * at + 1) or agrees(node, 2 * at + 2))  # all rows one way

    return agrees(0, 0)
