"""Random MDPs of all kinds: the material of the tests of values."""

import numpy as np
from hypothesis import strategies as st

from spotree.mdp import build_mdp


@st.composite
def mdps(draw, most_states=12, missing=("random", "end", "stay", "forbid"), discounts=(0.0, 0.5, 0.99)):
    """A small MDP with unavailable actions, and the generator that made it."""
    size, actions = draw(st.integers(1, most_states)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    transitions = rng.random((actions, size, size)) * (rng.random((actions, size, size)) < 0.4)
    transitions += 1e-3 * np.eye(size)
    transitions /= transitions.sum(axis=2, keepdims=True)
    available = rng.random((size, actions)) < 0.7
    available[np.arange(size), rng.integers(0, actions, size)] = True
    initial = rng.random(size) * (rng.random(size) < 0.5)
    initial[rng.integers(size)] += 1.0
    mdp = build_mdp(
        transitions,
        rng.normal(size=(size, actions)),
        draw(st.sampled_from(discounts)),
        initial=initial / initial.sum(),
        available=available,
        missing=draw(st.sampled_from(missing)),
    )
    return mdp, rng
