"""Candidate splits: every way, and each way once, in which one threshold can part the states that matter."""

import os
from dataclasses import dataclass

import numpy as np

from spotree.axes import Features, Floats, SmallInts, frozen_array


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Candidate splits as parallel arrays, ascending by (feature, threshold)."""

    feature: SmallInts
    threshold: Floats

    def __len__(self) -> int:
        return len(self.feature)


def midpoint(low: Floats, high: Floats) -> Floats:
    """A number that parts neighbouring values, finite even where their difference is not.

    `low < midpoint <= high`, so `<` and `<=` agree with each other on the values themselves (unless it is `high`:
    between neighbouring floats there is no other).
    """
    with np.errstate(over="ignore"):
        step = high - low
    middle = np.where(np.isinf(step), low / 2 + high / 2, low + step / 2)
    return np.where(middle > low, middle, high) + 0.0  # -0 is 0


def row_names(count: int) -> np.ndarray:
    """[row, 2] 128 random bits for each row; the xor over a set of rows names the set.

    They come from the system, so that nobody can make a table for them: two different sets share a name with
    probability 2^-128, whatever the sets are.
    """
    return np.frombuffer(os.urandom(16 * count), np.uint64).reshape(count, 2)


def candidate_splits(features: Features, relevant: np.ndarray | None = None) -> Splits:
    """Midpoints between neighbouring values of relevant rows; splits that part the rows alike are kept once.

    A split and its mirror image (the same two groups with sides exchanged) count as alike: exchanging the children
    of the node makes them equal.

    Parameters
    ----------
    features
        [row, feature].
    relevant
        Mask of the rows that matter, all by default.
    """
    rows = features if relevant is None else features[relevant]
    keys = row_names(len(rows))
    everything = np.bitwise_xor.reduce(keys, axis=0) if len(rows) else np.zeros(2, np.uint64)
    seen: set[bytes] = set()
    found: list[tuple[int, float]] = []
    for feature in range(features.shape[1]):
        order = np.argsort(rows[:, feature], kind="stable")
        values = rows[order, feature]
        first_of_value = np.flatnonzero(np.r_[True, values[1:] > values[:-1]]) if len(rows) else np.zeros(0, int)
        if len(first_of_value) < 2:
            continue
        left_set = np.bitwise_xor.accumulate(np.bitwise_xor.reduceat(keys[order], first_of_value), axis=0)[:-1]
        mirror = left_set ^ everything
        smaller = (left_set[:, 0] <= mirror[:, 0])[:, None]
        identity = np.where(smaller, left_set, mirror)
        distinct = values[first_of_value]
        for row, threshold in zip(identity, midpoint(distinct[:-1], distinct[1:]), strict=True):
            if (key := row.tobytes()) not in seen:
                seen.add(key)
                found.append((feature, float(threshold)))
    return Splits(
        frozen_array([feature for feature, _ in found], np.int32),
        frozen_array([threshold for _, threshold in found], np.float64),
    )
