"""Candidate splits: every way, and each way once, in which one threshold can part the states that matter."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from spotree.common.arrays import Features, Floats, Ints, SmallInts, frozen_array
from spotree.trees.ranks import Ranks, rank_rows

Mask: TypeAlias = NDArray[np.bool_]


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
    """[2, row] 128 random bits for each row; the xor over a set of rows names the set.

    They come from the system, so that nobody can make a table for them: two different sets share a name with
    probability 2^-128, whatever the sets are.
    """
    return np.frombuffer(os.urandom(16 * count), np.uint64).reshape(2, count)


def distinct_cuts(ranks: Ranks, mirrors: bool = True) -> list[Mask]:
    """[feature][k] whether a threshold above value k parts the groups as none before it does.

    With `mirrors`, the same two sides exchanged count as the same: exchanging the children of a node makes them equal.
    """
    names = row_names(len(ranks.first))
    everything = np.bitwise_xor.reduce(names, axis=1)
    seen: set[bytes] = set()
    cuts = []
    for values, rank in zip(ranks.values, ranks.rank.T, strict=True):
        words = np.zeros((2, max(len(values), 1)), dtype=np.uint64)
        for word, half in zip(words, names, strict=True):
            np.bitwise_xor.at(word, rank, half)
        left = np.bitwise_xor.accumulate(words, axis=1).T[:-1]
        mirror = left ^ everything
        identity = np.where(left[:, :1] <= mirror[:, :1], left, mirror) if mirrors else left
        keys = [row.tobytes() for row in identity]
        cuts.append(np.array([key not in seen for key in keys], dtype=bool))  # alike in one column cannot be
        seen.update(keys)
    return cuts


def rank_among(kept: Mask, rank: SmallInts) -> Ints:
    """How many of the kept cuts a rank is above."""
    above: Ints = np.concatenate([[0], np.cumsum(kept)])[rank]
    return above


def splits_at(values: Sequence[Floats], cuts: Sequence[Mask] | None = None) -> Splits:
    """The splits at the midpoints between neighbouring values of each feature, or at those of these cuts."""
    between = [midpoint(column[:-1], column[1:]) for column in values]
    kept = between if cuts is None else [all_of_it[cut] for all_of_it, cut in zip(between, cuts, strict=True)]
    return Splits(
        frozen_array(np.repeat(np.arange(len(kept)), [len(column) for column in kept]), np.int32),
        frozen_array(np.concatenate([*kept, np.zeros(0)]), np.float64),
    )


def candidate_splits(features: Features, relevant: Mask | None = None) -> Splits:
    """Midpoints between neighbouring values of relevant rows; splits that part the rows alike are kept once.

    Parameters
    ----------
    features
        [row, feature].
    relevant
        Mask of the rows that matter, all by default.
    """
    ranks = rank_rows(features if relevant is None else features[relevant])
    return splits_at(ranks.values, distinct_cuts(ranks))
