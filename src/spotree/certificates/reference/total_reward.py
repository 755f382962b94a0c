"""The plain checker's picture of an undiscounted model, and lemmas 1 to 4 and 10 of docs/proof.md on it.

A row that lacks less than ENDS to 1 goes on: it stands for itself divided by its sum. No slack is shared out over time:
a value bounds all policies because every row is below it by more than rounding, or exactly flat.
"""

import itertools
import math
from collections.abc import Generator
from dataclasses import replace

import numpy as np

from spotree.certificates.reference.bounds import LOWERINGS, PATIENCE, Bounded, Plain
from spotree.certificates.reference.model import DENSE, STEP, UNIT, above_one
from spotree.certificates.reference.occupancy import Least, Visits
from spotree.certificates.reference.subproblem import Mask, World
from spotree.certificates.reference.value_iteration import Sweeps
from spotree.common.arrays import Floats
from spotree.mdp.model import MDP

ENDS = 1e-12  # a row that lacks less than this to 1 does not end the episode
MOST = 1e100  # no value is larger
PASSED_ON = 1 - 1e-9  # of the visits to a state: lemma 3 is false if all arrive
SIMILAR = 1e-9  # relative: two ways to say what a tree returns
STILL = 1e-14  # of all visits: iteration from below ends when it adds no more


def ending_rows(mdp: MDP) -> Mask:
    """[row] whether the episode may end there."""
    row_of = np.repeat(np.arange(len(mdp.reward_of_choice)), np.diff(mdp.row_start))
    ends: Mask = np.bincount(row_of, mdp.probability, len(mdp.reward_of_choice)) < 1 - ENDS
    return ends


def summed_up(mdp: MDP) -> MDP:
    """Lemma 10: each row on the condition that it leaves its state. One that never does ends at 0, or is forbidden."""
    start, target, probability = [0], [], []
    reward, choice_of = mdp.reward_of_choice.copy(), mdp.choice_of.copy()
    state_of, ends = mdp.state_of_choice.tolist(), ending_rows(mdp).tolist()
    for row, (begin, end) in enumerate(itertools.pairwise(mdp.row_start.tolist())):
        chance = mdp.probability[begin:end].tolist()
        where = mdp.target[begin:end].tolist()
        others = [(j, p) for j, p in zip(where, chance, strict=True) if j != state_of[row] and p > 0]
        stays = [-p for j, p in zip(where, chance, strict=True) if j == state_of[row]]
        away = math.fsum([1.0, *stays]) if ends[row] else math.fsum(p for _, p in others)
        if away > 0:
            reward[row] /= away
        elif mdp.must_end or reward[row] != 0:
            choice_of[choice_of == row] = -1
        target += [j for j, _ in others]
        probability += [p / away for _, p in others]
        start.append(len(target))
    return replace(
        mdp,
        choice_of=choice_of,
        row_start=np.array(start, np.int64),
        target=np.array(target, np.int32),
        probability=np.array(probability, np.float64),
        reward_of_choice=reward,
    )


