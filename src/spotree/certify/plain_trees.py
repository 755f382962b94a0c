"""The checker's own picture of all trees: each set of groups that splits single out, and its cheapest tree."""

import numpy as np

from spotree.axes import Floats
from spotree.certify.plain import Mask, Plain


class Trees:
    """All sets of groups that splits can single out (cubes), and the cheapest tree on each."""

    def __init__(self, plain: Plain, depth: int, max_leaves: int | None) -> None:
        varies = (plain.choice_of != plain.choice_of[:, :1]).any(axis=1)
        self.groups = np.unique(plain.group_of[varies])  # where it matters what the tree says
        plain.column[self.groups] = np.arange(len(self.groups))
        self.num_columns = len(self.groups)
        self.make_sizes(depth, max_leaves)
        self.make_cubes(plain, depth)

    def make_sizes(self, depth: int, max_leaves: int | None) -> None:
        """Sizes of subtrees, numbered; `shares[size]` lists the sizes of both sides."""
        limit = min(max_leaves or 2**depth, 2**depth)
        number = {(d, 1): 0 for d in range(depth + 1)}
        self.shares: list[list[tuple[int, int]]] = [[]]
        self.depth_of = [0]
        for d in range(1, depth + 1):
            for k in range(2, min(2**d, limit) + 1) if limit < 2**depth else [2**d]:
                half = 2 ** (d - 1)
                number[d, k] = len(self.shares)
                self.depth_of.append(d)
                self.shares.append(
                    [
                        (number[d - 1, i], number[d - 1, k - i])
                        for i in range(max(1, k - half), min(half, k - 1) + 1)
                    ]
                )
        self.whole = number[depth, limit]

    def make_cubes(self, plain: Plain, depth: int) -> None:
        first = np.unique(plain.group_of, return_index=True)[1][self.groups]
        sides = []
        for column in plain.features[first].T:
            sides += [column < value for value in np.unique(column)[1:]]
        self.inside = [np.ones(self.num_columns, bool)]
        self.number = {self.inside[0].tobytes(): 0}
        self.edges: list[dict[bytes, tuple[int, int]]] = []  # [cube] left set -> (left, right), every way once
        level = [0]
        for cube in range(10**9):
            if cube == len(self.inside):
                break
            here, ways = self.inside[cube], {}
            for side in sides if level[cube] < depth else []:
                left, right = here & side, here & ~side
                if not left.any() or not right.any() or right.tobytes() in ways:
                    continue
                pair = []
                for part in (left, right):
                    key = part.tobytes()
                    if key not in self.number:
                        self.number[key] = len(self.inside)
                        self.inside.append(part)
                        level.append(level[cube] + 1)
                    pair.append(self.number[key])
                ways[left.tobytes()] = (pair[0], pair[1])
            self.edges.append(ways)
        self.level = np.array(level)
        self.matrix = np.array(self.inside, dtype=np.float64)
        self.parting = np.array([c for c, ways in enumerate(self.edges) if ways], dtype=int)
        both = np.array([pair for ways in self.edges for pair in ways.values()], dtype=int).reshape(-1, 2)
        self.left, self.right = both.T
        self.start = np.cumsum([0, *(len(ways) for ways in self.edges if ways)])[:-1]
        self.owner = np.repeat(self.parting, [len(self.edges[c]) for c in self.parting]).astype(int)

    def solve(self, cost: Floats, hopeless: dict[tuple[int, int], bool]) -> tuple[Floats, Floats]:
        """least[cube, size] of any tree, and sums[cube, action] of a leaf."""
        mine = cost[self.groups]
        never = np.isinf(mine)
        sums = self.matrix @ np.where(never, 0.0, mine)
        sums[self.matrix @ never > 0] = np.inf
        leaf = sums.copy()
        if hopeless:
            leaf[tuple(np.array(list(hopeless)).T)] = np.inf
        least = np.zeros((len(self.inside), len(self.shares)))
        least[:, :] = leaf.min(axis=1)[:, None]
        for size, shares in enumerate(self.shares):
            if size and len(self.parting):
                best = np.min([least[self.left, a] + least[self.right, b] for a, b in shares], axis=0)
                least[self.parting, size] = np.minimum.reduceat(best, self.start)
        least[self.level[:, None] + np.array(self.depth_of) > max(self.depth_of)] = 0.0  # too deep: not asked for
        return least, sums

    def supported(
        self,
        items: list[tuple[int, int]],
        budget: float,
        least: Floats,
        sums: Floats,
        hopeless: dict[tuple[int, int], bool],
    ) -> Mask:
        """[column, action] whether a tree within budget takes the action there (outside the items: always)."""
        room = np.full(least.shape, -np.inf)  # most that may be spent on a cube and size
        total = sum(least[item] for item in items)
        outside = np.ones(self.num_columns, bool)
        for item in items:
            room[item] = max(room[item], budget - (total - least[item]))
            outside &= ~self.inside[item[0]]
        for size in range(len(self.shares) - 1, 0, -1):
            for a, b in self.shares[size]:
                with np.errstate(invalid="ignore"):
                    to_left = room[self.owner, size] - least[self.right, b]
                    to_right = room[self.owner, size] - least[self.left, a]
                np.maximum.at(room[:, a], self.left, to_left)
                np.maximum.at(room[:, b], self.right, to_right)
            whole = np.setdiff1d(np.arange(len(room)), self.parting)
            room[whole, 0] = np.maximum(room[whole, 0], room[whole, size])
        cheap = sums <= room[:, :1]
        if hopeless:
            cheap[tuple(np.array(list(hopeless)).T)] = False
        found = self.matrix.T @ cheap > 0
        return found | outside[:, None]

    def partition(self, left: int, right: int, reached: Mask) -> tuple[bytes, bool]:
        """How a split parts the reached groups, and whether its left side is the second one of that name."""
        one, other = ((self.inside[side] & reached).tobytes() for side in (left, right))
        return min(one, other), other < one

    def ways(self, cube: int, reached: Mask) -> dict[bytes, list[tuple[int, int]]]:
        """The partitions of the reached groups of a cube into two, with the splits that make them."""
        found: dict[bytes, list[tuple[int, int]]] = {}
        for left, right in self.edges[cube].values():
            if (self.inside[left] & reached).any() and (self.inside[right] & reached).any():
                key, flipped = self.partition(left, right, reached)
                found.setdefault(key, []).append((right, left) if flipped else (left, right))
        return found
