"""Tells one model from another: what files about a model are tied to."""

import hashlib

import numpy as np

from spotree.mdp.model import MDP


def fingerprint(mdp: MDP) -> str:
    """A hash of everything a proof depends on: choices, rewards, start, discount, features, in the order they stand."""
    digest = hashlib.sha256()
    for array in (
        mdp.choice_of,
        mdp.row_start,
        mdp.target,
        mdp.probability,
        mdp.reward_of_choice,
        mdp.initial,
        mdp.features,
    ):
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(mdp.discount).encode())
    if mdp.discount == 1:  # what going on for ever is worth
        digest.update(b"must end" if mdp.must_end else b"may idle")
    return digest.hexdigest()
