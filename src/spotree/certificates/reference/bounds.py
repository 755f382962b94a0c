"""Lemmas 1 to 4 of docs/proof.md on the checker's own model: plain arrays, nothing clever.

Every bound includes what float64 rounding may have taken from it.
"""

import itertools
from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from spotree.certificates.reference.model import DENSE, STEP, TINY, UNIT, PlainModel
from spotree.certificates.reference.occupancy import Least, Visits, visited
from spotree.certificates.reference.subproblem import Mask, World
from spotree.certificates.reference.value_iteration import FEW, PER_LAYER, Sweeps, swept
from spotree.common.arrays import Floats

ROUNDED_VISITS = 1e-6  # of all visits: so much above what arrives may be rounding, and is lowered
LOWERINGS = 40
PATIENCE = 2000  # steps from below; then equations are solved
BETWEEN_LOOKS = 10  # steps from below, whether they still change anything
SHARE = 0.1  # of the tolerance that rounding may take
ENOUGH = 0.01  # of the tolerance: values and visits that the checker finds itself come as near


@dataclass(frozen=True, slots=True)
class Bounded:
    """Lemmas 1 and 2 for one value function."""

    upper: float  # no allowed policy returns more
    regret: Floats  # [usable row]
    lost: float  # no allowed policy pays more regret from any state on


