"""The best return for each number of leaves, by trying every tree; and models on which to try it."""

import numpy as np

from oracles.neighbourhood import policy_return, random_mdp, tree_policies
from oracles.undiscounted import policy_values
from spotree.mdp import MDP, build_mdp

MOST = 4  # leaves: more trees than can be tried have more
RULES = ("random", "end", "stay", "forbid")


def best_by_leaves(mdp: MDP, most: int, depth: int | None = None) -> list[float]:
    """[leaves - 1] the best return of any tree with at most so many leaves; -inf where none is feasible."""
    policies = tree_policies(mdp.features, mdp.num_actions, most - 1 if depth is None else depth, most)
    best = np.full(most, -np.inf)
    for actions, leaves in policies.items():
        best[leaves - 1 :] = np.maximum(best[leaves - 1 :], plain_return(mdp, actions))
    return [float(value) for value in best]


def plain_return(mdp: MDP, actions) -> float:
    if mdp.discount < 1:
        return policy_return(mdp, actions)
    value = policy_values(mdp, mdp.choice_of[np.arange(mdp.num_states), list(actions)])
    return float(mdp.initial[mdp.initial > 0] @ value[mdp.initial > 0])


def tiny(seed: int) -> MDP:
    """Every rule for missing actions and discount in turn; equal features, ends and scarce starts occur."""
    rng = np.random.default_rng(seed)
    return random_mdp(
        rng,
        size=int(rng.integers(2, 8)),
        num_actions=int(rng.integers(2, 4)),
        num_features=int(rng.integers(1, 3)),
        missing=RULES[seed % 4],
        discount=(0.0, 0.5, 0.99)[seed % 3],
        ends=0.3 * (seed % 2),
    )


def tiny_goal(seed: int) -> MDP:
    """Undiscounted: the probability of a goal, of avoiding one, or the cost until the end, where it must end."""
    rng = np.random.default_rng(seed)
    size, actions, kind = int(rng.integers(3, 8)), int(rng.integers(2, 4)), seed % 3
    transitions = rng.random((actions, size, size)) * (rng.random((actions, size, size)) < 0.4)
    transitions += 1e-3 * np.eye(size)
    ends = np.where(rng.random((size, actions)) < 0.4, rng.choice([0.25, 1.0], (size, actions)), 0.0)
    ends[rng.integers(size)] = 1.0
    transitions *= (1 - ends.T[:, :, None]) / transitions.sum(axis=2, keepdims=True)
    paid = np.where(ends == 1.0, rng.integers(0, 2, size=(size, actions)), 0.0)
    reward = (paid, 0.0 - paid, -rng.choice([1.0, 2.5], (size, actions)))[kind]
    return build_mdp(
        transitions,
        reward,
        1.0,
        initial=int(rng.integers(size)),
        features=rng.integers(0, 4, size=(size, 2)).astype(float),
        ends=ends,
        undiscounted=True,
        must_end=kind == 2,
    )


def close_to(mdp: MDP) -> float:
    """What counts as nothing beside the returns of this model."""
    return 1e-8 * max(1.0, float(np.abs(mdp.reward_of_choice).max(initial=0.0)) / max(1 - mdp.discount, 0.01))
