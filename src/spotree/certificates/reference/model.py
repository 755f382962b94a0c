"""The plain checker's own picture of the model: rows, groups, what is reached, and what a tree returns.

Every figure comes with what float64 rounding may have taken from it: UNIT for each operation, relative to the largest
number that goes in.
"""

import itertools
import math
from functools import cached_property
from typing import Any

import numpy as np

from spotree.certificates.reference.subproblem import Mask, World
from spotree.certificates.reference.value_iteration import layered, walked
from spotree.common.arrays import Floats
from spotree.mdp.model import MDP

UNIT = 2.0**-53  # relative error of one float64 operation
STEP = 2.0**-1074  # what it may lose beside that, where numbers are next to 0
LEAST_CHANCE = 1e-290  # discounted: below it a probability has lost digits
TINY = 1e-300  # in place of 0
DENSE = 3000  # states: up to here a dense matrix is solved
STILL = 1e-13  # of the largest value: iteration ends when no value changes by more


def above_one(mdp: MDP) -> tuple[float, int]:
    """By how much the probabilities of a row sum to more than 1 at most, to the last bit, and in which row."""
    probability = mdp.probability.tolist()
    excess = [math.fsum([*probability[begin:end], -1.0]) for begin, end in itertools.pairwise(mdp.row_start)]
    most = int(np.argmax(excess))
    return max(excess[most], 0.0), most


def first_of_equals(mdp: MDP, state_of_row: np.ndarray) -> np.ndarray:
    """[row] the first row of its state that pays the same and leads to the same states with the same probabilities."""
    first: dict[tuple[int, float, bytes, bytes], int] = {}
    found = []
    for row, (begin, end) in enumerate(itertools.pairwise(mdp.row_start)):
        where, chance = mdp.target[begin:end].tobytes(), mdp.probability[begin:end].tobytes()
        key = (int(state_of_row[row]), float(mdp.reward_of_choice[row]), where, chance)
        found.append(first.setdefault(key, row))
    return np.array(found)


