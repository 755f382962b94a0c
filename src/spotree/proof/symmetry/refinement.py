"""Colours of states that every symmetry keeps, and the symmetry that a permutation of groups leaves room for.

A colour is a 64-bit hash of what a state is and leads to. Equal colours prove nothing: the model is compared later.
"""

import numpy as np

from spotree.mdp.model import MDP
from spotree.proof.feature_classes import Groups

ROUNDS = 3  # of telling a state's neighbours: enough to tell most states apart
MOST_ROUNDS = 40  # until colours of images stay as they are
DIGITS = 40  # bits of a number that count: symmetric models are computed, and may differ in the last ones

Hash = np.ndarray  # of uint64


def mixed(number: Hash) -> Hash:
    """Well spread bits."""
    x = np.asarray(number).astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    spread: Hash = (x ^ (x >> np.uint64(31))) + np.uint64(0x9E3779B97F4A7C15)
    return spread


def hashed(numbers: np.ndarray) -> Hash:
    """Of floating-point numbers, without their last bits."""
    part, power = np.frexp(numbers)
    return mixed(np.round(part * 2.0**DIGITS).astype(np.int64) * 4099 + power)


def summed(values: Hash, start: np.ndarray) -> Hash:
    """Sums over ranges that follow each other, modulo 2^64."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
    sums: Hash = total[start[1:]] - total[start[:-1]]
    return sums


class Colours:
    """The model in the form in which colours spread: forward along rows and back."""

    def __init__(self, mdp: MDP, groups: Groups) -> None:
        self.mdp, self.groups = mdp, groups
        self.reward, self.probability = hashed(mdp.reward_of_choice), hashed(mdp.probability)
        self.start = hashed(mdp.initial)
        rows, states = len(mdp.reward_of_choice), np.repeat(np.arange(mdp.num_states), np.diff(mdp.choice_start))
        self.exists = groups.choice_of >= 0
        self.times = np.bincount(groups.choice_of[self.exists], minlength=rows).astype(np.uint64)  # [row] taken
        self.source = np.repeat(states, np.diff(mdp.row_start))  # [entry]
        self.row = np.repeat(np.arange(rows), np.diff(mdp.row_start))
        self.by_target = np.argsort(mdp.target, kind="stable")
        self.into = np.searchsorted(mdp.target[self.by_target], np.arange(mdp.num_states + 1))

    def of_groups(self) -> Hash:
        """[group] a colour that does not depend on the names of states, actions and features."""
        group_of = self.groups.group_of
        size = np.bincount(group_of[group_of >= 0], minlength=len(self.groups.state))
        colour = mixed(self.start + np.where(group_of >= 0, size[group_of], 0).astype(np.uint64))
        for _ in range(ROUNDS):
            of_action = mixed(self._choices(colour)).sum(axis=1, dtype=np.uint64)
            back = self.times[self.row] * mixed(self.probability + mixed(colour)[self.source])
            colour = mixed(colour * np.uint64(3) + of_action) + mixed(self._arriving(back))
        total = np.zeros(len(self.groups.state), np.uint64)
        np.add.at(total, group_of[group_of >= 0], mixed(colour[group_of >= 0]))
        return mixed(total)

    def completed(self, group: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Images of states and actions under a symmetry that permutes the groups like this, if there is one.

        States get colours twice: as they stand, and as they stand for the state whose image they are. What cannot be
        told apart is matched in order.
        """
        group_of, count = self.groups.group_of, len(self.groups.state)
        back = np.empty(count, int)
        back[group] = np.arange(count)
        here = mixed(group_of.astype(np.int64))
        there = mixed(np.where(group_of >= 0, back[group_of], group_of).astype(np.int64))
        here, there = mixed(here + self.start), mixed(there + self.start)
        action, kinds = np.arange(self.mdp.num_actions), 0
        for _ in range(MOST_ROUNDS):
            mine, others = self._choices(here), self._choices(there)
            of_mine, of_others = (
                mixed(side + mixed(colour)[:, None]).sum(axis=0, dtype=np.uint64)
                for side, colour in ((mine, here), (others, there))
            )
            matched = matching(of_mine, of_others)
            if matched is None:
                return None
            action = matched
            here = self._next(here, mine, of_mine)
            there = self._next(there, others[:, action], of_others[action], action)
            found = len(np.unique(here))
            if found in (kinds, self.mdp.num_states):
                break
            kinds = found
        state = matching(here, there)
        return None if state is None else (state, action)

    def _choices(self, colour: Hash) -> Hash:
        """[state, action] what the choice pays and where it leads."""
        ahead = mixed(self.probability + mixed(colour)[self.mdp.target])
        rows = mixed(self.reward + summed(ahead, self.mdp.row_start))
        return np.where(self.exists, rows[self.groups.choice_of], np.uint64(1))

    def _arriving(self, entries: Hash) -> Hash:
        return summed(entries[self.by_target], self.into)

    def _next(self, colour: Hash, choices: Hash, names: Hash, action: np.ndarray | None = None) -> Hash:
        """Colours after one more step forward and back; choices and names of actions in the order of the first side."""
        factor = mixed(np.arange(choices.shape[1]).astype(np.uint64)) | np.uint64(1)
        forward = (mixed(choices) * factor).sum(axis=1, dtype=np.uint64)
        taken = np.zeros(len(self.reward), np.uint64)  # [row] by which actions
        rows = self.groups.choice_of if action is None else self.groups.choice_of[:, action]
        exists = rows >= 0
        np.add.at(taken, rows[exists], np.broadcast_to(mixed(names + factor), rows.shape)[exists])
        entries = mixed(taken[self.row] + self.probability + mixed(colour)[self.source])
        found: Hash = mixed(colour * np.uint64(3) + forward) + mixed(self._arriving(entries))
        return found


def matching(mine: Hash, others: Hash) -> np.ndarray | None:
    """[place] of an equal among the others, each once; None if they are not the same."""
    one, other = np.argsort(mine, kind="stable"), np.argsort(others, kind="stable")
    if (mine[one] != others[other]).any():
        return None
    place = np.empty(len(mine), int)
    place[one] = other
    return place
