"""Checks a certificate with plain NumPy; shares no code with the search that wrote it. Lemmas: docs/proof.md.

What it assumes: the MDP is the one meant, float64 rounding stays far below the tolerance, and NumPy adds correctly.
What it proves: no tree of the certificate's size has a return above `bound + tolerance`.

"Improving" below means: a return above the incumbent's by more than the tolerance.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spotree.axes import Floats
from spotree.certify.certificate import Certificate, fingerprint
from spotree.certify.plain import Plain
from spotree.certify.plain_trees import Trees
from spotree.mdp.model import MDP

Mask = np.ndarray
_Item = tuple[int, int]  # an open node: cube, size
_Children = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the proof holds, and what it says."""

    accepted: bool
    reason: str
    value: float = np.nan
    bound: float = np.nan
    tolerance: float = np.nan
    regions: int = 0


class _RejectedError(Exception):
    """The first thing in the certificate that proves nothing."""


def check(mdp: MDP, certificate: Certificate) -> Verdict:
    """Verify a certificate against the model it is about."""
    try:
        proof = _Proof(mdp, certificate)
        proof.verify()
    except _RejectedError as error:
        return Verdict(False, str(error))
    except (KeyError, IndexError, ValueError, TypeError, OverflowError) as error:
        return Verdict(False, f"the certificate is malformed: {type(error).__name__}: {error}")
    return Verdict(True, "every region holds", proof.value, proof.bound, proof.tolerance, len(proof.records))


@dataclass(slots=True)
class _Record:
    parent: int
    first: int
    second: int
    rounds: list[dict[str, Any]]
    branching: list[int]


@dataclass(slots=True)
class _State:
    """A region while it is checked: allowed actions, open nodes of the partial tree, and its last bounds."""

    allowed: Mask  # [group, action]
    items: list[_Item]
    upper: float = np.inf
    least: Floats = field(default_factory=lambda: np.zeros(0))  # [cube, size]
    cost: Floats = field(default_factory=lambda: np.zeros(0))  # [group, action]
    sums: Floats = field(default_factory=lambda: np.zeros(0))  # [cube, action]
    reached: Mask = field(default_factory=lambda: np.zeros(0, bool))  # [group]


