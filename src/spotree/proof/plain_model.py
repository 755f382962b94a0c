"""The plain checker's own picture of the model: rows, groups, what is reached, and what a tree returns.

Every figure comes with what float64 rounding may have taken from it: UNIT for each operation, relative to the largest
number that goes in.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spotree.axes import Floats
from spotree.mdp.model import MDP

Mask = np.ndarray
UNIT = 2.0**-53  # relative error of one float64 operation
TINY = 1e-300  # in place of 0
DENSE = 3000  # states: up to here a dense matrix is solved
STILL = 1e-13  # of the largest value: iteration ends when no value changes by more


@dataclass(frozen=True, slots=True)
class World:
    """What remains when only allowed actions are taken."""

    usable: Mask  # [row]
    states: Mask  # [state] reached
    groups: Mask  # [group] reached


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
        self.num_rows, self.largest = len(self.reward), float(np.abs(self.reward).max(initial=0.0))
        self.state_of_row = np.repeat(np.arange(self.num_states), np.diff(mdp.choice_start))
        self.exists, self.row = mdp.choice_of >= 0, first_of_equals(mdp, self.state_of_row)[mdp.choice_of]
        self.choice_of = np.where(self.exists, self.row, -1)  # [state, action], -1 where the action is forbidden
        self.row_of = np.repeat(np.arange(self.num_rows), np.diff(mdp.row_start))  # [entry]
        self.source, self.target = self.state_of_row[self.row_of], mdp.target  # [entry]
        self.probability = mdp.probability
        number: dict[bytes, int] = {}
        self.group_of = np.array([number.setdefault(row.tobytes(), len(number)) for row in mdp.features + 0.0])
        self.num_groups = len(number)
        self.by_group = np.argsort(self.group_of, kind="stable")
        self.group_start = np.searchsorted(self.group_of[self.by_group], np.arange(self.num_groups))
        self.first_state = self.by_group[self.group_start]  # [group]
        pair = self.source * self.num_states + self.target
        self.by_pair = np.argsort(pair, kind="stable")  # entries of one (state, next state) stand together
        self.pair_start = np.flatnonzero(np.diff(pair[self.by_pair], prepend=-1))
        self.first_entry = self.by_pair[self.pair_start]  # [pair]
        self.above, self.most_above = above_one(mdp)
        self.far = (1 - self.discount - self.discount * self.above) * (
            1 - 8 * UNIT
        )  # as if the discount were higher
        self.backup = UNIT * (8 + int(np.diff(mdp.row_start).max(initial=0)))  # relative error of reward + later
        self.sums = UNIT * (64 + 4 * self.num_states)  # of what groups lose
        pairs_into = np.bincount(self.target[self.first_entry], minlength=self.num_states)
        self.arrivals = UNIT * (8 + pairs_into)  # [state] relative error of arriving visits

    def later(self, value: Floats) -> Floats:
        """[row] discounted value after the row."""
        later: np.ndarray = np.bincount(self.row_of, self.probability * value[self.target], self.num_rows)
        return later * self.discount

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
        terms = np.count_nonzero(self.initial) + 8
        error = UNIT * terms * (float(self.initial @ np.abs(value)) + more)
        return start, more * max(1.0, math.fsum(self.initial)) + error

    def policy_return(self, action: np.ndarray) -> tuple[float, float]:
        """Return of one action per state, from scratch, and how far rounding may have moved it."""
        allowed = np.zeros((self.num_groups, self.num_actions), bool)
        allowed[self.group_of, action] = True
        world = self.restrict(allowed)
        if world is None:
            raise ValueError("the tree takes a forbidden action")
        states, row = np.flatnonzero(world.states), self.row[np.arange(self.num_states), action]
        value = np.zeros(self.num_states)
        if len(states) <= 3000:
            place = np.full(self.num_states, -1)
            place[states] = np.arange(len(states))
            mine = world.usable[self.row_of]
            matrix = np.eye(len(states))
            where = place[self.source[mine]], place[self.target[mine]]
            np.subtract.at(matrix, where, self.discount * self.probability[mine])
            value[states] = np.linalg.solve(matrix, self.reward[row[states]])
        change = np.inf if len(states) > DENSE else 0.0
        while change > max(STILL * self.far, 4 * UNIT) * np.abs(value).max():
            fresh = np.where(world.states, (self.reward + self.later(value))[row], 0.0)
            change, value = float(np.abs(fresh - value).max()), fresh
        left = np.where(world.states, (self.reward + self.later(value))[row] - value, 0.0)
        size = 2 * np.abs(value).max() + np.abs(self.reward[row[states]]).max()
        return self.start_value(value, float(np.abs(left).max() + self.backup * size) / self.far)

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
        reward = self.reward[world.usable] if world else np.zeros(0)
        return float(reward.max(initial=0.0) - reward.min(initial=0.0)) / self.far

    def restrict(self, allowed: Mask) -> World | None:
        """Usable rows and reached states under allowed actions; None if no policy keeps to them."""
        usable = np.zeros(self.num_rows, bool)
        usable[self.row[allowed[self.group_of] & self.exists]] = True
        self.drop_dead(usable)
        states, onward = self.initial > 0, np.flatnonzero(usable[self.row_of])
        while True:
            begun = states[self.source[onward]]
            next_states = self.target[onward[begun]]
            if states[next_states].all():
                break
            states[next_states] = True
            onward = onward[~begun]
        if not np.bincount(self.state_of_row[usable], minlength=self.num_states)[states].all():
            return None
        groups = np.zeros(self.num_groups, bool)
        groups[self.group_of[states]] = True
        return World(usable & states[self.state_of_row], states, groups)

    def drop_dead(self, usable: Mask) -> None:
        """Leave only rows that never lead to a dead state: one where every allowed action is forbidden or does."""
        if self.exists.all():
            return
        alive = np.ones(self.num_states, bool)
        while True:
            now = np.bincount(self.state_of_row[usable], minlength=self.num_states) > 0
            if (now == alive).all():
                return
            alive = now
            usable[self.row_of[~alive[self.target]]] = False

    @cached_property
    def order(self) -> list[int]:
        """States as a depth-first walk leaves them that takes states and next states as they stand in the model."""
        begin = np.searchsorted(self.source, np.arange(self.num_states + 1)).tolist()
        target, seen, order = self.target.tolist(), [False] * self.num_states, []
        for first in range(self.num_states):
            if seen[first]:
                continue
            seen[first], stack = True, [(first, begin[first])]
            while stack:
                state, at = stack.pop()
                while at < begin[state + 1] and seen[target[at]]:
                    at += 1
                if at == begin[state + 1]:
                    order.append(state)
                else:
                    seen[target[at]] = True
                    stack += [(state, at), (target[at], begin[target[at]])]
        return order

    @cached_property
    def stay(self) -> Floats:
        """[row] discounted probability to stay in the state."""
        stays = self.source == self.target
        found: np.ndarray = np.bincount(self.row_of[stays], self.discount * self.probability[stays], self.num_rows)
        return found

    @cached_property
    def weight(self) -> Floats:
        """[entry] discounted probability, 0 where the state is left as it is."""
        weight: Floats = np.where(self.source == self.target, 0.0, self.discount * self.probability)
        return weight

    def alike(self, groups: np.ndarray, a: int, b: int) -> bool:
        """Whether two actions do the same in all states of some groups."""
        states = np.isin(self.group_of, groups)
        return bool((self.choice_of[states, a] == self.choice_of[states, b]).all())
