"""The plain checker: a certificate verified with NumPy. The lemmas it stands on are in docs/proof.md.

It shares with the search only the file format (certificate.py, records.py) and the model (mdp); its bounds, its trees
and its evaluation are its own (cover.py, plain.py, plain_trees.py). "Improving" below means: a return above the
incumbent's by more than the tolerance.
"""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from spotree.certificates.certificate import Certificate
from spotree.certificates.records import Record, read_records
from spotree.certificates.reference.bounds import SHARE, Plain
from spotree.certificates.reference.branching import NOWHERE, Cover, Region, RejectedError
from spotree.certificates.reference.model import LEAST_CHANCE, STEP, TINY, UNIT
from spotree.certificates.reference.occupancy import Visits
from spotree.certificates.reference.subproblem import Mask, World
from spotree.certificates.reference.symmetry import PlainSymmetries
from spotree.certificates.reference.total_reward import PlainUndiscounted
from spotree.certificates.reference.trees import Losses
from spotree.certificates.reference.value_iteration import Sweeps
from spotree.mdp.model import MDP

ROUNDED = 1e-12  # what dividing by a sum may leave above 1
MOST, LEAST = 1e100, 1e-200  # no return, no tolerance is beyond
MOST_REGIONS, MOST_ENTRIES = 512, 4_000_000  # that are swept side by side
MOST_LOSSES = 50_000_000  # numbers in the tables of regions that are side by side
Check = Generator[Sweeps | Visits, Any, bool]  # is told the values after them, the visits


