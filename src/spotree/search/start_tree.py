"""The one door for a tree to start from: matched with the model by names, pruned, and no larger than asked."""

from typing import TypeAlias

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.results.solution import Solution
from spotree.trees.policy import TreePolicy
from spotree.trees.prune import prune
from spotree.trees.tree import Tree
from spotree.trees.validate import check_fit

Start: TypeAlias = Solution | TreePolicy | Tree


def fitting_start(start: Start, mdp: MDP, depth: int, max_leaves: int | None) -> Tree:
    """The start in the model's terms, without splits that part no states; refused where it is still too large.

    A `Solution` or `TreePolicy` is matched by the names of features and actions, a bare `Tree` is taken by position.
    """
    if not isinstance(start, Start):
        raise InvalidProblemError(
            f"start is of type {type(start).__name__}; give a Solution (Solution.load reads a saved one) or a tree"
        )
    tree = prune(start.tree_for(mdp.feature_names, mdp.action_names), mdp.features)
    check_fit(tree, depth, max_leaves)
    return tree
