"""Permutations of groups that permute features, some of them reversed, and keep colours: candidates for symmetries."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from spotree.proof.symmetry.refinement import Hash, mixed

MOST_STEPS = 20_000  # images of features that are tried
MOST_LEAVES = 300  # candidates
MOST_WORK = 30_000_000  # groups that are looked at in all


class FeatureImages:
    """Iterates over (features, groups): 1 + image of each feature, negative if reversed, and image of each group.

    Features that order the groups alike count as one; where all groups are alike a feature says nothing.
    """

    def __init__(self, rank: np.ndarray, colour: Hash) -> None:
        """`rank` is [group, feature]; all groups differ."""
        self.rank, self.colour, self.num_features, self.work = rank, colour, rank.shape[1], 0
        self.top = self.rank.max(axis=0)
        self.kind = [(f, 1) for f in range(self.num_features)]  # [feature] the first like it; -1: reversed
        first: dict[bytes, int] = {}
        for f in range(self.num_features):
            for sign in (1, -1):
                number = first.get(self.ranks(f, sign).tobytes())
                if number is not None:
                    self.kind[f] = number, sign
                    break
            else:
                first[self.ranks(f, 1).tobytes()] = f
        self.telling = [f for f in first.values() if self.top[f] > 0]
        self.once = cache(self._once)
        self.twice = cache(self._twice)

    def ranks(self, feature: int, sign: int) -> np.ndarray:
        rank: np.ndarray = self.rank[:, feature]
        return rank if sign > 0 else self.top[feature] - rank

    def _spread(self, feature: int, sign: int) -> Hash:
        return mixed(self.ranks(feature, sign).astype(np.uint64))

    def _once(self, feature: int, sign: int) -> int:
        """Colours over the values of a feature."""
        self.work += len(self.colour)
        return int((self._spread(feature, sign) * self.colour).sum(dtype=np.uint64))

    def _twice(self, feature: int, sign: int, other: int, other_sign: int) -> int:
        """Colours over the values of two features."""
        self.work += len(self.colour)
        both = mixed(self._spread(feature, sign) + mixed(self._spread(other, other_sign)))
        return int((both * self.colour).sum(dtype=np.uint64))

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        signed = [(f, sign) for f in self.telling for sign in (1, -1)]
        images = {f: [to for to in signed if self.fits(f, to)] for f in self.telling}
        order = sorted(self.telling, key=lambda f: len(images[f]))
        steps, leaves = 0, 0
        stack = [[to] for to in reversed(images[order[0]])] if order else []
        while stack and self.work < MOST_WORK and steps < MOST_STEPS and leaves < MOST_LEAVES:
            chosen, steps = stack.pop(), steps + 1
            if not self.agrees(order, chosen):
                continue
            if len(chosen) < len(order):
                taken = {to for to, _ in chosen}
                more = [to for to in images[order[len(chosen)]] if to[0] not in taken]
                stack += [[*chosen, to] for to in reversed(more)]
                continue
            leaves += 1
            group = self.groups_under(dict(zip(order, chosen, strict=True)))
            if group is not None and (group != np.arange(len(group))).any():
                yield self.features_under(dict(zip(order, chosen, strict=True))), group

    def fits(self, feature: int, image: tuple[int, int]) -> bool:
        return bool(self.top[feature] == self.top[image[0]]) and self.once(feature, 1) == self.once(*image)

    def agrees(self, order: list[int], chosen: list[tuple[int, int]]) -> bool:
        """Whether the last image goes with those before."""
        last, image = order[len(chosen) - 1], chosen[-1]
        return all(
            self.twice(last, 1, f, 1) == self.twice(*image, *to) for f, to in zip(order, chosen[:-1], strict=False)
        )

    def groups_under(self, image: dict[int, tuple[int, int]]) -> np.ndarray | None:
        """[group] the one whose values are the images of its values; None if there is none."""
        self.work += len(self.colour) * len(image)
        moved = np.stack([self.ranks(f, to[1]) for f, to in image.items()], axis=1)  # has to be at the image
        here = self.rank[:, [to for to, _ in image.values()]]
        one, other = np.lexsort(moved.T), np.lexsort(here.T)
        if (moved[one] != here[other]).any():
            return None
        group = np.empty(len(one), int)
        group[one] = other
        return group

    def features_under(self, image: dict[int, tuple[int, int]]) -> np.ndarray:
        found = np.arange(self.num_features) + 1
        for f, (kind, sign) in enumerate(self.kind):
            if kind in image:
                to, reversed_or_not = image[kind]
                found[f] = sign * reversed_or_not * (to + 1)
        return found
