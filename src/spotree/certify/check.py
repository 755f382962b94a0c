"""Checks a certificate with plain NumPy. The lemmas it stands on are in docs/proof.md.

It shares with the search only the file format (certificate.py, records.py) and the model (mdp); its bounds, its trees
and its evaluation are its own (plain.py, plain_trees.py).

What it assumes: the MDP is the one meant, float64 rounding stays far below the tolerance, and NumPy adds correctly.
What it proves: no tree of the certificate's size has a return above `bound + tolerance`.

"Improving" below means: a return above the incumbent's by more than the tolerance.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from spotree.certify.certificate import Certificate, fingerprint
from spotree.certify.plain import Mask, Plain
from spotree.certify.plain_trees import Item, Prices, Trees
from spotree.certify.records import Record, read_records
from spotree.mdp.model import MDP


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


def check(mdp: MDP, certificate: Certificate, progress: Callable[[int, int], None] | None = None) -> Verdict:
    """Verify a certificate against the model it is about; `progress` gets the regions done and all regions."""
    try:
        proof = _Proof(mdp, certificate, progress)
        proof.verify()
    except _RejectedError as error:
        return Verdict(False, str(error))
    except (KeyError, IndexError, ValueError, TypeError, OverflowError) as error:
        return Verdict(False, f"the certificate is malformed: {type(error).__name__}: {error}")
    return Verdict(True, "every region holds", proof.value, proof.bound, proof.tolerance, len(proof.records))


@dataclass(slots=True)
class _Region:
    """A set of trees while it is checked: allowed actions, open nodes of the partial tree, and its last bounds."""

    allowed: Mask  # [group, action]
    items: list[Item]
    upper: float = np.inf
    prices: Prices | None = None
    reached: Mask = field(default_factory=lambda: np.zeros(0, bool))  # [group]


_Part = tuple[Record, _Region]


class _Proof:
    def __init__(self, mdp: MDP, certificate: Certificate, progress: Callable[[int, int], None] | None) -> None:
        header = certificate.header
        if header["fingerprint"] != fingerprint(mdp):
            raise _RejectedError(
                f"the certificate is about another model ({header['model']}), or this one read with other options;"
                " give the model exactly as it was certified"
            )
        self.depth, self.max_leaves = header["depth"], header["max_leaves"]
        counts = [self.depth + 1, 1 if self.max_leaves is None else self.max_leaves]
        if not all(type(count) is int and count >= 1 for count in counts) or not mdp.discount < 1:
            raise _RejectedError("a proof is about a depth of 0 or more, 1 leaf or more and a discount below 1")
        self.plain = Plain(mdp)
        self.value = self.plain.policy_return(self.plain.tree_actions(header["tree"], self.depth, self.max_leaves))
        self.tolerance, self.bound = float(header["margin"]), float(header["bound"])
        scale = max(abs(self.value), abs(self.bound), float(np.ptp(mdp.reward_of_choice)))
        if not 0 < self.tolerance <= 1e-5 * scale < np.inf:
            raise _RejectedError(f"the tolerance {self.tolerance:g} is not small beside {scale:g}")
        if not abs(self.value - header["value"]) <= self.tolerance:
            raise _RejectedError(f"the tree is worth {self.value:.10g}, not {header['value']:.10g} as stated")
        if not self.bound >= self.value - self.tolerance:
            raise _RejectedError(f"the bound {self.bound:.10g} is below the tree's own return {self.value:.10g}")
        self.improving = self.value + self.tolerance  # trees above this count as better
        self.threshold = max(self.bound, self.value) + self.tolerance  # regions are closed at this bound
        self.group = self.plain.group_of[header["group_state"]]  # [name in the certificate]
        first = self.plain.features[self.plain.first_state]
        self.goes_left = [  # [split][group]
            first[:, f] < t for f, t in zip(header["split_feature"], header["split_threshold"], strict=True)
        ]
        self.root_value = np.full(mdp.num_states, float(mdp.reward_of_choice.max(initial=0.0)) / (1 - mdp.discount))
        self.floor = np.zeros(mdp.num_states)  # visits that every improving tree pays to a state
        self.records = read_records(certificate, mdp.num_states)
        self.children: dict[int, dict[tuple[int, int], Record]] = {}
        for record in self.records.values():
            if record.parent >= 0:
                self.children.setdefault(record.parent, {})[record.first, record.second] = record
        self.progress = progress or (lambda done, total: None)

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

    def verify(self) -> None:
        """Every tree is in a closed region. Parts are smaller than their whole, so no proof leans on itself."""
        root, *more = (record for record in self.records.values() if record.parent == -1)
        if more:
            raise _RejectedError("there must be one root region")
        region = _Region(np.ones((self.plain.num_groups, self.plain.num_actions), bool), [(0, -1)])
        if self.closes(root, region, root=True):
            return
        for record in self.records.values():
            if record.parent == -2:
                self.check_hopeless(record, region)
        if region.prices is not None:
            region.prices = self.trees.price(region.prices.cost)
            if region.upper - region.prices.of(region.items) <= self.threshold:
                return
        known: set[tuple[bytes, tuple[Item, ...]]] = set()
        stack = [(root, region)]
        while stack:
            self.progress(len(known), len(self.records))
            for record, part in self.parts(*stack.pop()):
                key = part.allowed.tobytes(), tuple(sorted(part.items))
                if key in known:  # lemma 8: equal regions need one proof
                    continue
                known.add(key)
                if record.branching[0] == 6:  # it stands elsewhere
                    record = self.records[record.branching[1]]
                if not self.closes(record, part):
                    stack.append((record, part))
        self.progress(len(self.records), len(self.records))

    def closes(self, record: Record, region: _Region, root: bool = False) -> bool:
        """Apply the rounds of a record to a region; whether no improving tree is left in it."""
        plain, number = self.plain, record.number
        for entry in record.rounds:
            world = plain.restrict(region.allowed)
            if world is None:
                return True
            own_value = entry.value
            if own_value is None:
                own_value = plain.own_value(world, self.root_value, self.threshold, 0.01 * self.tolerance)
            elif root:
                self.root_value = own_value
            region.upper, regret = plain.bound(world, own_value)
            region.reached, region.prices = world.groups, None
            if region.upper <= self.threshold:
                return True
            for state, scale, value in entry.floors:
                if not (root and scale >= 0 and 0 <= state < plain.num_states):
                    raise _RejectedError(f"region {number}: floors belong to the root; scales are 0 or more")
                level = scale * self.improving - plain.floor_bound(world, value, scale, state)
                self.floor[state] = max(self.floor[state], level)
            if not entry.regret:
                continue
            visits = plain.own_visits(world, self.floor) if entry.visits is None else entry.visits
            visits = np.where(world.states, visits, 0.0)
            slack = regret.max(initial=0.0) * plain.excess_visits(world, visits, self.floor)
            if visits.min() < 0 or not slack <= 0.1 * self.tolerance:
                raise _RejectedError(f"region {number}: the visits are higher than every tree must pay")
            region.upper += slack
            budget = region.upper - self.improving
            cost = plain.costs(world, region.allowed, visits, regret, never=2 * budget)
            region.prices = self.trees.price(cost)
            if region.upper - region.prices.of(region.items) <= self.threshold:
                return True
            if entry.removed:
                region.allowed = self.filtered(number, region, region.prices, entry.removed, budget)
        return plain.restrict(region.allowed) is None

    def filtered(self, number: int, region: _Region, prices: Prices, removed: list[int], budget: float) -> Mask:
        """Lemma 5: the allowed actions without those that no improving tree takes."""
        trees, allowed = self.trees, region.allowed.copy()
        leaves = trees.affordable(region.items, budget, prices)
        free = np.any([trees.inside[cube] for cube, _ in region.items], axis=0) & region.reached[trees.groups]
        names, actions = np.divmod(removed, self.plain.num_actions)
        groups = self.group[names]
        for action in np.unique(actions):
            mine = groups[actions == action]
            columns = np.searchsorted(trees.groups, mine)
            taken = ~free[columns] | (trees.member[columns] & leaves[action]).any(axis=1)
            if taken.any() or (trees.groups[columns] != mine).any():
                raise _RejectedError(f"region {number}: an improving tree may take action {action} it removed")
            allowed[mine, action] = False
        return allowed

    def check_hopeless(self, record: Record, root: _Region) -> None:
        """Lemma 6: the root region with this one leaf is closed."""
        trees, action = self.trees, record.first
        inside = np.ones(len(trees.groups), bool)
        for step in record.branching[1:]:
            inside &= self.goes_left[step // 2][trees.groups] ^ (step % 2 == 1)
        allowed = self.only(root.allowed, trees.groups[inside], action)
        if record.branching[0] != 4 or not self.closes(record, _Region(allowed, [(0, -1)])):
            raise _RejectedError(f"region {record.number}: the leaf is not shown to be hopeless")
        trees.hopeless[action, trees.number[inside.tobytes()]] = True

    def only(self, allowed: Mask, groups: np.ndarray, action: int) -> Mask:
        """Allowed actions when some groups take one action."""
        if not 0 <= action < self.plain.num_actions:
            raise _RejectedError(f"there is no action {action}")
        fixed = allowed.copy()
        fixed[groups] = False
        fixed[groups, action] = allowed[groups, action]
        return fixed

    def parts(self, record: Record, region: _Region) -> list[_Part]:
        """The parts of a region that is not closed; raises unless they cover it."""
        kind, *rest = record.branching
        if kind == 1:
            return self.parts_by_group(record.number, region, self.group[rest[0]], rest[2 : 2 + rest[1]])
        if kind not in (2, 3) or region.prices is None:
            raise _RejectedError(f"region {record.number} is neither closed nor parted")
        inside, reached = self.trees.inside, region.reached[self.trees.groups]
        items = [item for item in region.items if (inside[item[0]] & reached).any()]
        items.sort(key=lambda item: self.order[self.trees.groups[inside[item[0]]]].min())
        item = items.pop(rest[0])
        elsewhere = region.upper - region.prices.of(items)
        by = self.parts_by_split if kind == 2 else self.parts_by_action
        return by(record.number, replace(region, items=items), region.prices, item, reached, elsewhere)

    def parts_by_group(self, number: int, region: _Region, group: int, actions: list[int]) -> list[_Part]:
        """What one group of states does: these actions or the others, some of each."""
        these, parts = np.isin(np.arange(self.plain.num_actions), actions), []
        for side, keep in ((0, these), (1, ~these)):
            allowed = region.allowed.copy()
            allowed[group] &= keep
            if not allowed[group].any() or (side, 0) not in self.children.get(number, {}):
                raise _RejectedError(f"region {number} is neither closed nor parted in two")
            parts.append((self.children[number][side, 0], _Region(allowed, region.items)))
        return parts

    def parts_by_split(
        self, number: int, region: _Region, prices: Prices, item: Item, reached: Mask, elsewhere: float
    ) -> list[_Part]:
        """Every way to split a node is listed, or costs too much, or parts the reached groups as another does."""
        trees, (cube, size) = self.trees, item
        listed: dict[tuple[bytes, tuple[int, int]], _Part] = {}
        for (split, share), child in self.children.get(number, {}).items():
            side = self.goes_left[split][trees.groups]
            left, right = (trees.number[(trees.inside[cube] & half).tobytes()] for half in (side, ~side))
            name, flipped = trees.parted(left, right, reached)
            a, b = trees.shares[size][share]
            part = replace(region, items=[*region.items, (left, a), (right, b)])
            listed[name, (b, a) if flipped else (a, b)] = child, part
        ways, parts = trees.ways(cube, reached), []
        if not ways or not trees.shares[size]:
            raise _RejectedError(f"region {number}: there is nothing to split")
        for name, edges in ways.items():
            for a, b in trees.shares[size]:
                least = max(prices.least[a, left] + prices.least[b, right] for left, right in edges)
                if elsewhere - least <= self.threshold:
                    continue
                if (name, (a, b)) not in listed:
                    raise _RejectedError(f"region {number}: a way to split is missing")
                parts.append(listed[name, (a, b)])
        return parts

    def parts_by_action(
        self, number: int, region: _Region, prices: Prices, item: Item, reached: Mask, elsewhere: float
    ) -> list[_Part]:
        """Every action of a leaf is listed, or costs too much, or is hopeless, or does what another one does."""
        trees, (cube, size) = self.trees, item
        if trees.shares[size] and trees.ways(cube, reached):
            raise _RejectedError(f"region {number}: the node can still be split")
        groups, listed = trees.groups[trees.inside[cube] & reached], self.children.get(number, {})
        parts: list[_Part] = []
        done: list[int] = []
        for a in np.flatnonzero(region.allowed[groups].all(axis=0)).tolist():
            if elsewhere - prices.leaf[a, cube] <= self.threshold:
                continue
            if (a, 0) in listed:
                parts.append((listed[a, 0], _Region(self.only(region.allowed, groups, a), region.items)))
            elif not trees.hopeless[a, cube] and not any(self.plain.alike(groups, a, b) for b in done):
                raise _RejectedError(f"region {number}: action {a} of a leaf is missing")
            done.append(a)
        return parts
