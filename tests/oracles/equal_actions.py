"""Small models in which actions are missing or do what others do, with the size of tree to prove."""

import numpy as np

from oracles.drawn_models import Drawn
from spotree.mdp.build import build_mdp


def with_equal_actions(rng: np.random.Generator) -> Drawn:
    states, actions = int(rng.integers(4, 8)), int(rng.integers(3, 6))
    chance = rng.dirichlet(np.full(states, 0.3), (actions, states))
    chance[chance < 0.05] = 0
    chance[:, np.arange(states), np.arange(states)] += chance.sum(2) == 0
    chance /= chance.sum(2, keepdims=True)
    reward = np.round(rng.normal(size=(states, actions)), 2)
    for i in range(states):
        if rng.random() < 0.5:
            a, b = rng.permutation(actions)[:2]
            chance[b, i], reward[i, b] = chance[a, i], reward[i, a]
    available = rng.random((states, actions)) < 0.55
    available[np.arange(states), rng.integers(actions, size=states)] = True
    discount = float(rng.choice([0.99, 0.999]))
    features = rng.integers(0, 3, (states, 3)).astype(float)
    missing = str(rng.choice(["end", "stay", "random"]))
    mdp = build_mdp(chance, reward, discount, features=features, available=available, missing=missing)
    return Drawn(mdp, "equal actions", "as drawn", int(rng.integers(1, 3)), int(rng.integers(1, 4)))
