"""What remains of a model when only some actions are allowed: the plain checker's rows that can be taken."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from spotree.common.arrays import Floats

Mask = np.ndarray


@dataclass(frozen=True, eq=False)
class World:
    """Usable rows of reached states and their entries, each in the order in which a sweep takes them.

    Rows lead to reached states only, so whatever is asked of a part of the world can be found within it.
    """

    states: Mask  # [state] reached
    groups: Mask  # [group] reached
    rows: np.ndarray  # [usable row] its number in the model
    state: np.ndarray  # [usable row]
    group: np.ndarray  # [usable row]
    actions: np.ndarray  # [8 actions, usable row] those that lead to it, as bits
    reward: Floats  # [usable row]
    entries: np.ndarray  # [entry] its number in the model
    row_of: np.ndarray  # [entry] place of its row among the usable ones
    target: np.ndarray  # [entry]
    probability: Floats  # [entry]

    @cached_property
    def source(self) -> np.ndarray:
        """[entry]"""
        source: np.ndarray = self.state[self.row_of]
        return source

    @cached_property
    def as_graph(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All states, first those with rows in their order; where the entries of each begin; [state] its place."""
        first = np.flatnonzero(np.diff(self.state, prepend=-1))
        without = np.ones(len(self.states), bool)
        without[self.state[first]] = False
        order = np.concatenate([self.state[first], np.flatnonzero(without)])
        begins = np.full(len(order) + 1, len(self.entries))
        begins[: len(first)] = np.searchsorted(self.row_of, first)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        return order, begins, place

    def reached(self, initial: np.ndarray, usable: Mask) -> Mask:
        """[state] whether usable rows lead there from one of the initial states."""
        order, begins, place = self.as_graph
        kept = usable[self.row_of]
        onward = place[np.concatenate([self.target[kept], initial])]  # one more node leads to the initial states
        begin = np.append(np.concatenate([[0], np.cumsum(kept, dtype=np.int32)])[begins], len(onward))
        graph = sparse.csr_array((np.ones(len(onward)), onward, begin), shape=(len(begin) - 1, len(begin) - 1))
        seen = breadth_first_order(graph, len(order), return_predecessors=False)[1:]
        found = np.zeros(len(order), bool)
        found[order[seen]] = True
        return found

    def part(self, states: Mask, groups: Mask, usable: Mask) -> "World":
        """What these of its rows make up."""
        if usable.all():
            return World(
                states,
                groups,
                self.rows,
                self.state,
                self.group,
                self.actions,
                self.reward,
                self.entries,
                self.row_of,
                self.target,
                self.probability,
            )
        mine = np.flatnonzero(usable[self.row_of])
        place = np.cumsum(usable) - 1
        return World(
            states,
            groups,
            self.rows[usable],
            self.state[usable],
            self.group[usable],
            self.actions[:, usable],
            self.reward[usable],
            self.entries[mine],
            place[self.row_of[mine]],
            self.target[mine],
            self.probability[mine],
        )

    def ahead(self, value: Floats) -> Floats:
        """[usable row] expected value of the next state."""
        found: np.ndarray = np.bincount(self.row_of, self.probability * value[self.target], len(self.rows))
        return found
