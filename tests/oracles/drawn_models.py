"""Small models of every kind, with the size of tree to prove; rewards of any scale, ties, discounts from 0 to 1."""

from dataclasses import dataclass, replace

import numpy as np

from oracles.certify import random_mdp
from oracles.symmetric import symmetric_mdp
from oracles.undiscounted_trees import KINDS, random_model
from spotree.common.arrays import frozen_array
from spotree.mdp.model import MDP

DISCOUNTS = (0.0, 0.5, 0.9, 0.99, 0.9999, 0.99999, 0.999999, 0.9999999)
MISSING = ("random", "end", "stay", "forbid")
FAMILIES = ("discounted", "symmetric", "undiscounted")
REWARDS = ("as drawn", "one scale", "mixed scales", "few values", "nearly equal")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A model, what it is like, and the trees to look at."""

    mdp: MDP
    family: str
    rewards: str
    depth: int
    max_leaves: int | None


def drawn(rng: np.random.Generator) -> Drawn | None:
    """None where the door refuses the model."""
    family = str(rng.choice(FAMILIES, p=[0.6, 0.15, 0.25]))
    missing = str(rng.choice(MISSING))
    mdp: MDP | None
    if family == "undiscounted":
        mdp = random_model(rng, str(rng.choice(KINDS)), missing, rare=float(rng.choice([0.0, 0.0, 1e-2, 1e-4])))
        if mdp is None:
            return None
    else:
        mdp = symmetric_mdp(rng, missing) if family == "symmetric" else random_mdp(rng, missing)
        mdp = replace(mdp, discount=float(rng.choice(DISCOUNTS)))
    rewards = str(rng.choice(REWARDS[:2] if family == "symmetric" else REWARDS))
    mdp = replace(
        mdp,
        reward_of_choice=frozen_array(other_rewards(rng, mdp.reward_of_choice, rewards), np.float64),
        sense=str(rng.choice(["max", "min"])),
    )
    depth = int(rng.integers(0, 3))
    max_leaves = int(rng.integers(1, 2**depth + 1)) if rng.random() < 0.3 else None
    return Drawn(mdp, family, rewards, depth, max_leaves)


def other_rewards(rng: np.random.Generator, reward: np.ndarray, kind: str) -> np.ndarray:
    """Rewards of the same signs."""
    if kind == "one scale":
        return reward * 10.0 ** rng.uniform(-9, 9)
    if kind == "mixed scales":
        return reward * 10.0 ** rng.uniform(-9, 9, len(reward))
    if kind == "few values":  # many trees return the same
        return np.sign(reward)
    if kind == "nearly equal":  # by less than a tolerance, or by little more
        return np.sign(reward) * (1 + 10.0 ** -float(rng.integers(5, 12)) * rng.integers(0, 4, len(reward)))
    return reward