class PlainUndiscounted(Plain):
    """Lemmas without a discount; what else there is to check stays as it is."""

    def __init__(self, mdp: MDP) -> None:
        super().__init__(summed_up(mdp))
        self.must_end = mdp.must_end
        self.above, self.most_above = above_one(mdp)
        self.far = 1.0
        # What surely stays ends at 0: it has no next state.
        self.ends = ending_rows(mdp) | (np.bincount(self.row_of, minlength=self.num_rows) == 0)
        self.entries = np.bincount(self.row_of, minlength=self.num_rows)
        self.unusable = True
        self.layer = np.zeros(self.num_states, int)  # there are no sweeps

    def value_limit(self, scale: float = 1.0, more: float = 0.0) -> float:
        """There is none but that sums stay finite: the error of each row is relative to its own values."""
        return MOST

    def widest(self, value: float, bound: float) -> float:
        """Returns, or the rewards that can be reached, are larger; where all are 0, every claim is true."""
        rewards = self.spread() or MOST
        shown = max(value, bound)
        return max(abs(value), abs(shown) if math.isfinite(shown) else 0.0, rewards)

    def unlike(self, value: float) -> float:
        """How far a return of the model as it stands may be from one of rows that are divided by their sum."""
        return SIMILAR * abs(value)

    def drop_dead(self, whole: World, usable: Mask) -> None:
        """Leave only rows that never lead to a dead state: one from which no allowed policy has a finite value."""
        while True:
            alive = np.zeros(self.num_states, bool) if self.must_end else self.idle(whole, usable)
            alive[whole.state[usable & self.ends[whole.rows]]] = True
            onward = np.flatnonzero(usable[whole.row_of])
            source, target = whole.source[onward], whole.target[onward]
            while True:  # backwards
                back = source[alive[target]]
                if alive[back].all():
                    break
                alive[back] = True
            gone = usable & (np.bincount(whole.row_of, ~alive[whole.target], len(usable)) > 0)
            if not gone.any():
                usable &= alive[whole.state]
                return
            usable[gone] = False

    def idle(self, whole: World, usable: Mask) -> Mask:
        """[state] whether rows without reward and without an end can be taken for ever."""
        free = usable & (whole.reward == 0) & ~self.ends[whole.rows]
        while True:
            stays = np.bincount(whole.state[free], minlength=self.num_states) > 0
            leaving = free & (np.bincount(whole.row_of, ~stays[whole.target], len(usable)) > 0)
            if not leaving.any():
                return stays
            free &= ~leaving

    def margin(self, world: World, value: Floats, pay: Floats) -> Floats:
        """[usable row] by how much the state is above what the row is worth, for certain."""
        ahead = world.probability * value[world.target]
        sum_, size = (np.bincount(world.row_of, part, len(world.rows)) for part in (ahead, np.abs(ahead)))
        here = value[world.state]
        error = (2 * self.entries[world.rows] + 16) * (UNIT * (np.abs(here) + np.abs(pay) + size) + STEP)
        found: Floats = here - pay - sum_ - error
        return found

    def holds(self, world: World, value: Floats, free: Mask, above: Floats) -> bool:
        """Lemma 1: every usable row is strict, or flat where going on for ever is worth no more than the value."""
        here = value[world.state]
        level = np.bincount(world.row_of, value[world.target] != value[world.source], len(world.rows)) == 0
        sign = np.where(self.ends[world.rows], here == 0, (here >= 0) | self.must_end)
        return bool(((above > 0) | (free & level & sign)).all())

    def bound(self, world: World, value: Floats) -> Bounded:
        """Lemma 1: no allowed policy returns more than this (infinite: nothing is shown); and regrets (lemma 2)."""
        above = self.margin(world, value, world.reward)
        shown = self.holds(world, value, world.reward == 0, above)
        upper = sum(self.start_value(value, 0.0)) if shown else np.inf
        return Bounded(upper, np.maximum(above, 0.0), np.inf)

    def floor_bound(self, world: World, value: Floats, scale: float, state: int) -> float:
        """Lemma 4: scale * return - visits of the state is at most this for every allowed policy."""
        pay = scale * world.reward - (world.state == state)
        above = self.margin(world, value, pay)
        # Nothing is paid, and not because it is too little for a float64.
        free = (pay == 0) & ((world.state == state) | (scale == 0) | (world.reward == 0))
        if not self.holds(world, value, free, above):
            raise ValueError("a floor's value is below what a choice is worth")
        return sum(self.start_value(value, 0.0))

    def swept(self, asked: list[Sweeps]) -> list[Floats]:
        """Values are listed, not swept: a sweep may break what makes a value prove itself."""
        if any(sweeps for _, _, sweeps in asked):
            raise ValueError("an undiscounted proof has no sweeps")
        return [start.copy() for _, start, _ in asked]

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
        """Visits that hold by lemma 3, no higher than stated; nothing is to be made up for."""
        sure = yield Visits(world, least, self.initial, np.where(world.states, np.maximum(floor, start), 0.0), 0.0)
        return (sure if stated is None else np.where(world.states, np.minimum(sure, stated), 0.0)), 0.0

    def visited(self, asked: list[Visits], floor: Floats) -> list[Floats]:
        """Visits in one world after the other: nothing is to be made up for."""
        return [self.own_visits(each, each.start, floor) for each in asked]

    def own_visits(self, asked: Visits, visits: Floats, floor: Floats) -> Floats:
        """Visits for lemma 3, found from below, from visits that hold: every iterate holds."""
        world, least = asked.world, asked.onward

        def arriving(visits: Floats, share: float) -> Floats:
            sum_ = self.initial + share * least.arriving(visits)
            lowered: Floats = sum_ * (1 - 2 * self.arrivals)
            return lowered

        for _ in range(PATIENCE):
            fresh = np.where(world.states, np.maximum(visits, arriving(visits, 1.0)), 0.0)
            change, visits = float((fresh - visits).sum()), fresh
            if change <= STILL * visits.sum():
                return visits
        states = np.flatnonzero(world.states)
        if len(states) > DENSE:
            return visits
        # Equations with a little less arriving; what they give must hold by itself.
        free, share = floor < arriving(visits, 1.0), 1 - 2 * (1 - PASSED_ON)
        matrix = np.eye(self.num_states)
        np.subtract.at(matrix, (least.target, least.source), share * least.chance * free[least.target])
        found = np.zeros(self.num_states)
        inside = np.where(free, self.initial * (1 - 4 * self.arrivals), floor)[states]
        found[states] = np.maximum(np.linalg.solve(matrix[np.ix_(states, states)], inside), 0.0)
        for _ in range(LOWERINGS):
            most = np.maximum(floor, arriving(found, PASSED_ON))
            if (found <= most).all():
                return np.maximum(visits, found)
            found = np.minimum(found, most)
        return visits

    def spread(self) -> float:
        """Of the rewards that can be reached."""
        world = self.restrict(np.ones((self.num_groups, self.num_actions), bool))
        reward = world.reward if world else np.zeros(0)
        return float(reward.max(initial=0.0) - reward.min(initial=0.0))

    def policy_return(self, action: np.ndarray) -> tuple[float, float]:
        """Return of one action per state, from scratch, and how far rounding may have moved it."""
        allowed = np.zeros((self.num_groups, self.num_actions), bool)
        allowed[self.group_of, action] = True
        world = self.restrict(allowed)
        if world is None:
            raise ValueError("the tree takes a forbidden action, or its return is not finite")
        row = self.row[np.arange(self.num_states), action]
        going = world.states & ~self.idle(world, np.ones(len(world.rows), bool))  # the others are worth 0
        reward = np.where(going, self.reward[row], 0.0)
        value, steps = self.solved(going, row, reward), self.solved(going, row, going.astype(float))
        later, size, later_steps = (
            np.where(going, np.bincount(self.row_of, self.probability * x[self.target], self.num_rows)[row], 0.0)
            for x in (value, np.abs(value), steps)
        )
        unit = UNIT * (2 * self.entries[row] + 16)
        size = np.abs(reward) + np.abs(value) + size + STEP / UNIT
        left = float((np.abs(reward + later - value) + unit * size).max())
        if not (steps - later_steps - unit * (steps + later_steps) >= 0.5)[going].all():
            raise ValueError("the tree takes too many steps to say what it returns")
        longest = float(self.initial @ steps) * (1 + UNIT * (self.num_states + 8))
        start, error = self.start_value(value, 0.0)
        return start, 2.1 * left * longest + error

    def solved(self, going: Mask, row: np.ndarray, earned: Floats) -> Floats:
        """What is earned until the end, by equations or, where they are too many, step by step."""
        states, found = np.flatnonzero(going), np.zeros(self.num_states)
        if len(states) <= DENSE:
            place = np.full(self.num_states, -1)
            place[states] = np.arange(len(states))
            taken = np.zeros(self.num_rows, bool)
            taken[row[states]] = True
            mine = taken[self.row_of] & going[self.target]
            matrix = np.eye(len(states))
            np.subtract.at(matrix, (place[self.source[mine]], place[self.target[mine]]), self.probability[mine])
            found[states] = np.linalg.solve(matrix, earned[states])
            return found
        change = np.inf
        for _ in range(100 * PATIENCE):
            later = np.bincount(self.row_of, self.probability * found[self.target], self.num_rows)[row]
            fresh = np.where(going, earned + later, 0.0)
            change, found = float(np.abs(fresh - found).max()), fresh
            if change <= 4 * UNIT * np.abs(found).max():
                break
        return found
