"""All that a tree can see of a feature matrix: which rows are alike, and how a feature's values are ordered."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from spotree import _core
from spotree.common.arrays import Features, Floats, Ints, SmallInts, frozen_array

SHALLOW = 8  # splits on a path: so many cost nothing, whether they are of use or not


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Rows with equal features are one group, numbered in order of first appearance unless it is `sorted`.

    Attributes
    ----------
    values
        [feature] the values that occur, ascending; -0.0 is 0.0.
    rank
        [group, feature] position of the group's value among those that occur.
    group_of
        [row] the row's group, -1 if it was not taken.
    first
        [group] its first row.
    """

    values: tuple[Floats, ...]
    rank: SmallInts
    group_of: SmallInts
    first: SmallInts

    @property
    def num_values(self) -> SmallInts:
        return frozen_array([len(values) for values in self.values], np.int32)

    def take(self, groups: Ints) -> Self:
        """These groups alone, in this order, and their values alone."""
        number = np.full(len(self.first) + 1, -1, np.int32)  # the last one is for rows without a group
        number[groups] = np.arange(len(groups))
        values, rank = [], self.rank[groups]
        for feature, column in enumerate(self.values):
            occurs = np.zeros(len(column), dtype=bool)
            occurs[rank[:, feature]] = True
            values.append(column[occurs])
            rank[:, feature] = (np.cumsum(occurs) - 1)[rank[:, feature]]
        return replace(
            self, values=tuple(values), rank=rank, group_of=number[self.group_of], first=self.first[groups]
        )

    def sorted(self, groups: Ints | None = None) -> Self:
        """These groups, or all, numbered by their ranks, the first feature counting most."""
        chosen = np.arange(len(self.first)) if groups is None else groups
        return self.take(chosen[np.lexsort(self.rank[chosen].T[::-1])] if self.values else chosen)


def useful_depth(depth: int, features: Features) -> int:
    """The depth, or the most that trees on these rows can use if that is less: each split of a path parts off one."""
    return depth if depth <= SHALLOW else min(depth, max(len(rank_rows(features).first) - 1, 0))


def rank_rows(features: Features) -> Ranks:
    """The ranks of the rows of [row, feature], which holds no nan."""
    found = _core.Ranks(np.ascontiguousarray(features, dtype=np.float64))
    if not found.finished:
        raise KeyboardInterrupt
    first = found.first
    rank = found.rank.reshape(features.shape[1], len(first)).T
    return Ranks(tuple(found.values), np.ascontiguousarray(rank), found.group_of, first)
