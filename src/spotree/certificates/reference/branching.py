"""The parts of a region in a certificate, and that they cover it (lemmas 7 and 8 of docs/proof.md)."""

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from spotree.certificates.records import Record
from spotree.certificates.reference.bounds import Plain
from spotree.certificates.reference.subproblem import Mask
from spotree.certificates.reference.trees import Item, Losses, Trees
from spotree.common.arrays import Floats

NOWHERE = np.zeros(0, bool)


class RejectedError(Exception):
    """The first thing in the certificate that proves nothing."""


@dataclass(slots=True)
class Region:
    """A set of trees while it is checked: allowed actions, open nodes of the partial tree, and its last bounds."""

    allowed: Mask  # [group, action]
    items: list[Item]
    value: Floats  # [state] for lemma 1
    visits: Floats  # [state] for lemma 3
    upper: float = np.inf
    losses: Losses | None = None
    states: Mask = field(default_factory=lambda: NOWHERE)  # [state] reached; NOWHERE if no policy is left
    reached: Mask = field(default_factory=lambda: NOWHERE)  # [group] before the last round removed actions

    @property
    def digest(self) -> bytes:
        """What the region is, in few bytes."""
        return hashlib.sha256(self.allowed.tobytes() + repr(sorted(self.items)).encode()).digest()

    def narrowed(self, allowed: Mask) -> "Region":
        """The part with fewer allowed actions, which begins with the whole's value and visits."""
        return Region(allowed, self.items, self.value, self.visits)


Part = tuple[Record, Region]


