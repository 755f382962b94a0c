"""Which nodes of the tree stay as they are in the next improvement step (the paper's "fix")."""

import numpy as np

from spotree.step.milp.complete import lay_out
from spotree.step.problem import FREE, Frozen
from spotree.tree.tree import Tree


def freeze(tree: Tree, depth: int, free_probability: float, rng: np.random.Generator) -> Frozen | None:
    """Free every split and every leaf action with `free_probability` (phi_l), and fix the others.

    The tree is laid into the complete tree of `depth`: a leaf above the lowest level is an unsplit node, which
    sends every state right, so its action stands in the right-most leaf below it. Places that the tree does not
    use are always free. None stands for "everything is free".
    """
    laid = lay_out(tree, depth, everywhere=False)
    laid.feature[rng.random(len(laid.feature)) < free_probability] = FREE
    laid.action[rng.random(len(laid.action)) < free_probability] = FREE
    if (laid.feature == FREE).all() and (laid.action == FREE).all():
        return None
    return laid