class _Proof:
    def __init__(self, mdp: MDP, certificate: Certificate) -> None:
        header = certificate.header
        if header["fingerprint"] != fingerprint(mdp):
            raise _RejectedError(f"the certificate is about another model ({header['model']!r})")
        self.plain = Plain(mdp)
        self.value = self.plain.tree_return(header["tree"], int(header["depth"]), header["max_leaves"])
        self.tolerance, self.bound = float(header["margin"]), float(header["bound"])
        scale = max(abs(self.value), abs(self.bound), self.plain.spread())
        if not 0 < self.tolerance <= 1e-5 * scale:
            raise _RejectedError(f"the tolerance {self.tolerance:g} is not small beside {scale:g}")
        if abs(self.value - header["value"]) > self.tolerance:
            raise _RejectedError(
                f"the tree is worth {self.value:.10g}, the certificate says {header['value']:.10g}"
            )
        if not self.bound >= self.value - self.tolerance:
            raise _RejectedError(f"the bound {self.bound:.10g} is below the tree's own return {self.value:.10g}")
        self.improving = self.value + self.tolerance  # trees above this count as better
        self.threshold = max(self.bound, self.value) + self.tolerance  # regions are closed at this bound
        self.group = [self.plain.group_of[state] for state in header["group_state"]]
        self.rank = np.full(self.plain.num_groups, len(self.group))  # [group] its place in the certificate
        self.rank[self.group] = np.arange(len(self.group))
        self.split = self.plain.sides(header["split_feature"], header["split_threshold"])
        self.trees: Trees | None = None
        self.size = int(header["depth"]), header["max_leaves"]
        self.floor = np.zeros(mdp.num_states)
        self.hopeless: dict[tuple[int, int], bool] = {}
        self.known: set[tuple[bytes, tuple[_Item, ...]]] = set()  # regions that are proved or on the stack
        self.records = self.parse(certificate.words, certificate.numbers)

    def parse(self, words: np.ndarray, numbers: Floats) -> dict[int, _Record]:
        records: dict[int, _Record] = {}
        at = taken = 0
        n = self.plain.num_states

        def take(count: int) -> Floats:
            nonlocal taken
            taken += count
            if taken > len(numbers) or not np.isfinite(numbers[taken - count : taken]).all():
                raise _RejectedError("the stream of numbers ends early or holds no numbers")
            return numbers[taken - count : taken]

        while at < len(words):
            length, number, parent, first, second, rounds = (int(w) for w in words[at : at + 6])
            place, end, read = at + 6, at + length, []
            take(1)  # the bound the search had, for resuming; the checker finds its own
            for _ in range(rounds):
                regret, floors, removed = (int(w) for w in words[place : place + 3])
                states = words[place + 3 : place + 3 + floors].tolist()
                pairs = words[place + 3 + floors : place + 3 + floors + removed].tolist()
                place += 3 + floors + removed
                entry: dict[str, Any] = {"value": take(n), "removed": pairs}
                entry["floors"] = [(state, float(take(2)[0]), take(n)) for state in states]
                entry["visits"] = take(n) if regret else None
                read.append(entry)
            if length < 7 or place >= end or number in records:
                raise _RejectedError(f"region {number} is malformed")
            records[number] = _Record(parent, first, second, read, words[place:end].tolist())
            at = end
        return records

    def verify(self) -> None:
        children: dict[int, list[int]] = {}
        for number, record in self.records.items():
            children.setdefault(record.parent, []).append(number)
        if len(children.get(-1, [])) != 1:
            raise _RejectedError("there must be one root region")
        root = children[-1][0]
        start = _State(np.ones((self.plain.num_groups, self.plain.num_actions), bool), [(0, -1)])
        closed = self.rounds(root, start, whole=True)
        if closed:
            return
        for number in children.get(-2, []):
            self.check_solo(number, start)
        if start.least.size:
            start.least, start.sums = self.the_trees().solve(start.cost, self.hopeless)
            if start.upper - sum(start.least[item] for item in start.items) <= self.threshold:
                return
        stack = [(root, start)]
        while stack:
            number, state = stack.pop()
            for child, part in self.branch(number, state, children.get(number, [])):
                while self.records[child].branching[0] == 6:  # the proof of an equal region stands elsewhere
                    child = self.records[child].branching[1]
                key = part.allowed.tobytes(), tuple(sorted(part.items))
                if key not in self.known and not self.rounds(child, part):
                    stack.append((child, part))
                self.known.add(key)

    def rounds(self, number: int, state: _State, whole: bool = False) -> bool:
        """Apply a region's rounds; whether they close it."""
        record = self.records[number]
        for entry in record.rounds:
            world = self.plain.restrict(state.allowed)
            if world is None:
                return True
            upper, regret = self.plain.bound(world, entry["value"])
            if upper <= self.threshold:
                return True
            state.upper, state.reached, state.least = upper, world.groups, np.zeros(0)
            for where, scale, value in entry["floors"]:
                if not whole or not scale >= 0:
                    raise _RejectedError(
                        f"region {number}: floors belong to the root and have a scale of 0 or more"
                    )
                level = scale * self.improving - self.plain.floor_bound(world, value, scale, where)
                self.floor[where] = max(self.floor[where], level)
            if entry["visits"] is None:
                continue
            visits = self.plain.checked_visits(world, entry["visits"], self.floor)
            if visits is None or np.ptp(regret) * visits[1] > 0.1 * self.tolerance * (1 - self.plain.discount):
                raise _RejectedError(f"region {number}: the visits are higher than every tree must pay")
            trees = self.the_trees()
            cost = self.plain.costs(world, state.allowed, visits[0], regret)
            state.items = [(cube, trees.whole if size < 0 else size) for cube, size in state.items]
            state.cost = cost
            state.least, state.sums = trees.solve(cost, self.hopeless)
            least = sum(state.least[item] for item in state.items)
            if upper - least <= self.threshold:
                return True
            if entry["removed"]:
                budget = upper - self.improving
                supported = trees.supported(state.items, budget, state.least, state.sums, self.hopeless)
                state.allowed = state.allowed.copy()
                for pair in entry["removed"]:
                    g, a = self.group[pair // self.plain.num_actions], pair % self.plain.num_actions
                    if not world.groups[g] or self.plain.column[g] < 0 or supported[self.plain.column[g], a]:
                        raise _RejectedError(
                            f"region {number}: action {a} of group {g} may be taken by an improving tree"
                        )
                    state.allowed[g, a] = False
        return self.plain.restrict(state.allowed) is None

    def the_trees(self) -> Trees:
        if self.trees is None:
            self.trees = Trees(self.plain, *self.size)
        return self.trees

    def check_solo(self, number: int, root: _State) -> None:
        """A leaf that no improving tree has: the root region with that leaf alone is closed."""
        record, trees = self.records[number], self.the_trees()
        inside = np.ones(trees.num_columns, bool)
        for step in record.branching[1:]:
            side = self.split[step // 2][trees.groups]
            inside &= ~side if step % 2 else side
        cube, action = trees.number[inside.tobytes()], record.first
        allowed = root.allowed.copy()
        allowed[np.ix_(trees.groups[inside], np.arange(self.plain.num_actions) != action)] = False
        if not self.rounds(number, _State(allowed, [(0, trees.whole)])):
            raise _RejectedError(f"region {number}: the leaf is not shown to be hopeless")
        self.hopeless[cube, action] = True

    def branch(self, number: int, state: _State, children: list[int]) -> list[tuple[int, _State]]:
        """The parts of a region; raises unless they cover it."""
        kind, *rest = self.records[number].branching
        found = {(self.records[c].first, self.records[c].second): c for c in children}
        if kind == 1:
            group, same = self.group[rest[0]], np.zeros(self.plain.num_actions, bool)
            same[rest[2 : 2 + rest[1]]] = True
            if any((side, 0) not in found for side in (0, 1)):
                raise _RejectedError(f"region {number} is neither closed nor parted in two")
            parts = []
            for side, keep in ((0, same), (1, ~same)):
                allowed = state.allowed.copy()
                allowed[group] &= keep
                parts.append((found[side, 0], _State(allowed, list(state.items))))
            return parts
        if kind not in (2, 3) or state.least.size == 0:
            raise _RejectedError(f"region {number} is neither closed nor parted")
        trees = self.the_trees()
        reached = state.reached[trees.groups]
        items = [item for item in state.items if (trees.inside[item[0]] & reached).any()]
        items.sort(key=lambda item: self.rank[trees.groups[trees.inside[item[0]]]].min())
        cube, size = items.pop(rest[0])
        elsewhere = state.upper - sum(state.least[item] for item in items)
        if kind == 2:
            return self.branch_on_split(number, state, (cube, size), items, elsewhere, found)
        return self.branch_on_action(number, state, (cube, size), items, elsewhere, found)

    def branch_on_split(
        self, number: int, state: _State, item: _Item, items: list[_Item], elsewhere: float, found: _Children
    ) -> list[tuple[int, _State]]:
        """Every way to split a node is listed, or costs too much, or parts the reached groups as another does."""
        trees = self.the_trees()
        reached = state.reached[trees.groups]
        shares = trees.shares[item[1]]
        listed: dict[tuple[bytes, tuple[int, int]], tuple[int, list[_Item]]] = {}
        for (split, share), child in found.items():
            side = self.split[split][trees.groups]
            left, right = (trees.number[(trees.inside[item[0]] & half).tobytes()] for half in (side, ~side))
            key, flipped = trees.partition(left, right, reached)
            a, b = shares[share]
            listed[key, (b, a) if flipped else (a, b)] = child, [(left, a), (right, b)]
        ways, parts = trees.ways(item[0], reached), []
        for key, edges in ways.items():
            for a, b in shares:
                if any(elsewhere - state.least[i, a] - state.least[j, b] <= self.threshold for i, j in edges):
                    continue
                if (key, (a, b)) not in listed:
                    raise _RejectedError(f"region {number}: a way to split is missing")
                child, both = listed[key, (a, b)]
                parts.append((child, replace(state, items=[*items, *both])))
        if not ways:
            raise _RejectedError(f"region {number}: there is nothing to split")
        return parts

    def branch_on_action(
        self, number: int, state: _State, item: _Item, items: list[_Item], elsewhere: float, found: _Children
    ) -> list[tuple[int, _State]]:
        """Every action of a leaf is listed, or costs too much, or is hopeless, or does what another one does."""
        trees = self.the_trees()
        cube, size = item
        reached = state.reached[trees.groups]
        if trees.shares[size] and trees.ways(cube, reached):
            raise _RejectedError(f"region {number}: the node can still be split")
        groups = trees.groups[trees.inside[cube] & reached]
        parts: list[tuple[int, _State]] = []
        done: list[int] = []
        for a in range(self.plain.num_actions):
            if not state.allowed[groups, a].all() or elsewhere - state.sums[cube, a] <= self.threshold:
                continue
            if (a, 0) in found:
                allowed = state.allowed.copy()
                allowed[np.ix_(groups, np.arange(self.plain.num_actions) != a)] = False
                parts.append((found[a, 0], _State(allowed, items)))
            elif (cube, a) not in self.hopeless and not any(self.plain.alike(groups, a, b) for b in done):
                raise _RejectedError(f"region {number}: action {a} of a leaf is missing")
            done.append(a)
        return parts
