"""Lemmas 1 to 4 of docs/proof.md on the checker's own model: plain arrays, nothing clever.

Every bound includes what float64 rounding may have taken from it.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spotree.axes import Floats
from spotree.proof.plain_model import DENSE, TINY, Mask, PlainModel, World

ROUNDED_VISITS = 1e-6  # of all visits: so much above what arrives may be rounding, and is lowered
LOWERINGS = 40
PATIENCE = 2000  # steps from below; then equations are solved
SHARE = 0.1  # of the tolerance that rounding may take
ENOUGH = 0.01  # of the tolerance: values and visits that the checker finds itself come as near


@dataclass(frozen=True, slots=True)
class Bounded:
    """Lemmas 1 and 2 for one value function."""

    upper: float  # no allowed policy returns more
    regret: Floats  # [row]
    lost: float  # no allowed policy pays more regret from any state on


class Plain(PlainModel):
    """What no policy exceeds, what every tree visits and loses."""

    def bound(self, world: World, value: Floats) -> Bounded:
        """Lemma 1: no allowed policy returns more than this; and the regret of every row (lemma 2)."""
        error = self.backup * (2 * np.abs(value[world.states]).max() + np.abs(self.reward))
        below = np.where(world.usable, value[self.state_of_row] - self.reward - self.later(value) - error, 0.0)
        more = -float(below.min(initial=0.0)) / self.far
        regret = np.maximum(below, 0.0)
        lowest = float(self.reward[world.usable].min(initial=0.0)) / self.far  # no policy is worth less anywhere
        lost = min(regret.max(initial=0.0) / self.far, float(value[world.states].max()) - lowest + more)
        return Bounded(sum(self.start_value(value, more)), regret, lost)

    def floor_bound(self, world: World, value: Floats, scale: float, state: int) -> float:
        """Lemma 4: scale * return - visits of the state is at most this for every allowed policy."""
        error = self.backup * (2 * np.abs(value[world.states]).max() + scale * np.abs(self.reward) + 1)
        worth = scale * self.reward - (self.state_of_row == state) + self.later(value) + error
        excess = (worth - value[self.state_of_row])[world.usable].max(initial=0.0)
        return sum(self.start_value(value, float(excess) / self.far))

    @cached_property
    def layers(self) -> list[tuple[np.ndarray, ...]]:
        """A sweep in steps: states in the order of the search, as many at a time as do not wait for each other.

        Each has its rows, its entries, the rows of these, where the rows of a state begin, and the states.
        """
        place = np.empty(self.num_states, int)
        place[self.order] = np.arange(self.num_states)
        behind, ahead = place[self.source], place[self.target]
        before: list[list[tuple[int, int]]] = [[(0, -1)] for _ in range(self.num_states)]
        for one, other in {(int(a), int(b)) for a, b in zip(behind, ahead, strict=True) if a != b}:
            before[max(one, other)].append((int(other < one), min(one, other)))  # after it, or not before it
        layer = np.zeros(self.num_states + 1, int)
        for at, those in enumerate(before):
            layer[at] = max(more + layer[other] for more, other in those)
        of_row = layer[place[self.state_of_row]]
        found: list[tuple[np.ndarray, ...]] = []
        for number in range(layer.max(initial=0) + 1):
            rows = np.flatnonzero(of_row == number)
            entries = np.flatnonzero(of_row[self.row_of] == number)
            first = np.flatnonzero(np.diff(self.state_of_row[rows], prepend=-1))
            row = np.searchsorted(rows, self.row_of[entries])
            found.append((rows, entries, row, first, self.state_of_row[rows[first]]))
        return found

    def swept(self, world: World, start: Floats, sweeps: int) -> Floats:
        """Values after sweeps of value iteration in place, in the order of the search, own loops summed up."""
        value = start.copy()
        never: Floats = np.where(world.usable, 0.0, -np.inf)
        for _ in range(sweeps):
            for rows, entries, row, first, states in self.layers:
                ahead = np.bincount(row, self.weight[entries] * value[self.target[entries]], len(rows))
                worth = (self.reward[rows] + ahead) / (1 - self.stay[rows]) + never[rows]
                most = np.maximum.reduceat(worth, first)
                value[states] = np.where(world.states[states], most, value[states])
        return value

    def lowest(self, world: World) -> tuple[np.ndarray, np.ndarray, Floats]:
        """Pairs (state, next state) that every choice of the state makes possible, and how likely it is at least."""
        if len(self.by_pair) == 0:
            return np.zeros(0, int), np.zeros(0, int), np.zeros(0)
        usable = world.usable[self.row_of[self.by_pair]]
        choices = np.bincount(self.state_of_row[world.usable], minlength=self.num_states)
        lowest = np.minimum.reduceat(np.where(usable, self.probability[self.by_pair], np.inf), self.pair_start)
        ways = np.add.reduceat(usable, self.pair_start, dtype=int)
        surely = np.flatnonzero((ways > 0) & (ways == choices[self.source[self.first_entry]]))
        return self.source[self.first_entry[surely]], self.target[self.first_entry[surely]], lowest[surely]

    def excess_visits(self, world: World, visits: Floats, floor: Floats, enough: float) -> tuple[float, Floats]:
        """Lemma 3: by how much, in sum over states, the visits are above what arrives of them, or the floor.

        Visits that are above by more than `enough`, but by no more than rounding where floors are high, are lowered.
        """
        source, target, lowest = self.lowest(world)
        for _ in range(LOWERINGS):
            arriving = self.initial + self.discount * np.bincount(target, lowest * visits[source], self.num_states)
            most = np.maximum(floor, arriving - self.arrivals * (arriving + visits))
            above = float(np.maximum(visits - most, 0.0).sum()) * (1 + self.sums)
            if not enough < above <= ROUNDED_VISITS * visits.sum():
                break
            visits = np.minimum(visits, most)
        return above, visits

    def lowered_visits(self, world: World, visits: Floats, floor: Floats) -> Floats:
        """About the same visits where a little less arrives, so that lemma 3 holds in spite of rounding."""
        states = np.flatnonzero(world.states)
        if len(states) > DENSE:
            return visits
        source, target, lowest = self.lowest(world)
        less = 1 - 4 * self.arrivals
        arriving = self.initial + self.discount * np.bincount(target, lowest * visits[source], self.num_states)
        free = floor < arriving
        matrix = np.eye(self.num_states)
        np.subtract.at(matrix, (target, source), self.discount * lowest * (less * free)[target])
        found = np.zeros(self.num_states)
        inside = np.where(free, less * self.initial, floor)[states]
        found[states] = np.maximum(np.linalg.solve(matrix[np.ix_(states, states)], inside), 0.0)
        return found

    def own_visits(self, world: World, floor: Floats, start: Floats, enough: float) -> Floats:
        """Visits for lemma 3, found from below, from visits that hold: every iterate holds."""
        source, target, lowest = self.lowest(world)
        stays = np.bincount(target, self.discount * lowest * (source == target), self.num_states)
        weight = self.discount * lowest * (source != target) / (1 - stays[target])
        least = np.maximum(np.maximum(floor, self.initial / (1 - stays)), start)
        visits, change = np.where(world.states, least, 0.0), np.inf
        for turn in itertools.count():
            if change <= enough * (1 - self.discount):
                break
            if turn == PATIENCE and np.count_nonzero(world.states) <= DENSE:
                return np.maximum(visits, self.lowered_visits(world, visits, floor))
            arriving = self.initial / (1 - stays) + np.bincount(target, weight * visits[source], self.num_states)
            fresh = np.where(world.states, np.maximum(visits, arriving), 0.0)
            change, visits = float((fresh - visits).sum()), fresh
        return visits

    def sure_visits(
        self, world: World, stated: Floats | None, floor: Floats, start: Floats, bounded: Bounded, tolerance: float
    ) -> tuple[Floats, float]:
        """Visits for lemma 3, as stated or from `start` on, and what a tree may pay less because they are too high."""
        enough, most = ENOUGH * tolerance, bounded.regret.max(initial=0.0)
        visits = stated if stated is not None else self.own_visits(world, floor, start, enough / max(most, TINY))
        visits, small = np.where(world.states, visits, 0.0), enough / max(bounded.lost, TINY)
        above, visits = self.excess_visits(world, visits, floor, small)
        if SHARE * tolerance < bounded.lost * above and above <= ROUNDED_VISITS * visits.sum():
            visits = self.lowered_visits(world, visits, floor)
            above, visits = self.excess_visits(world, visits, floor, small)
        return visits, bounded.lost * above

    def surely_visited(self, world: World, floor: Floats) -> Mask:
        """States that every tree of the region comes to, if it is better than what is to be shown.

        Not those with visits above 0: visits may be too high by what their slack makes up for, which no slack does
        where an action is forbidden.
        """
        source, target, _ = self.lowest(world)
        found: Mask = ((self.initial > 0) | (floor > 0)) & world.states
        while True:
            more = target[found[source] & ~found[target]]
            if len(more) == 0:
                return found
            found[more] = True

    def losses(
        self, world: World, allowed: Mask, visits: Floats, floor: Floats, regret: Floats, never: float
    ) -> Floats:
        """[group, action] least loss by taking the action there, up to `never`, which stands for infinity."""
        fine = self.exists & world.usable[self.row]
        sure = np.zeros(self.num_states, bool) if fine.all() else self.surely_visited(world, floor)
        each = np.where(fine, visits[:, None] * regret[self.row], never * sure[:, None])
        loss = np.minimum(np.add.reduceat(each[self.by_group], self.group_start, axis=0), never)
        return np.where(world.groups[:, None], np.where(allowed, loss, never), 0.0)
