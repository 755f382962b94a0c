"""The best tree of a tiny MDP by trying them all, and random MDPs small enough for that."""

import itertools

import numpy as np

from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP


def labellings(features: np.ndarray, depth: int, max_leaves: int, actions: int) -> np.ndarray:
    """[tree, row] every way in which trees of a size can give actions to rows: plain recursion over splits."""
    known: dict[tuple[tuple[int, ...], int, int], np.ndarray] = {}

    def grow(rows: tuple[int, ...], level: int, leaves: int) -> np.ndarray:
        key = rows, level, leaves
        if key not in known:
            parts = [np.repeat(np.arange(actions)[:, None], len(rows), axis=1)]
            for left, right in _ways(features, rows) if level > 0 else []:
                for share in range(1, leaves):
                    one, other = grow(left, level - 1, share), grow(right, level - 1, leaves - share)
                    both = np.zeros((len(one), len(other), len(rows)), dtype=int)
                    both[:, :, [rows.index(r) for r in left]] = one[:, None]
                    both[:, :, [rows.index(r) for r in right]] = other[None]
                    parts.append(both.reshape(-1, len(rows)))
            known[key] = np.unique(np.concatenate(parts), axis=0)
        return known[key]

    return grow(tuple(range(len(features))), depth, max_leaves)


def _ways(features: np.ndarray, rows: tuple[int, ...]) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    found = set()
    for feature in range(features.shape[1]):
        for value in np.unique(features[list(rows), feature])[1:]:
            left = tuple(r for r in rows if features[r, feature] < value)
            found.add((left, tuple(r for r in rows if r not in left)))
    return found


def returns(mdp: MDP, label: np.ndarray) -> np.ndarray:
    """[tree] return of one action per state [tree, state]; -inf if a forbidden one is reached."""
    rows = mdp.choice_of[np.arange(mdp.num_states), label]
    chain = mdp.rows.toarray()[np.maximum(rows, 0)] * (rows >= 0)[:, :, None]
    reached = np.repeat((mdp.initial > 0)[None], len(label), axis=0)
    for _ in range(mdp.num_states):
        reached |= np.einsum("ts,tsn->tn", reached, chain) > 0
    reward = mdp.reward_of_choice[np.maximum(rows, 0)]
    value = np.linalg.solve(np.eye(mdp.num_states) - mdp.discount * chain, reward[:, :, None])[:, :, 0]
    return np.where((reached & (rows < 0)).any(axis=1), -np.inf, value @ mdp.initial)


def best_return(mdp: MDP, depth: int, max_leaves: int | None) -> float:
    """The best return of any tree, by evaluating every one."""
    most = min(max_leaves or 2**depth, 2**depth)
    return float(returns(mdp, labellings(mdp.features, depth, most, mdp.num_actions)).max())


def random_mdp(rng: np.random.Generator, missing: str) -> MDP:
    """Up to 8 states, 3 features, 3 actions; equal features, absent actions, ends and single starts occur."""
    states, features, actions = int(rng.integers(2, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    available = rng.random((states, actions)) < 0.75
    available[np.arange(states), rng.integers(0, actions, states)] = True
    transitions = np.zeros((actions, states, states))
    for a, s in itertools.product(range(actions), range(states)):
        targets = rng.choice(states, size=int(rng.integers(1, min(4, states + 1))), replace=False)
        transitions[a, s, targets] = rng.dirichlet(np.ones(len(targets)))
    reward = np.round(rng.normal(size=(states, actions)), 1) * float(rng.choice([1.0, 1e-3, 100.0]))
    start = np.zeros(states)
    if rng.random() < 0.5:
        start[int(rng.integers(states))] = 1.0
    else:
        start = rng.dirichlet(np.ones(states))
    return build_mdp(
        transitions=transitions,
        reward=reward,
        discount=float(rng.choice([0.5, 0.9, 0.99])),
        initial=start,
        features=rng.integers(0, 3, size=(states, features)).astype(float),
        available=available,
        missing=missing,
    )