class Cover:
    """What the certificate's words mean: names of groups and splits, and which region is a part of which."""

    def __init__(self, plain: Plain, header: dict[str, Any], records: dict[int, Record], threshold: float) -> None:
        self.plain, self.threshold = plain, threshold
        self.depth, self.max_leaves = header["depth"], header["max_leaves"]
        self.group = plain.group_of[header["group_state"]]  # [name in the certificate]
        first = plain.features[plain.first_state]
        self.goes_left = [  # [split][group]
            first[:, f] < t for f, t in zip(header["split_feature"], header["split_threshold"], strict=True)
        ]
        if not np.isin(self.group, plain.varying).all():
            raise RejectedError("a state is said to name a group, but no choice matters there")
        self.children: dict[int, dict[tuple[int, int], Record]] = {}
        for record in records.values():
            if record.parent >= 0:
                parts = self.children.setdefault(record.parent, {})
                if (record.first, record.second) in parts:
                    raise RejectedError(f"region {record.parent} has one part twice")
                parts[record.first, record.second] = record

    @cached_property
    def trees(self) -> Trees:
        """Only made when a region needs them: deep trees may be too many while bounds alone close the proof."""
        return Trees(self.plain, self.depth, self.max_leaves)

    @cached_property
    def order(self) -> np.ndarray:
        """[group] its place among the names of the certificate."""
        place = np.full(self.plain.num_groups, len(self.group))
        place[self.group] = np.arange(len(self.group))
        return place

    def named(self, name: int) -> int:
        """The group with this name."""
        return int(self.all_named(np.array([name]))[0])

    def all_named(self, names: np.ndarray) -> np.ndarray:
        """The groups with these names."""
        unknown = names[(names < 0) | (names >= len(self.group))]
        if len(unknown):
            raise RejectedError(f"there is no group {unknown[0]}")
        groups: np.ndarray = self.group[names]
        return groups

    def left_of(self, split: int) -> Mask:
        """[group] whether a split sends it left."""
        if not 0 <= split < len(self.goes_left):
            raise RejectedError(f"there is no split {split}")
        left: Mask = self.goes_left[split]
        return left

    def only(self, allowed: Mask, groups: np.ndarray, action: int) -> Mask:
        """Allowed actions when some groups take one action."""
        if not 0 <= action < self.plain.num_actions:
            raise RejectedError(f"there is no action {action}")
        fixed = allowed.copy()
        fixed[groups] = False
        fixed[groups, action] = allowed[groups, action]
        return fixed

    def parts(self, record: Record, region: Region) -> list[Part]:
        """The parts of a region that is not closed; raises unless they cover it."""
        kind, *rest = record.branching
        if kind == 1:
            return self.parts_by_group(record.number, region, self.named(rest[0]), rest[2 : 2 + rest[1]])
        if kind not in (2, 3) or region.losses is None:
            raise RejectedError(f"region {record.number} is neither closed nor parted")
        inside, reached = self.trees.inside, region.reached[self.trees.groups]
        items = [item for item in region.items if (inside[item[0]] & reached).any()]
        items.sort(key=lambda item: self.order[self.trees.groups[inside[item[0]]]].min())
        if not 0 <= rest[0] < len(items):
            raise RejectedError(f"region {record.number} has no open node {rest[0]}")
        item = items.pop(rest[0])
        elsewhere = region.upper - region.losses.of(items)
        by = self.parts_by_split if kind == 2 else self.parts_by_action
        return by(record.number, replace(region, items=items), region.losses, item, reached, elsewhere)

    def parts_by_group(self, number: int, region: Region, group: int, actions: list[int]) -> list[Part]:
        """What one group of states does: these actions or the others, some of each."""
        these, parts = np.isin(np.arange(self.plain.num_actions), actions), []
        for side, keep in ((0, these), (1, ~these)):
            allowed = region.allowed.copy()
            allowed[group] &= keep
            if not allowed[group].any() or (side, 0) not in self.children.get(number, {}):
                raise RejectedError(f"region {number} is neither closed nor parted in two")
            parts.append((self.children[number][side, 0], region.narrowed(allowed)))
        return parts

    def parts_by_split(
        self, number: int, region: Region, losses: Losses, item: Item, reached: Mask, elsewhere: float
    ) -> list[Part]:
        """Every way to split a node is listed, or loses too much, or parts the reached groups as another does."""
        trees, (cube, size) = self.trees, item
        listed: dict[tuple[bytes, tuple[int, int]], Part] = {}
        for (split, share), child in self.children.get(number, {}).items():
            side = self.left_of(split)[trees.groups]
            left, right = (trees.number[(trees.inside[cube] & half).tobytes()] for half in (side, ~side))
            name, flipped = trees.parted(left, right, reached)
            if not 0 <= share < len(trees.shares[size]):
                raise RejectedError(f"region {number} has no share {share} of its leaves")
            a, b = trees.shares[size][share]
            part = replace(region, items=[*region.items, (left, a), (right, b)])
            listed[name, (b, a) if flipped else (a, b)] = child, part
        ways = trees.ways(cube, reached)
        if not ways or not trees.shares[size]:
            raise RejectedError(f"region {number}: there is nothing to split")
        for name, edges in ways.items():
            for a, b in trees.shares[size]:
                least = max(losses.of([(left, a), (right, b)]) for left, right in edges)
                if elsewhere - least > self.threshold and (name, (a, b)) not in listed:
                    raise RejectedError(f"region {number}: a way to split is missing")
        return list(listed.values())

    def parts_by_action(
        self, number: int, region: Region, losses: Losses, item: Item, reached: Mask, elsewhere: float
    ) -> list[Part]:
        """Every action of a leaf is listed, or loses too much, or is hopeless, or does what another one does."""
        trees, (cube, size) = self.trees, item
        if trees.shares[size] and trees.ways(cube, reached):
            raise RejectedError(f"region {number}: the node can still be split")
        groups, listed = trees.groups[trees.inside[cube] & reached], self.children.get(number, {})
        parts: list[Part] = []
        done: list[int] = []
        for a in np.flatnonzero(region.allowed[groups].all(axis=0)).tolist():
            if (a, 0) in listed:
                parts.append((listed[a, 0], region.narrowed(self.only(region.allowed, groups, a))))
            elif elsewhere - losses.of_leaf(a, cube) <= self.threshold:
                continue
            elif not trees.hopeless[a, cube] and not any(self.plain.alike(groups, a, b) for b in done):
                raise RejectedError(f"region {number}: action {a} of a leaf is missing")
            done.append(a)
        return parts
