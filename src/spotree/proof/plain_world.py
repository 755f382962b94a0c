"""What remains of a model when only some actions are allowed: the plain checker's rows that can be taken."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spotree.axes import Floats

Mask = np.ndarray


@dataclass(frozen=True, eq=False)
class World:
    """Usable rows of reached states and their entries, each in the order in which a sweep takes them.

    Rows lead to reached states only, so whatever is asked of a part of the world can be found within it.
    """

    states: Mask  # [state] reached
    groups: Mask  # [group] reached
    pairs: np.ndarray  # [pair] (state, action) that may be taken, by number
    rows: np.ndarray  # [usable row] its number in the model
    state: np.ndarray  # [usable row]
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

    def part(self, states: Mask, groups: Mask, pairs: np.ndarray, usable: Mask) -> "World":
        """What these of its rows make up."""
        if usable.all():
            return World(
                states,
                groups,
                pairs,
                self.rows,
                self.state,
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
            pairs,
            self.rows[usable],
            self.state[usable],
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
