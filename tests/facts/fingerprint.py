"""What identifies a model in any order of its states: a digest of its pattern, and weighted sums of its numbers.

The digest covers what has no rounding: names, features and which transitions there are. Probabilities and rewards may
differ in the last bit between machines, so no digest is taken of them: each action has the sum of its numbers with
fixed random weights instead, which a change of any single number moves. States are ordered by their features.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from spotree.mdp import MDP

PLACE = Path(__file__).parent / "fingerprints.json"
ROUNDING = 1e-13  # of the sum of sizes
Sums = list[float]  # the weighted sum of some numbers, and the sum of their sizes


@dataclass(frozen=True)
class Arrays:
    """A model as plain arrays: [state, next state] and [state] for each action; rewards of -inf are forbidden."""

    features: np.ndarray
    feature_names: tuple[str, ...]
    transitions: Mapping[str, sp.csr_matrix]
    reward: Mapping[str, np.ndarray]
    initial: np.ndarray


@dataclass(frozen=True)
class Fingerprint:
    """Sizes, the digest of the pattern, and for each action the weighted sums of probabilities and rewards."""

    states: int
    features: int
    transitions: int
    pattern: str
    initial: Sums
    probability: dict[str, Sums]
    reward: dict[str, Sums]

    def differences(self, other: "Fingerprint") -> list[str]:
        """What differs by more than rounding, in words; empty if it is the same model."""
        found = [
            f"{name} {getattr(self, name)}, not {getattr(other, name)}"
            for name in ("states", "features", "transitions", "pattern")
            if getattr(self, name) != getattr(other, name)
        ]
        if set(self.probability) != set(other.probability):
            return [*found, f"actions {sorted(self.probability)}, not {sorted(other.probability)}"]
        pairs = [("initial", self.initial, other.initial)]
        for kind in ("probability", "reward"):
            ours, theirs = getattr(self, kind), getattr(other, kind)
            pairs += [(f"{kind} of {action}", ours[action], theirs[action]) for action in ours]
        return found + [
            f"{what}: sums {one}, not {two}"
            for what, one, two in pairs
            if max(abs(x - y) for x, y in zip(one, two, strict=True)) > ROUNDING * two[1]
        ]


def arrays_of(mdp: MDP) -> Arrays:
    return Arrays(
        features=mdp.features,
        feature_names=mdp.feature_names,
        transitions={action: mdp.transition_matrix(action) for action in mdp.action_names},
        reward={action: mdp.reward[:, number] for number, action in enumerate(mdp.action_names)},
        initial=mdp.initial,
    )


def fingerprint(model: Arrays) -> Fingerprint:
    """The same for every order of states and actions; features must tell the states apart."""
    order = np.lexsort(model.features.T)
    features = model.features[order] + 0.0  # no -0.0
    assert len(np.unique(features, axis=0)) == len(features), "features do not tell the states apart"
    digest = hashlib.sha256(json.dumps([model.feature_names, sorted(model.transitions)]).encode())
    digest.update(features.astype("<f8").tobytes())
    probability, reward, count = {}, {}, 0
    for action in sorted(model.transitions):
        matrix = sp.csr_matrix(model.transitions[action])[order][:, order]
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        paid = np.asarray(model.reward[action], dtype=float)[order]
        digest.update(matrix.indptr.astype("<i8").tobytes() + matrix.indices.astype("<i8").tobytes())
        digest.update(np.isfinite(paid).tobytes())
        count += matrix.nnz
        probability[action], reward[action] = weighted(matrix.data), weighted(paid[np.isfinite(paid)])
    initial = np.asarray(model.initial, dtype=float)[order]
    digest.update((initial > 0).tobytes())
    return Fingerprint(
        *features.shape,
        count,
        digest.hexdigest(),
        weighted(initial),
        {action: probability[action] for action in model.transitions},  # the model's own order
        {action: reward[action] for action in model.transitions},
    )


def weighted(numbers: np.ndarray) -> Sums:
    """Weights come from a stream that NumPy keeps for ever; nothing is rounded while adding up."""
    weights = np.random.RandomState(len(numbers)).random_sample(len(numbers))
    return [math.fsum(weights * numbers), math.fsum(np.abs(numbers))]


def known() -> dict[str, Fingerprint]:
    """The stored fingerprints by the name of the model."""
    document: dict[str, Any] = json.loads(PLACE.read_text())
    return {name: Fingerprint(**entry) for name, entry in document.items()}


def store(found: Mapping[str, Fingerprint]) -> None:
    PLACE.write_text(json.dumps({name: asdict(entry) for name, entry in found.items()}, indent=1) + "\n")
