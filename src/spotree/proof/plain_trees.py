"""The checker's own picture of all trees: each set of groups that splits single out, and its tree of least loss."""

from dataclasses import dataclass

import numpy as np

from spotree.axes import Floats
from spotree.proof.plain_model import Mask, PlainModel

MOST_SHARES, MOST_MEMBERS = 5_000_000, 60_000_000
FEW_SIZES, MOST_ENTRIES = 9, 25_000_000  # of tables of sizes x cubes; a few sizes take less than the cubes


class TooManyError(ValueError):
    """Trees of this size are too many to be looked at."""


Item = tuple[int, int]  # an open node of a partial tree: cube, size


@dataclass(frozen=True, slots=True)
class Losses:
    """What trees lose: the best one of a size, and a leaf."""

    each: Floats  # [group, action]
    least: Floats  # [size, cube]
    leaf: Floats  # [action, cube]

    def of(self, items: list[Item]) -> float:
        return float(sum(self.least[size, cube] for cube, size in items))


class Trees:
    """All sets of groups that splits can single out (cubes), numbered; cube 0 holds every group with a choice."""

    def __init__(self, plain: PlainModel, depth: int, max_leaves: int | None) -> None:
        varies = (plain.choice_of != plain.choice_of[:, :1]).any(axis=1)
        self.groups = np.unique(plain.group_of[varies])  # [column] where it matters what the tree says
        self.make_sizes(depth, max_leaves)
        self.make_cubes(plain.features[plain.first_state[self.groups]], depth)
        self.hopeless = np.zeros((plain.num_actions, len(self.inside)), bool)  # leaves no improving tree has

    def make_sizes(self, depth: int, max_leaves: int | None) -> None:
        """Sizes of subtrees, numbered from the single leaf to the whole; shares[size]: sizes of both sides."""
        limit, count = min(max_leaves or 2**depth, 2**depth), 0
        number = {(d, 1): 0 for d in range(depth + 1)}
        self.shares: list[list[tuple[int, int]]] = [[]]
        self.depth_of = [0]
        for d in range(1, depth + 1):
            half = 2 ** (d - 1)
            for k in range(2, min(2**d, limit) + 1) if limit < 2**depth else [2**d]:
                number[d, k] = len(self.shares)
                self.depth_of.append(d)
                left = range(max(1, k - half), min(half, k - 1) + 1)
                self.shares.append([(number[d - 1, i], number[d - 1, k - i]) for i in left])
                count += len(left)
                if count > MOST_SHARES:
                    raise TooManyError(
                        f"trees of depth {depth} and {limit} leaves have too many shapes to check, more than"
                        f" {MOST_SHARES}"
                    )

    def make_cubes(self, features: Floats, depth: int) -> None:
        """Cubes level by level, and every way once in which a split parts a cube."""
        sides = [column < value for column in features.T for value in np.unique(column)[1:]]
        self.inside = [np.ones(len(self.groups), bool)]  # [cube][column]
        self.number = {self.inside[0].tobytes(): 0}
        self.edges: list[list[tuple[int, int]]] = []  # [cube] (left, right)
        level, members = [0], 0
        for cube, here in enumerate(self.inside):  # grows while it is read
            ways: dict[bytes, tuple[int, int]] = {}
            for side in sides if level[cube] < depth else []:
                left, right = here & side, here & ~side
                if not left.any() or not right.any() or right.tobytes() in ways:
                    continue
                for part in (left, right):
                    if self.number.setdefault(part.tobytes(), len(self.inside)) == len(self.inside):
                        self.inside.append(part)
                        members += int(part.sum())
                        if members > MOST_MEMBERS:
                            raise TooManyError("trees of this depth single out too many sets of groups to check")
                        if len(self.shares) > FEW_SIZES and len(self.shares) * len(self.inside) > MOST_ENTRIES:
                            raise TooManyError(
                                f"subtrees of {len(self.shares)} sizes for each of {len(self.inside)} or more sets of"
                                f" groups are more to check than {MOST_ENTRIES}"
                            )
                        level.append(level[cube] + 1)
                ways[left.tobytes()] = self.number[left.tobytes()], self.number[right.tobytes()]
            self.edges.append(list(ways.values()))
        self.member = np.ascontiguousarray(np.array(self.inside).T)  # [column, cube]
        self.weight = self.member.astype(np.float64)
        count = np.array([len(ways) for ways in self.edges])
        self.parting, self.solid = np.flatnonzero(count), np.flatnonzero(count == 0)
        self.left, self.right = np.array([e for ways in self.edges for e in ways], int).reshape(-1, 2).T
        self.owner = np.repeat(np.arange(len(count)), count)
        self.start = np.searchsorted(self.owner, self.parting)
        self.too_deep = np.array(self.depth_of)[:, None] + np.array(level) > depth  # never asked for

    def losses(self, each: Floats) -> Losses:
        """What trees lose for a loss [group, action] each."""
        paying = np.flatnonzero(each[self.groups].any(axis=1))
        leaf = each[self.groups[paying]].T @ self.weight[paying]
        least = np.empty((len(self.shares), len(self.inside)))
        least[:] = np.where(self.hopeless, np.inf, leaf).min(axis=0)
        for size, shares in enumerate(self.shares):
            if size and len(self.parting):
                best = np.min([least[a, self.left] + least[b, self.right] for a, b in shares], axis=0)
                least[size, self.parting] = np.minimum.reduceat(best, self.start)
        least[self.too_deep] = 0.0
        return Losses(each, least, leaf)

    def affordable(self, items: list[Item], budget: float, losses: Losses) -> Mask:
        """[action, cube] whether a tree that grows from the items within the budget has this leaf."""
        least = losses.least
        room = np.full(least.shape, -np.inf)  # [size, cube] the most that may be spent there
        for place, (cube, size) in enumerate(items):
            others = losses.of(items[:place] + items[place + 1 :])
            room[size, cube] = max(room[size, cube], budget - others)
        for size in range(len(self.shares) - 1, 0, -1):
            for a, b in self.shares[size]:
                spare = room[size, self.owner] - (least[a, self.left] + least[b, self.right])
                (live,) = np.nonzero(spare >= 0)
                left, right = self.left[live], self.right[live]
                np.maximum.at(room[a], left, spare[live] + least[a, left])
                np.maximum.at(room[b], right, spare[live] + least[b, right])
            room[0, self.solid] = np.maximum(room[0, self.solid], room[size, self.solid])
        found: Mask = (losses.leaf <= room[0]) & ~self.hopeless
        return found

    def parted(self, left: int, right: int, reached: Mask) -> tuple[bytes, bool]:
        """How a split parts the reached columns: the smaller name of both parts, and whether that is the right one."""
        one, other = ((self.inside[side] & reached).tobytes() for side in (left, right))
        return min(one, other), other < one

    def ways(self, cube: int, reached: Mask) -> dict[bytes, list[tuple[int, int]]]:
        """The partitions of the reached columns of a cube into two, with the splits that make them."""
        found: dict[bytes, list[tuple[int, int]]] = {}
        for left, right in self.edges[cube]:
            if (self.inside[left] & reached).any() and (self.inside[right] & reached).any():
                name, flipped = self.parted(left, right, reached)
                found.setdefault(name, []).append((right, left) if flipped else (left, right))
        return found
