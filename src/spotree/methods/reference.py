"""Policies that everybody knows, by name: where an improvement step may start."""

import numpy as np

from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.values import Policy, mixture, optimum


def reference_policy(mdp: MDP, name: str) -> Policy:
    """`first`: the first action everywhere; `random`: a uniformly random one; `optimal`: the best policy."""
    first = np.zeros(mdp.num_states, dtype=np.int32)
    if name == "first":
        return first
    if name == "random":
        return mixture(mdp, first, 1.0)
    if name == "optimal":
        return optimum(mdp).actions
    raise InvalidProblemError(f"policy {name!r} is unknown; choose one of first, random, optimal")
