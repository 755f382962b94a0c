"""Policies that everybody knows, by name: where an improvement step may start."""

import numpy as np

from spotree.errors import InvalidProblemError
from spotree.evaluation import Policy, optimum, uniform
from spotree.mdp.model import MDP


def reference_policy(mdp: MDP, name: str) -> Policy:
    """`first`: the first action everywhere; `random`: a uniformly random one; `optimal`: the best policy."""
    if name == "first":
        return np.zeros(mdp.num_states, dtype=np.int32)
    if name == "random":
        return uniform(mdp)
    if name == "optimal":
        return optimum(mdp).actions
    raise InvalidProblemError(f"policy {name!r} is unknown; choose one of first, random, optimal")
