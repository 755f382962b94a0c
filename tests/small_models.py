"""Small random models for tests: they fit in the head, or in a hand; and how to tell whether two are the same."""

from typing import Any

import numpy as np

from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP, Missing


def random_mdp(
    rng: np.random.Generator,
    states: int,
    actions: int,
    features: int = 1,
    discount: float = 0.9,
    missing: Missing = "random",
    offered: float = 1.0,
) -> MDP:
    """Random transitions, rewards and integer features; each action is offered in a state with that probability."""
    transitions = rng.dirichlet(np.full(states, 0.3), size=(actions, states))
    available = rng.random((states, actions)) < offered
    available[np.arange(states), rng.integers(actions, size=states)] = True
    return build_mdp(
        transitions=transitions,
        reward=rng.normal(size=(states, actions)),
        discount=discount,
        features=np.arange(states)[:, None] if features == 1 else rng.integers(0, 3, size=(states, features)),
        available=available,
        missing=missing,
    )


def differences(one: MDP, other: MDP) -> list[str]:
    """The fields in which two models differ in a single bit; where they were read from does not count."""

    def bits(value: Any) -> Any:
        return (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value

    names = [name for name in MDP.__slots__ if name != "source"]
    return [name for name in names if bits(getattr(one, name)) != bits(getattr(other, name))]
