"""A tree to start from must be one of the trees that are sought."""

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.tree.prune import prune
from spotree.tree.tree import Tree


def fitting_start(start: Tree, mdp: MDP, depth: int, max_leaves: int | None) -> Tree:
    """The start without splits that part no states; refused where it is still too large."""
    tree = prune(start, mdp.features)
    if tree.depth > depth:
        raise InvalidProblemError(f"start has depth {tree.depth}; trees of depth {depth} are sought")
    if max_leaves is not None and tree.num_leaves > max_leaves:
        raise InvalidProblemError(f"start has {tree.num_leaves} leaves; trees of at most {max_leaves} are sought")
    return tree