class PlainModel:
    """Rows (one per state and distinct choice), groups of states with equal features, and the start."""

    def __init__(self, mdp: MDP) -> None:
        self.num_states, self.num_actions, self.discount = mdp.num_states, mdp.num_actions, mdp.discount
        self.initial, self.features, self.reward = mdp.initial, mdp.features, mdp.reward_of_choice
        self.begin = np.flatnonzero(self.initial > 0)
        self.num_rows, self.largest = len(self.reward), float(np.abs(self.reward).max(initial=0.0))
        self.state_of_row = np.repeat(np.arange(self.num_states), np.diff(mdp.choice_start))
        self.exists, self.row = mdp.choice_of >= 0, first_of_equals(mdp, self.state_of_row)[mdp.choice_of]
        self.choice_of = np.where(self.exists, self.row, -1)  # [state, action], -1 where the action is forbidden
        self.row_of = np.repeat(np.arange(self.num_rows), np.diff(mdp.row_start))  # [entry]
        self.source, self.target = self.state_of_row[self.row_of], mdp.target.astype(np.intp)  # [entry]
        self.probability = mdp.probability
        number: dict[bytes, int] = {}
        self.group_of = np.array([number.setdefault(row.tobytes(), len(number)) for row in mdp.features + 0.0])
        self.num_groups = len(number)
        self.first_state = np.unique(self.group_of, return_index=True)[1]  # [group]
        varies = (self.choice_of != self.choice_of[:, :1]).any(axis=1)  # [state] whether its actions differ
        self.varying = np.unique(self.group_of[varies])  # groups in which it matters what the tree says
        self.deciding = np.flatnonzero(np.isin(self.group_of, self.varying))  # their states
        place = np.searchsorted(self.varying, self.group_of[self.deciding])
        self.cell = place[:, None] * self.num_actions + np.arange(self.num_actions)  # [deciding state, action]
        leads = np.zeros((self.num_rows, self.num_actions), bool)
        leads[self.row[self.exists], np.nonzero(self.exists)[1]] = True
        self.actions_of_row = np.packbits(leads, axis=1).T.copy()  # [8 actions, row] those that lead to it, as bits
        self.unusable = not self.exists.all()  # whether an allowed action may be one that no policy takes
        step = self.source * self.num_states + self.target
        steps, self.step_of = np.unique(step, return_inverse=True)  # [entry] number of its (state, next state)
        self.step_source, self.step_target = np.divmod(steps, self.num_states)
        self.above, self.most_above = above_one(mdp)
        above = self.discount * self.above * (1 + 8 * UNIT)
        self.far = (1 - self.discount - above) * (1 - 8 * UNIT)  # as if the discount were higher
        self.backup = UNIT * (8 + int(np.diff(mdp.row_start).max(initial=0)))  # relative error of reward + later
        self.start_terms, self.start_sum = np.count_nonzero(self.initial) + 8, math.fsum(self.initial)
        self.sums = UNIT * (64 + 4 * self.num_states)  # of what groups lose
        into = np.bincount(self.step_target, minlength=self.num_states)
        self.arrivals = UNIT * (8 + into)  # [state] relative error of arriving visits

    def least_chance(self) -> float:
        """The least probability above 0, discounted."""
        chance = self.discount * self.probability[self.probability > 0]
        return float(chance.min(initial=1.0)) if self.discount > 0 else 1.0

    def tree_actions(self, tree: dict[str, list[Any]], depth: int, max_leaves: int | None) -> np.ndarray:
        """[state] what a tree does; its size is checked on the way."""
        action, seen, leaves = np.full(self.num_states, -1), set(), 0
        nodes = [(0, np.ones(self.num_states, bool), 0)]
        while nodes:
            node, here, level = nodes.pop()
            feature = tree["feature"][node]
            if node in seen or level > depth:
                raise ValueError("the tree is deeper than the certificate says")
            seen.add(node)
            if feature < 0:
                leaves += 1
                action[here] = tree["action"][node]
                continue
            below = self.features[:, feature] < tree["threshold"][node]
            nodes.append((tree["left"][node], here & below, level + 1))
            nodes.append((tree["right"][node], here & ~below, level + 1))
        if max_leaves is not None and leaves > max_leaves:
            raise ValueError(f"the tree has {leaves} leaves, more than {max_leaves}")
        if (action < 0).any():
            raise ValueError("a leaf of the tree has no action")
        return action

    def start_value(self, value: Floats, more: float) -> tuple[float, float]:
        """Return of a value function that is too low by up to `more`, and the error of that: at most their sum."""
        start = float(self.initial @ value)
        error = self.start_terms * (UNIT * (float(self.initial @ np.abs(value)) + more) + STEP)
        return start, more * max(1.0, self.start_sum) + error

    def policy_return(self, action: np.ndarray) -> tuple[float, float]:
        """Return of one action per state, from scratch, and how far rounding may have moved it."""
        allowed = np.zeros((self.num_groups, self.num_actions), bool)
        allowed[self.group_of, action] = True
        world = self.restrict(allowed)
        if world is None:
            raise ValueError("the tree takes a forbidden action")
        if len(world.rows) != np.count_nonzero(world.states):
            raise ValueError("the tree does not say what to do")
        value = np.zeros(self.num_states)
        if len(world.rows) <= DENSE:
            place = np.full(self.num_states, -1)
            place[world.state] = np.arange(len(world.rows))
            matrix = np.eye(len(world.rows))
            np.subtract.at(matrix, (world.row_of, place[world.target]), self.discount * world.probability)
            value[world.state] = np.linalg.solve(matrix, world.reward)
        change = np.inf if len(world.rows) > DENSE else 0.0
        while change > max(STILL * self.far, 4 * UNIT) * np.abs(value).max():
            fresh = world.reward + self.discount * world.ahead(value)
            change, value[world.state] = float(np.abs(fresh - value[world.state]).max()), fresh
        left = np.abs(world.reward + self.discount * world.ahead(value) - value[world.state]).max()
        size = 2 * np.abs(value).max() + np.abs(world.reward).max()
        return self.start_value(value, float(left + self.backup * (size + STEP / UNIT)) / self.far)

    def value_limit(self, scale: float = 1.0, more: float = 0.0) -> float:
        """No value in a proof is larger, with rewards times a scale and so much more."""
        return 4 * (scale * self.largest + more) / self.far

    def widest(self, value: float, bound: float) -> float:
        """A larger tolerance would say nothing about a tree of this return, or this bound."""
        most, scale = max(2 * self.largest / self.far, TINY), self.spread()
        return min(most, scale) if scale > 0 else most  # where all returns are 0, every claim is true

    def unlike(self, value: float) -> float:
        """How far a return of this model may be from that of the model as it stands."""
        return 0.0

    def spread(self) -> float:
        """No two returns differ by more: the rewards that can be reached, for ever."""
        world = self.restrict(np.ones((self.num_groups, self.num_actions), bool))
        reward = world.reward if world else np.zeros(0)
        return float(reward.max(initial=0.0) - reward.min(initial=0.0)) / self.far

    @cached_property
    def everything(self) -> World:
        """All rows that some choice stands for, in the order in which a sweep takes them."""
        stands = np.zeros(self.num_rows, bool)
        stands[self.row[self.exists]] = True
        layer = self.layer[self.state_of_row]
        rows = np.argsort(layer, kind="stable")
        rows = rows[stands[rows]]
        entries = np.argsort(layer[self.row_of], kind="stable")
        entries = entries[stands[self.row_of[entries]]]
        place = np.full(self.num_rows, -1)
        place[rows] = np.arange(len(rows))
        return World(
            np.ones(self.num_states, bool),
            np.ones(self.num_groups, bool),
            rows,
            self.state_of_row[rows],
            self.group_of[self.state_of_row[rows]],
            self.actions_of_row[:, rows],
            self.reward[rows],
            entries,
            place[self.row_of[entries]],
            self.target[entries],
            self.probability[entries],
        )

    def restrict(self, allowed: Mask, whole: World | None = None) -> World | None:
        """What remains of a world (of everything) under allowed actions; None if no policy keeps to them.

        Those that the whole was made for must include them: its other rows are gone.
        """
        whole = whole or self.everything
        usable = self.taken(allowed, whole)
        if usable.all() and whole is not self.everything:
            return whole
        self.drop_dead(whole, usable)
        states = whole.reached(self.begin, usable)
        known = np.zeros(self.num_states, bool)
        known[whole.state[usable]] = True
        return self.remaining(whole, usable, states) if known[states].all() else None

    def restored(self, allowed: Mask, whole: World, states: Mask) -> World:
        """The same where it is known which states remain; the whole if none do."""
        if len(states) == 0:
            return whole
        usable = self.taken(allowed, whole)
        if self.unusable:  # rows to dead states
            usable[whole.row_of[~states[whole.target]]] = False
        return self.remaining(whole, usable, states)

    def taken(self, allowed: Mask, whole: World) -> Mask:
        """[usable row of the whole] whether an allowed action leads to it."""
        found, padded = np.zeros(len(whole.rows), bool), np.zeros((self.num_groups, 8 * len(whole.actions)), bool)
        padded[:, : self.num_actions] = allowed
        bits = np.packbits(padded).reshape(self.num_groups, -1)  # at once: much faster than row by row
        for may, leads in zip(bits.T, whole.actions, strict=True):
            found |= (may[whole.group] & leads) > 0
        return found

    def remaining(self, whole: World, usable: Mask, states: Mask) -> World:
        """The part of a world that usable rows of reached states make up."""
        groups = np.zeros(self.num_groups, bool)
        groups[self.group_of[states]] = True
        return whole.part(states, groups, usable & states[whole.state])

    def drop_dead(self, whole: World, usable: Mask) -> None:
        """Leave only rows that never lead to a dead state: one where every allowed action is forbidden or does."""
        if not self.unusable:
            return
        alive = whole.states
        while True:
            now = np.bincount(whole.state[usable], minlength=self.num_states) > 0
            if (now == alive).all():
                return
            alive = now
            usable[whole.row_of[~alive[whole.target]]] = False

    @cached_property
    def order(self) -> list[int]:
        """States in the order of a sweep."""
        return walked(self.num_states, self.source, self.target)

    @cached_property
    def layer(self) -> np.ndarray:
        """[state] states of one layer may be swept together."""
        return layered(self.order, self.step_source, self.step_target)

    @cached_property
    def swept_rows(self) -> tuple[Floats, Floats]:
        """[row] reward, [entry] discounted probability, both as if rows were taken till they leave their state."""
        own = self.source == self.target
        stays = np.bincount(self.row_of[own], self.discount * self.probability[own], self.num_rows)
        weight = np.where(own, 0.0, self.discount * self.probability)
        return self.reward / (1 - stays), weight / (1 - stays)[self.row_of]

    def alike(self, groups: np.ndarray, a: int, b: int) -> bool:
        """Whether two actions do the same in all states of some groups."""
        states = np.isin(self.group_of, groups)
        return bool((self.choice_of[states, a] == self.choice_of[states, b]).all())
