"""Random models with symmetries, few enough states to try all trees: orbits of transitions share a number."""

import itertools

import numpy as np

from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

SPOILED = ("initial", "reward", "row")  # what may be changed in one place


def symmetric_mdp(rng: np.random.Generator, missing: str, spoil: str | None = None) -> MDP:
    """States on a grid (at times two on a place, or an end beside it) that mirrors and exchanges leave as it is."""
    sides = [(3,), (4,), (2, 2), (3, 3), (2, 2, 2), (2, 3)][int(rng.integers(6))]
    places = list(itertools.product(*(range(side) for side in sides)))
    copies = 2 if len(places) <= 4 and rng.random() < 0.3 else 1
    ends = int(rng.random() < 0.4)
    states, actions = len(places) * copies + ends, int(rng.integers(2, 4))
    generators = [_generator(rng, sides, places, copies, states, actions) for _ in range(int(rng.integers(1, 3)))]

    def orbits(shape: tuple[int, ...], kinds: str) -> np.ndarray:
        """[...] the least index that generators lead to, by spreading it until nothing changes."""
        least = np.arange(np.prod(shape)).reshape(shape)
        while True:
            before = least.copy()
            for state, action in generators:
                image = np.ix_(*(state if kind == "s" else action for kind in kinds))
                least = np.minimum(least, least[image])
                least[image] = np.minimum(least[image], least)
            if (least == before).all():
                return least

    def drawn(shape: tuple[int, ...], kinds: str, numbers: np.ndarray) -> np.ndarray:
        return numbers[orbits(shape, kinds)]

    triples, pairs = states * actions * states, states * actions
    weight = drawn((actions, states, states), "ass", rng.integers(0, 4, triples) * (rng.random(triples) < 0.4))
    empty = weight.sum(axis=2) == 0
    weight[empty] = np.eye(states, dtype=int)[np.nonzero(empty)[1]]  # it stays
    reward = drawn((states, actions), "sa", np.round(rng.normal(size=pairs), 1))
    start = drawn((states,), "s", rng.integers(0, 3, states)).astype(float)
    start = start if start.any() else np.ones(states)
    available = drawn((states, actions), "sa", rng.random(pairs) < 0.85)
    available[~available.any(axis=1)] = True
    if ends:
        weight[:, -1] = np.eye(states, dtype=int)[-1]
        reward[-1] = 0.0
        available[-1] = True
    spot = int(rng.integers(states)), int(rng.integers(actions))
    if spoil == "initial":
        start[spot[0]] += 1.0
    if spoil == "reward":
        reward[spot] += 0.5
    if spoil == "row":
        weight[spot[1], spot[0], int(rng.integers(states))] += 2
    features = np.repeat(np.array(places, float), copies, axis=0)
    return build_mdp(
        transitions=weight / weight.sum(axis=2, keepdims=True),
        reward=reward,
        discount=float(rng.choice([0.5, 0.9, 0.99])),
        initial=start / start.sum(),
        features=np.vstack([features, np.full((ends, len(sides)), -1.0)]),
        available=available,
        missing=missing,
    )


def _generator(rng, sides, places, copies, states, actions):
    """Images of states and actions: some features reversed, two of equal size exchanged, two actions exchanged."""
    mirrored = rng.random(len(sides)) < 0.5
    order = np.arange(len(sides))
    one, other = rng.integers(len(sides), size=2)
    if sides[one] == sides[other]:
        order[[one, other]] = order[[other, one]]

    def moved(place):
        return tuple(sides[f] - 1 - place[f] if mirrored[f] else place[f] for f in order)

    state = np.arange(states)
    for number, place in enumerate(places):
        for copy in range(copies):
            state[number * copies + copy] = places.index(moved(place)) * copies + copy
    action = np.arange(actions)
    if rng.random() < 0.6:
        action[:2] = [1, 0]
    return state, action