class PlainProof:
    """What a certificate says about a model, which has the same fingerprint; `verify` raises unless it holds."""

    def __init__(self, mdp: MDP, certificate: Certificate, progress: Callable[[int, int], None]) -> None:
        header = certificate.header
        self.depth, self.max_leaves = header["depth"], header["max_leaves"]
        self.plain = Plain(mdp) if mdp.discount < 1 else PlainUndiscounted(mdp)
        self.check_sums()
        actions = self.plain.tree_actions(header["tree"], self.depth, self.max_leaves)
        self.value, off = self.plain.policy_return(actions)
        self.tolerance, self.bound = float(header["margin"]), float(header["bound"])
        widest = self.plain.widest(self.value, self.bound)
        if not 0 < self.tolerance <= widest:
            raise RejectedError(
                f"the tolerance {self.tolerance:g} is not small: returns differ by {widest:g} at most"
            )
        if self.plain.largest > 0 and not self.tolerance >= LEAST:
            raise RejectedError(f"the tolerance {self.tolerance:g} is too small to be added up")
        if not off <= SHARE * self.tolerance:
            raise RejectedError(
                f"rounding may move a return by {off:.1e} with discount {mdp.discount!r}, more than a tenth of the"
                f" tolerance {self.tolerance:.1e}; certify with a larger tolerance"
            )
        near = self.tolerance + self.plain.unlike(self.value)
        if not abs(self.value - header["value"]) <= near:
            raise RejectedError(f"the tree is worth {self.value:.10g}, not {header['value']:.10g} as stated")
        if not np.isfinite(self.bound):
            raise RejectedError(f"the bound is {self.bound}, which says nothing")
        if not self.bound >= self.value - near:
            raise RejectedError(f"the bound {self.bound:.10g} is below the tree's own return {self.value:.10g}")
        self.bound = max(self.bound, self.value)
        self.symmetries = PlainSymmetries(mdp, self.plain, header, self.tolerance)
        self.threshold = self.bound + self.tolerance - self.symmetries.off  # a tree above this is to be ruled out
        self.floor = np.zeros(mdp.num_states)  # visits that every tree above the threshold pays to a state
        self.records = read_records(certificate, mdp.num_states)
        self.cover = Cover(self.plain, header, self.records, self.threshold)
        self.progress = progress
        self.most_together = max(1, min(MOST_REGIONS, MOST_ENTRIES // max(1, len(mdp.target))))

    def check_sums(self) -> None:
        """The lemmas assume that no row's probabilities sum to more than 1; what rounding adds counts as discount."""
        above, row = self.plain.above, self.plain.most_above
        if above > ROUNDED:
            raise RejectedError(
                f"the probabilities of a choice of state {self.plain.state_of_row[row]} sum to 1 + {above:.1e};"
                " a proof needs a model whose rows sum to 1 or less: divide them by their sum"
            )
        if not self.plain.least_chance() >= LEAST_CHANCE:
            raise RejectedError(
                f"a probability, discounted, is {self.plain.least_chance():.1e}: too small to reckon with"
            )
        if not self.plain.far > 0:
            raise RejectedError(
                f"discount is {self.plain.discount!r} and rows sum to up to 1 + {above:.1e}: together that is 1 or more"
            )
        if not self.plain.largest / self.plain.far <= MOST:
            raise RejectedError(
                f"returns of up to {self.plain.largest / self.plain.far:.1e} are too large to add up"
            )

    def verify(self) -> None:
        """Every tree is in a closed region. Parts are smaller than their whole, so no proof leans on itself."""
        root, *more = (record for record in self.records.values() if record.parent == -1)
        if more:
            raise RejectedError("there must be one root region")
        allowed = np.ones((self.plain.num_groups, self.plain.num_actions), bool)
        highest = np.full(self.plain.num_states, self.plain.reward.max(initial=0.0) / self.plain.far)
        region = Region(allowed, [(0, -1)], highest, np.zeros(self.plain.num_states))
        if self.together([self.closes(root, region, None, root=True)]) == [True]:
            return
        if region.losses is not None:
            table = region.losses.least.size + region.losses.leaf.size
            self.most_together = max(1, min(self.most_together, MOST_LOSSES // table))
        largest = self.plain.restrict(region.allowed) or self.plain.everything  # others are parts of the root
        solo = [record for record in self.records.values() if record.parent == -2]
        for at in range(0, len(solo), self.most_together):
            some = solo[at : at + self.most_together]
            closed = self.together([self.hopeless(r, region, largest) for r in some])
            for record, holds in zip(some, closed, strict=True):
                # Again where those before were not yet known to be hopeless.
                if not holds and self.together([self.hopeless(record, region, largest)]) != [True]:
                    raise RejectedError(f"region {record.number}: the leaf is not shown to be hopeless")
            self.progress(at + len(some), len(self.records))
        if region.losses is not None:
            region.losses = self.cover.trees.losses(region.losses.each, region.items)
            if region.upper - region.losses.of(region.items) <= self.threshold:
                return
        known: dict[int, bytes] = {}
        owed: list[tuple[int, int, bytes]] = []
        stack = [(root, region)]
        while stack:
            self.progress(len(solo) + len(known), len(self.records))
            begun: list[tuple[Record, Region, World]] = []
            while stack and len(begun) < self.most_together:
                above, region = stack.pop()
                whole = self.plain.restored(region.allowed, largest, region.states)
                for record, part in self.cover.parts(above, region):
                    if record.branching[0] == 6:  # it stands elsewhere, or what it is the image of
                        _, refers, *by = record.branching
                        origin = self.symmetries.origin(self.cover.trees, part, *by) if by else part
                        owed.append((record.number, refers, origin.digest))
                        continue
                    known[record.number] = part.digest
                    begun.append((record, part, whole))
            closed = self.together([self.closes(*each) for each in begun])
            for (record, part, _), holds in zip(begun, closed, strict=True):
                # What is closed for the checker need not have been for the search: other regions may equal its parts.
                if not holds or record.branching[0] in (2, 3):
                    stack.append((record, part))
        for number, refers, digest in owed:  # lemma 8: equal regions need one proof; lemma S: so do images
            if known.get(refers) != digest:
                raise RejectedError(
                    f"region {number} is said to be proved by region {refers}, which is neither it nor what it is the"
                    " image of"
                )
        self.progress(len(self.records), len(self.records))

    def together(self, checks: list[Check]) -> list[bool]:
        """What checks say that run side by side, so many at a time: what they ask for is found for all at once."""
        most = self.most_together
        if len(checks) > most:
            slices = (checks[at : at + most] for at in range(0, len(checks), most))
            return [closed for some in slices for closed in self.together(some)]
        said, answers = [False] * len(checks), dict.fromkeys(range(len(checks)))
        while answers:
            asked: dict[int, Sweeps | Visits] = {}
            for k, answer in answers.items():
                try:
                    asked[k] = checks[k].send(answer)
                except StopIteration as end:
                    said[k] = end.value
            answers = self.answered(asked)
        return said

    def answered(self, asked: dict[int, Sweeps | Visits]) -> dict[int, Any]:
        """What is asked for, all of one kind together."""
        visits = {k: each for k, each in asked.items() if isinstance(each, Visits)}
        sweeps = {k: each for k, each in asked.items() if not isinstance(each, Visits)}
        values = dict(zip(sweeps, self.plain.swept(list(sweeps.values())), strict=True))
        return values | dict(zip(visits, self.plain.visited(list(visits.values()), self.floor), strict=True))

    def closes(self, record: Record, region: Region, whole: World | None, root: bool = False) -> Check:
        """Apply the rounds of a record to a region, part of a whole; whether no improving tree is left in it."""
        plain, number, closed = self.plain, record.number, False
        world = plain.restrict(region.allowed, whole)
        region.states = NOWHERE if world is None else world.states
        for place, entry in enumerate(record.rounds, 1):
            at_end = root or (place == len(record.rounds) and record.branching[0] in (0, 4))
            if world is None:
                return True
            if entry.value is None:
                region.value = yield world, region.value, entry.sweeps
                region.value[entry.states] = entry.values
            else:
                region.value = entry.value
            if not np.abs(region.value).max() <= plain.value_limit() + self.tolerance:
                raise RejectedError(f"region {number}: a value is beyond every return")
            bounded = plain.bound(world, region.value)
            region.upper, regret = bounded.upper, bounded.regret
            if not region.upper < np.inf:
                raise RejectedError(f"region {number}: its value bounds nothing")
            region.reached, region.losses = world.groups, None
            closed |= region.upper <= self.threshold
            if closed and at_end:
                return True
            for state, scale, value in entry.floors:
                if not (root and scale >= 0 and 0 <= state < plain.num_states):
                    raise RejectedError(f"region {number}: floors belong to the root; scales are 0 or more")
                if not np.abs(value).max() <= min(plain.value_limit(scale, 1.0), MOST):
                    raise RejectedError(f"region {number}: a floor's value is beyond every return")
                most = plain.floor_bound(world, value, scale, state)
                error = 4 * (UNIT * (scale * abs(self.threshold) + abs(most)) + STEP)
                self.floor[state] = max(self.floor[state], scale * self.threshold - most - error)
            if not entry.regret:
                continue
            least = plain.least(world)
            visits, slack = yield from plain.sure_visits(
                world, least, entry.visits, self.floor, region.visits, bounded, self.tolerance
            )
            region.visits = visits
            if (self.floor[~world.states] > 0).any():  # an improving tree comes to states that none here comes to
                closed, slack = True, 0.0
            if visits.min() < 0 or not slack <= SHARE * self.tolerance:
                raise RejectedError(f"region {number}: the visits are higher than every tree must pay")
            budget = max(region.upper + slack - self.threshold, TINY)
            budget += plain.sums * budget
            region.upper = self.threshold + budget
            each = plain.losses(world, least, region.allowed, visits, self.floor, regret, never=2 * budget)
            region.losses = self.cover.trees.losses(each, region.items)
            closed |= region.upper - region.losses.of(region.items) <= self.threshold
            if closed and at_end:
                return True
            if len(entry.removed):
                before = region.allowed
                region.allowed = self.filtered(number, region, region.losses, entry.removed, budget)
                if root:
                    region.allowed = self.symmetries.without_images(region.allowed, before)
                world = plain.restrict(region.allowed, world)
                region.states = NOWHERE if world is None else world.states
        return closed or world is None

    def filtered(self, number: int, region: Region, losses: Losses, removed: np.ndarray, budget: float) -> Mask:
        """Lemma 5: the allowed actions without those that no improving tree takes."""
        trees, allowed = self.cover.trees, region.allowed.copy()
        leaves = trees.affordable(region.items, budget, losses)
        free = trees.open(region.items) & region.reached[trees.groups]
        names, actions = np.divmod(removed, self.plain.num_actions)
        groups = self.cover.all_named(names)
        for action in np.unique(actions):
            mine = groups[actions == action]
            columns = np.searchsorted(trees.groups, mine)
            taken = ~free[columns] | trees.member[np.ix_(columns, losses.below.cubes[leaves[action]])].any(axis=1)
            if taken.any() or (trees.groups[columns] != mine).any():
                raise RejectedError(f"region {number}: an improving tree may take action {action} it removed")
            allowed[mine, action] = False
        return allowed

    def leaf_of(self, record: Record) -> Mask:
        """[column] whether it is in the leaf of a solo record."""
        groups = self.cover.trees.groups
        inside = np.ones(len(groups), bool)
        for side in record.branching[1:]:
            inside &= self.cover.left_of(side // 2)[groups] ^ (side % 2 == 1)
        return inside

    def with_leaf(self, record: Record, root: Region) -> Region:
        """The root region with the leaf of a solo record."""
        leaf = self.cover.trees.groups[self.leaf_of(record)]
        return root.narrowed(self.cover.only(root.allowed, leaf, record.first))

    def hopeless(self, record: Record, root: Region, largest: World) -> Check:
        """Lemma 6: whether the root region with this one leaf is closed; then no improving tree has the leaf."""
        closed = yield from self.closes(record, self.with_leaf(record, root), largest)
        if closed and record.branching[0] == 4:
            self.symmetries.hopeless(self.cover.trees, self.leaf_of(record), record.first)
        return closed and record.branching[0] == 4
