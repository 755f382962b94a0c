"""The best tree of a tiny undiscounted model by trying them all, and random models full of ways to go on for ever."""

import itertools

import numpy as np

from oracles.certify import labellings
from oracles.undiscounted import policy_values
from spotree.errors import SpotreeError
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

KINDS = ("reach", "avoid", "cost until the goal", "total cost", "total reward")
RULES = ("random", "end", "stay", "forbid")


def best_return(mdp: MDP, depth: int, max_leaves: int | None) -> float:
    """The largest return of any tree; -inf if none has a finite one."""
    most = min(max_leaves or 2**depth, 2**depth)
    known: dict[bytes, float] = {}
    states, best = np.arange(mdp.num_states), -np.inf
    for label in labellings(mdp.features, depth, most, mdp.num_actions):
        rows = mdp.choice_of[states, label]
        name = rows.tobytes()
        if name not in known:
            known[name] = start_return(mdp, rows)
        best = max(best, known[name])
    return best


def start_return(mdp: MDP, rows: np.ndarray) -> float:
    """Of the policy that takes these rows, from the start."""
    value, begun = policy_values(mdp, rows), mdp.initial > 0
    return float(value[begun] @ mdp.initial[begun])


def random_model(rng: np.random.Generator, kind: str, missing: str, rare: float = 0.0) -> MDP | None:
    """Few next states, few ends, many free loops; `rare` is a small chance to move. None where the door refuses it."""
    states, actions, features = int(rng.integers(2, 8)), int(rng.integers(2, 4)), int(rng.integers(1, 3))
    transitions = np.zeros((actions, states, states))
    for a, s in itertools.product(range(actions), range(states)):
        targets = rng.choice(states, size=int(rng.integers(1, min(3, states) + 1)), replace=False)
        transitions[a, s, targets] = (
            rng.dirichlet(np.ones(len(targets))) if rng.random() < 0.5 else 1 / len(targets)
        )
        if rare and rng.random() < 0.5:
            transitions[a, s] *= rare
            transitions[a, s, s] += 1 - rare
    ends = np.where(rng.random((states, actions)) < 0.25, rng.choice([0.25, 0.5, 1.0], (states, actions)), 0.0)
    ends[rng.integers(states)] = 1.0
    transitions *= (1.0 - ends.T)[:, :, None]
    goal = rng.random((states, actions)) < 0.6
    reward = {
        "reach": np.where(goal, ends, 0.0),
        "avoid": -np.where(goal, ends, 0.0),
        "cost until the goal": -rng.choice([0.0, 1.0, 2.5], (states, actions), p=[0.4, 0.4, 0.2]),
        "total cost": -rng.choice([0.0, 1.0, 2.5], (states, actions), p=[0.6, 0.2, 0.2]),
        "total reward": np.where(ends > 0, rng.choice([0.0, 1.0, 2.5], (states, actions)), 0.0)
        - rng.choice([0.0, 0.5], (states, actions), p=[0.8, 0.2]),
    }[kind]
    available = rng.random((states, actions)) < 0.8
    available[np.arange(states), rng.integers(0, actions, states)] = True
    initial = np.zeros(states)
    initial[rng.choice(states, size=int(rng.integers(1, min(2, states) + 1)), replace=False)] = 1
    try:
        return build_mdp(
            transitions,
            reward,
            1.0,
            features=rng.integers(0, 4, (states, features)).astype(float),
            initial=initial / initial.sum(),
            ends=ends,
            available=available,
            missing=missing,
            missing_reward=-1.0 if "cost" in kind or kind == "avoid" else 0.0,
            undiscounted=True,
            must_end=kind == "cost until the goal",
        )
    except SpotreeError:
        return None