class Plain(PlainModel):
    """What no policy exceeds, what every tree visits and loses."""

    def bound(self, world: World, value: Floats) -> Bounded:
        """Lemma 1: no allowed policy returns more than this; and the regret of every row (lemma 2)."""
        error = self.backup * (2 * np.abs(value[world.states]).max() + np.abs(world.reward) + STEP / UNIT)
        below = value[world.state] - world.reward - self.discount * world.ahead(value) - error
        more = -float(below.min(initial=0.0)) / self.far
        regret = np.maximum(below, 0.0)
        lowest = float(world.reward.min(initial=0.0)) / self.far  # no policy is worth less anywhere
        lost = min(regret.max(initial=0.0) / self.far, float(value[world.states].max()) - lowest + more)
        return Bounded(sum(self.start_value(value, more)), regret, lost)

    def floor_bound(self, world: World, value: Floats, scale: float, state: int) -> float:
        """Lemma 4: scale * return - visits of the state is at most this for every allowed policy."""
        error = self.backup * (2 * np.abs(value[world.states]).max() + scale * np.abs(world.reward) + 1)
        worth = scale * world.reward - (world.state == state) + self.discount * world.ahead(value) + error
        excess = (worth - value[world.state]).max(initial=0.0)
        return sum(self.start_value(value, float(excess) / self.far))

    def swept(self, asked: list[Sweeps]) -> list[Floats]:
        """Values after sweeps of value iteration in place, in the order of the search, own loops summed up."""
        return swept(asked, self.everything, self.layer, *self.swept_rows)

    def least(self, world: World) -> Least:
        """Steps that every choice of a state makes possible, and how likely they are at least."""
        step = self.step_of[world.entries]
        ways = np.bincount(step, minlength=len(self.step_source))
        choices = np.bincount(world.state, minlength=self.num_states)
        surely = (ways > 0) & (ways == choices[self.step_source])
        lowest = np.full(len(surely), np.inf)
        np.minimum.at(lowest, step, world.probability)
        return Least(np.flatnonzero(surely), self.step_source[surely], self.step_target[surely], lowest[surely])

    def excess_visits(self, least: Least, visits: Floats, floor: Floats, enough: float) -> tuple[float, Floats]:
        """Lemma 3: by how much, in sum over states, the visits are above what arrives of them, or the floor.

        Visits that are above by more than `enough`, but by no more than rounding where floors are high, are lowered.
        """
        for _ in range(LOWERINGS):
            arriving = self.initial + self.discount * least.arriving(visits)
            most = np.maximum(floor, arriving - self.arrivals * (arriving + visits))
            above = float(np.maximum(visits - most, 0.0).sum()) * (1 + self.sums)
            if not enough < above <= ROUNDED_VISITS * visits.sum():
                break
            visits = np.minimum(visits, most)
        return above, visits

    def lowered_visits(self, world: World, least: Least, visits: Floats, floor: Floats) -> Floats:
        """About the same visits where a little less arrives, so that lemma 3 holds in spite of rounding."""
        states = np.flatnonzero(world.states)
        if len(states) > DENSE:
            return visits
        less = 1 - 4 * self.arrivals
        free = floor < self.initial + self.discount * least.arriving(visits)
        matrix = np.eye(self.num_states)
        weight = self.discount * least.chance * (less * free)[least.target]
        np.subtract.at(matrix, (least.target, least.source), weight)
        found = np.zeros(self.num_states)
        inside = np.where(free, less * self.initial, floor)[states]
        found[states] = np.maximum(np.linalg.solve(matrix[np.ix_(states, states)], inside), 0.0)
        return found

    def ask_visits(self, world: World, least: Least, floor: Floats, start: Floats, enough: float) -> Visits:
        """Visits for lemma 3 are to be found from below, from visits that hold: every iterate holds."""
        own = least.source == least.target
        stays = np.bincount(least.target, self.discount * least.chance * own, self.num_states)
        chance = self.discount * least.chance * ~own / (1 - stays[least.target])
        begun = self.initial / (1 - stays)
        start = np.where(world.states, np.maximum(np.maximum(floor, begun), start), 0.0)
        return Visits(world, replace(least, chance=chance), begun, start, enough * (1 - self.discount))

    def visited(self, asked: list[Visits], floor: Floats) -> list[Floats]:
        """Visits as they are asked for: layer by layer in several worlds side by side, then in each of them."""
        found = [each.start for each in asked]
        if len(asked) >= FEW and len(self.step_source) <= PER_LAYER * (int(self.layer.max()) + 1):
            found = visited(asked, self.step_source, self.step_target, self.layer)
        return [self.own_visits(each, visits, floor) for each, visits in zip(asked, found, strict=True)]

    def own_visits(self, asked: Visits, visits: Floats, floor: Floats) -> Floats:
        """Visits in one world, from some that hold already."""
        world, change = asked.world, np.inf
        for turn in itertools.count():
            if change <= asked.enough:
                break
            if turn == PATIENCE and np.count_nonzero(world.states) <= DENSE:
                return np.maximum(visits, self.lowered_visits(world, self.least(world), visits, floor))
            fresh = np.maximum(visits, asked.begun + asked.onward.arriving(visits))  # nothing where nobody comes
            if turn % BETWEEN_LOOKS == 0:
                change = float((fresh - visits).sum())
            visits = fresh
        return visits

    def sure_visits(
        self,
        world: World,
        least: Least,
        stated: Floats | None,
        floor: Floats,
        start: Floats,
        bounded: Bounded,
        tolerance: float,
    ) -> Generator[Visits, Floats, tuple[Floats, float]]:
        """Visits for lemma 3, as stated or from `start` on, and what a tree may pay less because they are too high."""
        enough, most = ENOUGH * tolerance, bounded.regret.max(initial=0.0)
        if stated is None:
            stated = yield self.ask_visits(world, least, floor, start, enough / max(most, TINY))
        visits, small = np.where(world.states, stated, 0.0), enough / max(bounded.lost, TINY)
        above, visits = self.excess_visits(least, visits, floor, small)
        if SHARE * tolerance < bounded.lost * above and above <= ROUNDED_VISITS * visits.sum():
            visits = self.lowered_visits(world, least, visits, floor)
            above, visits = self.excess_visits(least, visits, floor, small)
        return visits, bounded.lost * above

    def surely_visited(self, world: World, least: Least, floor: Floats) -> Mask:
        """States that every tree of the region comes to, if it is better than what is to be shown.

        Not those with visits above 0: visits may be too high by what their slack makes up for, which no slack does
        where an action is forbidden.
        """
        found: Mask = ((self.initial > 0) | (floor > 0)) & world.states
        while True:
            more = least.target[found[least.source] & ~found[least.target]]
            if len(more) == 0:
                return found
            found[more] = True

    def losses(
        self,
        world: World,
        least: Least,
        allowed: Mask,
        visits: Floats,
        floor: Floats,
        regret: Floats,
        never: float,
    ) -> Floats:
        """[group, action] least loss by taking the action there, up to `never`, which stands for infinity.

        Groups without a choice lose nothing.
        """
        worth, row, exists = np.zeros(self.num_rows), self.row[self.deciding], self.exists[self.deciding]
        worth[world.rows] = visits[world.state] * regret
        if self.unusable:  # rows that no allowed policy takes, and actions that are forbidden
            sure = self.surely_visited(world, least, floor)
            barred = sure[self.state_of_row]
            barred[world.rows] = False
            worth[barred] = never
            each = np.where(exists, worth[row], np.where(sure[self.deciding], never, 0.0)[:, None])
        else:
            each = worth[row]
        may, loss = allowed[self.varying], np.zeros(allowed.shape)
        sums = np.bincount(self.cell.ravel(), each.ravel(), may.size).reshape(may.shape)
        loss[self.varying] = np.where(may, np.minimum(sums, never), never)
        loss[~world.groups] = 0.0
        return loss
