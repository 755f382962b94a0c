"""Plain twin of the search: every policy that some tree of the size can have, each evaluated by a dense solve."""

import itertools

import numpy as np

from oracles.values import policy_value
from spotree.mdp import build_mdp


def tree_policies(features, num_actions, depth, max_leaves):
    """All action vectors of trees within the size, as a dict: actions -> fewest leaves."""
    rows = tuple(range(len(features)))

    def best(rows, depth, leaves):
        found = {(action,) * len(rows): 1 for action in range(num_actions)} if leaves >= 1 else {}
        if depth == 0 or leaves < 2:
            return found
        for feature in range(features.shape[1]):
            for threshold in np.unique(features[list(rows), feature])[1:]:
                left = tuple(row for row in rows if features[row, feature] < threshold)
                right = tuple(row for row in rows if features[row, feature] >= threshold)
                one, two = (best(side, depth - 1, leaves - 1) for side in (left, right))
                for (a, used), (b, also) in itertools.product(one.items(), two.items()):
                    if used + also > leaves:
                        continue
                    action = dict(zip(left, a, strict=True)) | dict(zip(right, b, strict=True))
                    key = tuple(action[row] for row in rows)
                    found[key] = min(found.get(key, leaves), used + also)
        return found

    return best(rows, depth, max_leaves)


def policy_return(mdp, actions):
    """Expected return by a dense solve over the states that the policy reaches; -inf if forbidden there."""
    rows = mdp.choice_of[np.arange(mdp.num_states), actions]
    matrix = mdp.rows.toarray()
    reached, wave = set(), set(np.flatnonzero(mdp.initial))
    while wave:
        reached |= wave
        if any(rows[state] < 0 for state in wave):
            return -np.inf
        wave = {int(to) for state in wave for to in np.flatnonzero(matrix[rows[state]])} - reached
    safe = np.where(rows >= 0, np.asarray(actions), np.argmax(mdp.choice_of >= 0, axis=1))
    return float(mdp.initial @ policy_value(mdp, safe))


def best_return(mdp, depth, max_leaves=None):
    """The best return of any tree within the size."""
    policies = tree_policies(mdp.features, mdp.num_actions, depth, max_leaves or 2**depth)
    return max(policy_return(mdp, actions) for actions in policies)


def random_mdp(
    rng, *, size=6, num_actions=2, num_features=2, missing="random", discount=0.95, density=0.4, ends=0.0
):
    """A small MDP with features that repeat, actions that are missing, and rows that end the episode."""
    transitions = rng.random((num_actions, size, size)) * (rng.random((num_actions, size, size)) < density)
    transitions += 1e-3 * np.eye(size)
    end = rng.random((size, num_actions)) * (rng.random((size, num_actions)) < ends)
    transitions *= (1 - end.T[:, :, None]) / transitions.sum(axis=2, keepdims=True)
    available = rng.random((size, num_actions)) < 0.7
    available[np.arange(size), rng.integers(0, num_actions, size)] = True
    return build_mdp(
        transitions,
        rng.normal(size=(size, num_actions)),
        discount,
        initial=rng.dirichlet(np.ones(size) / 2),
        features=rng.integers(0, 4, size=(size, num_features)).astype(float),
        available=available,
        missing=missing,
        ends=end,
    )
