"""The checker's own picture of the model, and what the lemmas say about it: plain arrays, nothing clever."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spotree.axes import Floats
from spotree.mdp.model import MDP

Mask = np.ndarray


@dataclass(frozen=True, slots=True)
class World:
    """What remains when only allowed actions are taken."""

    usable: Mask  # [row]
    states: Mask  # [state] reached
    groups: Mask  # [group] reached


class Plain:
    """Rows, groups and start of an MDP."""

    def __init__(self, mdp: MDP) -> None:
        self.num_states, self.num_actions, self.discount = mdp.num_states, mdp.num_actions, mdp.discount
        self.initial, self.features, self.choice_of = mdp.initial, mdp.features, mdp.choice_of
        self.reward = mdp.reward_of_choice
        self.num_rows = len(self.reward)
        self.state_of_row = np.repeat(np.arange(self.num_states), np.diff(mdp.choice_start))
        self.row_of = np.repeat(np.arange(self.num_rows), np.diff(mdp.row_start))  # [entry]
        self.target, self.probability = mdp.target, mdp.probability
        number: dict[bytes, int] = {}
        self.group_of = np.array([number.setdefault(row.tobytes(), len(number)) for row in mdp.features + 0.0])
        self.num_groups = len(number)
        pair = self.state_of_row[self.row_of] * self.num_states + self.target
        self.by_pair = np.argsort(pair, kind="stable")  # entries of one (state, next state) stand together
        self.pair_start = np.flatnonzero(np.r_[True, np.diff(pair[self.by_pair]) > 0]) if len(pair) else pair
        first = self.by_pair[self.pair_start]
        self.pair_state, self.pair_target = self.state_of_row[self.row_of[first]], self.target[first]
        self.column = np.full(self.num_groups, -1)  # filled by Trees: groups in which something is decided

    def worth(self, value: Floats) -> Floats:
        """[row] reward now plus discounted value later."""
        later = np.bincount(self.row_of, self.probability * value[self.target], self.num_rows)
        return self.reward + self.discount * later

    def spread(self) -> float:
        return float(np.ptp(self.reward)) if len(self.reward) else 0.0

    def sides(self, feature: Any, threshold: Any) -> list[Mask]:
        """[split][group] whether the group goes left."""
        first = np.unique(self.group_of, return_index=True)[1]
        return [self.features[first, f] < t for f, t in zip(feature, threshold, strict=True)]

    def tree_return(self, tree: dict[str, list[Any]], depth: int, max_leaves: int | None) -> float:
        """Return of a tree, evaluated from scratch; its size is checked on the way."""
        action, leaves = np.full(self.num_states, -1), 0

        def walk(node: int, here: Mask, level: int) -> None:
            nonlocal leaves
            if tree["feature"][node] < 0:
                leaves += 1
                action[here] = tree["action"][node]
                return
            if level == depth:
                raise ValueError("the tree is deeper than the certificate says")
            below = self.features[:, tree["feature"][node]] < tree["threshold"][node]
            walk(tree["left"][node], here & below, level + 1)
            walk(tree["right"][node], here & ~below, level + 1)

        walk(0, np.ones(self.num_states, bool), 0)
        if max_leaves is not None and leaves > max_leaves:
            raise ValueError(f"the tree has {leaves} leaves, more than {max_leaves}")
        if (action < 0).any():
            raise ValueError("a leaf of the tree has no action")
        allowed = np.zeros((self.num_groups, self.num_actions), bool)
        allowed[self.group_of, action] = True
        world = self.restrict(allowed)
        if world is None:
            raise ValueError("the tree takes a forbidden action")
        states, rows = np.flatnonzero(world.states), self.choice_of[np.arange(self.num_states), action]
        inverse = np.full(self.num_states, -1)
        inverse[states] = np.arange(len(states))
        if len(states) <= 3000:
            matrix = np.eye(len(states))
            mine = np.isin(self.row_of, rows[states])
            where = inverse[self.state_of_row[self.row_of[mine]]], inverse[self.target[mine]]
            np.subtract.at(matrix, where, self.discount * self.probability[mine])
            value = np.zeros(self.num_states)
            value[states] = np.linalg.solve(matrix, self.reward[rows[states]])
            return float(self.initial @ value)
        value, change = np.zeros(self.num_states), np.inf
        while change > 1e-13 * (1 - self.discount) * max(1.0, np.abs(value).max()):
            fresh = np.where(world.states, self.worth(value)[np.maximum(rows, 0)], 0.0)
            change, value = float(np.abs(fresh - value).max()), fresh
        return float(self.initial @ value)

    def restrict(self, allowed: Mask) -> World | None:
        """Usable rows and reached states under allowed actions; None if no policy keeps to them."""
        usable = np.zeros(self.num_rows, bool)
        offered = allowed[self.group_of] & (self.choice_of >= 0)
        usable[self.choice_of[offered]] = True
        alive = np.ones(self.num_states, bool)
        if (self.choice_of < 0).any():
            while True:  # a state is dead when every allowed action is forbidden there or may lead to a dead state
                now = np.bincount(self.state_of_row[usable], minlength=self.num_states) > 0
                if (now == alive).all():
                    break
                alive = now
                usable[self.row_of[~alive[self.target]]] = False
        states = self.initial > 0
        if not alive[states].all():
            return None
        while True:
            onward = self.target[usable[self.row_of] & states[self.state_of_row[self.row_of]]]
            if states[onward].all():
                break
            states = states.copy()
            states[onward] = True
        if not (np.bincount(self.state_of_row[usable], minlength=self.num_states)[states] > 0).all():
            return None
        groups = np.zeros(self.num_groups, bool)
        groups[self.group_of[states]] = True
        return World(usable & states[self.state_of_row], states, groups)

    def bound(self, world: World, value: Floats) -> tuple[float, Floats]:
        """Lemma 1: no allowed policy returns more than this; and the regret of every row (lemma 2)."""
        below = value[self.state_of_row] - self.worth(value)
        excess = max(0.0, float(-below[world.usable].min(initial=0.0)))
        regret = np.where(world.usable, np.maximum(below, 0.0), 0.0)
        return float(self.initial @ value) + excess / (1 - self.discount), regret

    def floor_bound(self, world: World, value: Floats, scale: float, state: int) -> float:
        """Lemma 4: scale * return - visits of the state is at most this for every allowed policy."""
        worth = self.worth(value) + (scale - 1) * self.reward - (self.state_of_row == state)
        excess = max(0.0, float((worth - value[self.state_of_row])[world.usable].max(initial=0.0)))
        return float(self.initial @ value) + excess / (1 - self.discount)

    def checked_visits(self, world: World, visits: Floats, floor: Floats) -> tuple[Floats, float] | None:
        """Lemma 3: the visits as far as they are proven, and by how much (in sum) they miss the proof."""
        visits = np.where(world.states, visits, 0.0)
        if (visits < 0).any():
            return None
        if len(self.by_pair) == 0:
            return visits, float(np.maximum(visits - np.maximum(floor, self.initial), 0.0).sum())
        usable = world.usable[self.row_of[self.by_pair]]
        lowest = np.minimum.reduceat(np.where(usable, self.probability[self.by_pair], np.inf), self.pair_start)
        having = np.add.reduceat(usable.astype(int), self.pair_start)
        count = np.bincount(self.state_of_row[world.usable], minlength=self.num_states)[self.pair_state]
        lowest = np.where((having == count) & (count > 0), lowest, 0.0)
        coming = np.bincount(self.pair_target, lowest * visits[self.pair_state], self.num_states)
        arriving = self.initial + self.discount * coming
        return visits, float(np.maximum(visits - np.maximum(floor, arriving), 0.0).sum())

    def costs(self, world: World, allowed: Mask, visits: Floats, regret: Floats) -> Floats:
        """[group, action] the least regret that taking the action there costs; infinite where it is not allowed."""
        row = np.maximum(self.choice_of, 0)
        fine = (self.choice_of >= 0) & world.usable[row]
        each = np.where(fine, visits[:, None] * regret[row], np.where(visits[:, None] > 0, np.inf, 0.0))
        place = self.group_of[:, None] * self.num_actions + np.arange(self.num_actions)
        finite = np.bincount(
            place.ravel(), np.where(np.isinf(each), 0, each).ravel(), self.num_groups * self.num_actions
        )
        never = np.bincount(place.ravel(), np.isinf(each).ravel(), self.num_groups * self.num_actions) > 0
        cost = np.where(never, np.inf, finite).reshape(self.num_groups, self.num_actions)
        return np.where(world.groups[:, None] & ~allowed, np.inf, np.where(world.groups[:, None], cost, 0.0))

    def alike(self, groups: np.ndarray, a: int, b: int) -> bool:
        """Whether two actions do the same in all states of some groups."""
        states = np.isin(self.group_of, groups)
        return bool((self.choice_of[states, a] == self.choice_of[states, b]).all())
