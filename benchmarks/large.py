"""First trees on large models with one component: what `solve` returns after a few seconds, beside CART imitation.

python benchmarks/large.py [--models grid_300k random_1m] [--limits 5 15] [--method neighbourhood] [--depth 3]

Wall-clock seconds on an idle machine. "CART" is the return of a greedy tree of the same depth that imitates the best
policy, weighted by its visits; the best policy is computed to the end for it.
"""

import argparse
import time

import numpy as np
import scipy.sparse as sp

import spotree
from spotree.evaluation import certified_return, occupancy
from spotree.mdp import MDP, ChoiceRows
from spotree.search.cart import cart


def grid(shape: tuple[int, ...], discount: float = 0.99, seed: int = 0) -> MDP:
    """One action per direction, which is taken with 0.7, another one else; reward near four places."""
    size, rng = int(np.prod(shape)), np.random.default_rng(seed)
    place = np.array(np.unravel_index(np.arange(size), shape)).T
    steps = []
    for dimension in range(len(shape)):
        for way in (-1, 1):
            to = place.copy()
            to[:, dimension] = np.clip(to[:, dimension] + way, 0, shape[dimension] - 1)
            target = np.ravel_multi_index(tuple(to.T), shape)
            steps.append(sp.csr_matrix((np.ones(size), (np.arange(size), target)), shape=(size, size)))
    slip = 0.3 / (len(steps) - 1)
    moves = [sum((0.7 if a == b else slip) * step for b, step in enumerate(steps)) for a in range(len(steps))]
    relative, reward = place / np.array(shape), np.zeros(size)
    for _ in range(4):
        centre = rng.random(len(shape))
        reward += rng.uniform(0.5, 1) * np.exp(-((relative - centre) ** 2).sum(axis=1) / 0.01)
    return spotree.build_mdp(
        moves, np.repeat(reward[:, None], len(steps), axis=1), discount, features=place.astype(float)
    )


def anywhere(size: int, discount: float = 0.99, seed: int = 0) -> MDP:
    """Four actions with four random next states each; the best action is often one that three features tell."""
    rng, actions, width = np.random.default_rng(seed), 4, 4
    state = np.repeat(np.arange(size), actions)
    target = rng.integers(0, size, size=(size * actions, width))
    target[:, 0] = (state + 1) % size
    target.sort(axis=1)
    chance = rng.random(target.shape)
    chance /= chance.sum(axis=1, keepdims=True)
    start = np.arange(size * actions + 1) * width
    rows = ChoiceRows(state, np.tile(np.arange(actions), size), start, target.ravel(), chance.ravel())
    features = rng.integers(0, 50, size=(size, 3)).astype(float)
    reward = rng.random((size, actions))
    told = (features[:, 0] > 25) * 2 + (features[:, 1] > features[:, 2])
    reward[np.arange(size), told.astype(int)] += 0.5
    return spotree.build_mdp(rows, reward.ravel(), discount, features=features, initial=0)


MODELS = {
    "grid_300k": (lambda: grid((100, 100, 30)), (5, 8, 15)),
    "grid_1m": (lambda: grid((1000, 1000)), (5, 20, 60)),
    "random_300k": (lambda: anywhere(300_000), (5, 15)),
    "random_1m": (lambda: anywhere(1_000_000), (5, 20, 60)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--limits", nargs="+", type=float, help="seconds; each model has its own otherwise")
    parser.add_argument("--method", default="neighbourhood")
    parser.add_argument("--depth", type=int, default=3)
    given = parser.parse_args()
    print("| model | transitions | limit s | took s | leaves | return | error | bound | optimum | rounds |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in given.models:
        make, limits = MODELS[name]
        mdp = make()
        for limit in given.limits or limits:
            began = time.perf_counter()
            found = spotree.solve(mdp, given.depth, time_limit=limit, method=given.method)
            took = time.perf_counter() - began
            rounds = found.history[-1].round if found.history else 0
            numbers = f"{found.value:.4f} | {found.error:.1e} | {found.bound:.4f} | {found.optimum:.4f} | {rounds}"
            leaves = found.policy.num_leaves
            print(f"| {name} | {len(mdp.target):,} | {limit:g} | {took:.1f} | {leaves} | {numbers} |", flush=True)
        began = time.perf_counter()
        best = spotree.optimum(mdp)
        took = time.perf_counter() - began
        weight = np.maximum(occupancy(mdp, best.actions), 0.0)
        imitation = cart(mdp.features, best.actions, weight, given.depth)
        value = certified_return(mdp, imitation.actions(mdp.features)).value
        row = f"{took:.1f} (optimum) | {imitation.num_leaves} | {value:.4f} | | | {best.value:.4f}"
        print(f"| {name} | CART | | {row} | |", flush=True)


if __name__ == "__main__":
    main()
