"""Every policy that a tree can stand for, by plain recursion over sets of states."""

import itertools

import numpy as np


def tree_policies(features, num_actions, depth, max_leaves=None):
    """The set of policies, each a tuple with one action per state."""
    most = 2**depth if max_leaves is None else max_leaves
    splits = [
        features[:, j] < (low + high) / 2
        for j in range(features.shape[1])
        for low, high in itertools.pairwise(np.unique(features[:, j]))
    ]

    def over(states, levels, leaves):
        """Policies of some states, as frozen sets of (state, action)."""
        found = {frozenset((state, action) for state in states) for action in range(num_actions)}
        if levels == 0 or leaves == 1:
            return found
        for left in splits:
            below = [state for state in states if left[state]]
            above = [state for state in states if not left[state]]
            if below and above:
                for for_left in range(1, leaves):
                    pairs = itertools.product(
                        over(below, levels - 1, for_left), over(above, levels - 1, leaves - for_left)
                    )
                    found |= {one | other for one, other in pairs}
        return found

    every = over(list(range(len(features))), depth, most)
    return {tuple(action for _, action in sorted(policy)) for policy in every}
