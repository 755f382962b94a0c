"""The checker's own picture of all trees: each set of groups that splits single out, and its tree of least loss."""

from dataclasses import dataclass

import numpy as np

from spotree.certificates.reference.model import PlainModel
from spotree.certificates.reference.subproblem import Mask
from spotree.common.arrays import Floats

MOST_SHARES, MOST_MEMBERS = 5_000_000, 60_000_000
FEW_SIZES, MOST_ENTRIES = 9, 25_000_000  # of tables of sizes x cubes; a few sizes take less than the cubes
MOST_CELLS = 1_500_000_000  # of the table of groups x cubes, a byte each, which stands twice
MOST_WEIGHTS = 25_000_000  # of its cells are kept as numbers, too

NONE = np.zeros(0, int)


class TooManyError(ValueError):
    """Trees of this size are too many to be looked at."""


Item = tuple[int, int]  # an open node of a partial tree: cube, size


@dataclass(frozen=True, slots=True, eq=False)
class Below:
    """What can grow from open nodes: cubes that trees come to, and the ways to part them, those of a cube together.

    Owner, left and right are places in `cubes`.
    """

    cubes: np.ndarray  # ascending
    edges: np.ndarray  # ascending; all edges of a cube, or none where no node of it can be split
    owner: np.ndarray  # [edge]
    left: np.ndarray  # [edge]
    right: np.ndarray  # [edge]


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """What trees that grow from open nodes lose: the best one of a size, and a leaf."""

    each: Floats  # [group, action]
    below: Below
    least: Floats  # [size, place in below.cubes]
    leaf: Floats  # [action, place in below.cubes]

    def place(self, cube: int) -> int:
        place = int(np.searchsorted(self.below.cubes, cube))
        if self.below.cubes[place] != cube:
            raise IndexError(f"no tree of the region comes to cube {cube}")
        return place

    def of(self, items: list[Item]) -> float:
        return float(sum(self.least[size, self.place(cube)] for cube, size in items))

    def of_leaf(self, action: int, cube: int) -> float:
        return float(self.leaf[action, self.place(cube)])


class Trees:
    """All sets of groups that splits can single out (cubes), numbered; cube 0 holds every group with a choice."""

    def __init__(self, plain: PlainModel, depth: int, max_leaves: int | None) -> None:
        self.groups = plain.varying  # [column]
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
                        if len(self.inside) * len(self.groups) > MOST_CELLS:
                            raise TooManyError(
                                f"{len(self.inside)} or more sets of {len(self.groups)} groups do not fit into memory"
                            )
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
        self.weight = self.member.astype(np.float64) if self.member.size <= MOST_WEIGHTS else None
        count = np.array([len(ways) for ways in self.edges])
        self.solid = count == 0
        self.left, self.right = np.array([e for ways in self.edges for e in ways], int).reshape(-1, 2).T
        self.owner = np.repeat(np.arange(len(count)), count)
        self.first_edge = np.append(0, np.cumsum(count))  # [cube + 1]
        self.grown: dict[tuple[int, int], Below] = {}
        self.too_deep = np.array(self.depth_of)[:, None] + np.array(level) > depth  # never asked for

    def below(self, items: list[Item]) -> Below:
        """What can grow from the items."""
        each = [self.below_one(cube, self.depth_of[size]) for cube, size in items]
        if len(each) == 1:
            return each[0]
        cubes, edges = [b.cubes for b in each], [b.edges for b in each]
        return self.placed(np.unique(np.concatenate([NONE, *cubes])), np.unique(np.concatenate([NONE, *edges])))

    def below_one(self, cube: int, depth: int) -> Below:
        """What can grow from a node of a cube with so many splits in a row."""
        if (cube, depth) not in self.grown:
            cubes, edges = np.array([cube]), NONE
            for _ in range(depth):  # all edges of what was found before
                spans = zip(self.first_edge[cubes], self.first_edge[cubes + 1], strict=True)
                edges = np.concatenate([NONE, *(np.arange(*span) for span in spans)])
                cubes = np.unique(np.concatenate([cubes, self.left[edges], self.right[edges]]))
            self.grown[cube, depth] = self.placed(cubes, edges)
        return self.grown[cube, depth]

    def placed(self, cubes: np.ndarray, edges: np.ndarray) -> Below:
        owner, left, right = (np.searchsorted(cubes, ends[edges]) for ends in (self.owner, self.left, self.right))
        return Below(cubes, edges, owner, left, right)

    def losses(self, each: Floats, items: list[Item]) -> Losses:
        """What trees that grow from the items lose for a loss [group, action] each."""
        below = self.below(items)
        cubes, left, right = below.cubes, below.left, below.right
        paying = np.flatnonzero(self.open(items) & each[self.groups].any(axis=1))
        weight = self.member if self.weight is None else self.weight
        weight = weight[paying] if len(cubes) == len(self.inside) else weight[np.ix_(paying, cubes)]
        leaf = each[self.groups[paying]].T @ weight
        least = np.empty((len(self.shares), len(cubes)))
        least[:] = np.where(self.hopeless[:, cubes], np.inf, leaf).min(axis=0)
        start = np.flatnonzero(np.diff(below.owner, prepend=-1))
        for size, shares in enumerate(self.shares):
            if size and len(start):
                best = np.min([least[a, left] + least[b, right] for a, b in shares], axis=0)
                least[size, below.owner[start]] = np.minimum.reduceat(best, start)
        least[self.too_deep[:, cubes]] = 0.0
        return Losses(each, below, least, leaf)

    def affordable(self, items: list[Item], budget: float, losses: Losses) -> Mask:
        """[action, place in below.cubes] whether a tree that grows from the items within the budget has this leaf."""
        least, below = losses.least, losses.below
        solid = self.solid[below.cubes]
        room = np.full(least.shape, -np.inf)  # [size, place] the most that may be spent there
        for number, (cube, size) in enumerate(items):
            others, place = losses.of(items[:number] + items[number + 1 :]), losses.place(cube)
            room[size, place] = max(room[size, place], budget - others)
        for size in range(len(self.shares) - 1, 0, -1):
            for a, b in self.shares[size]:
                spare = room[size, below.owner] - (least[a, below.left] + least[b, below.right])
                (live,) = np.nonzero(spare >= 0)
                left, right = below.left[live], below.right[live]
                np.maximum.at(room[a], left, spare[live] + least[a, left])
                np.maximum.at(room[b], right, spare[live] + least[b, right])
            room[0, solid] = np.maximum(room[0, solid], room[size, solid])
        found: Mask = (losses.leaf <= room[0]) & ~self.hopeless[:, below.cubes]
        return found

    def open(self, items: list[Item]) -> Mask:
        """[column] whether it is in one of the items."""
        found = np.zeros(len(self.groups), bool)
        for cube, _ in items:
            found |= self.inside[cube]
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
