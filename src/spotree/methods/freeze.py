"""Which nodes of the tree stay as they are in the next improvement step (the paper's "fix")."""

import numpy as np

from spotree.axes import frozen_array
from spotree.step.problem import FREE, UNSPLIT, Frozen
from spotree.tree.tree import Tree


def freeze(tree: Tree, depth: int, free_probability: float, rng: np.random.Generator) -> Frozen | None:
    """Free every split and every leaf action with `free_probability` (phi_l), and fix the others.

    The tree is laid into the complete tree of `depth`: a leaf above the lowest level is an unsplit node, which
    sends every state right, so its action stands in the right-most leaf below it. Places that the tree does not
    use are always free. None stands for "everything is free".
    """
    inner = 2**depth - 1
    feature = np.full(inner, FREE, dtype=np.int32)
    threshold = np.zeros(inner)
    action = np.full(inner + 1, FREE, dtype=np.int32)

    def lay(node: int, place: int) -> None:
        if place >= inner:
            action[place - inner] = tree.action[node]
        elif tree.feature[node] < 0:
            feature[place] = UNSPLIT
            lay(node, 2 * place + 2)
        else:
            feature[place], threshold[place] = tree.feature[node], tree.threshold[node]
            lay(int(tree.left[node]), 2 * place + 1)
            lay(int(tree.right[node]), 2 * place + 2)

    lay(0, 0)
    feature[rng.random(inner) < free_probability] = FREE
    action[rng.random(inner + 1) < free_probability] = FREE
    if (feature == FREE).all() and (action == FREE).all():
        return None
    return Frozen(
        frozen_array(feature, np.int32), frozen_array(threshold, np.float64), frozen_array(action, np.int32)
    )
