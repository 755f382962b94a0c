"""Choices as rows: the one form of transitions that the door works with."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from spotree.common.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceRows:
    """Transitions as rows: choice c takes `action[c]` in `state[c]`; its next states and their probabilities are
    the entries `row_start[c] : row_start[c + 1]` of `target` and `probability`.

    The choices may come in any order, and a target may occur twice in a row (the probabilities are added). Actions
    that a state does not offer have no row.
    """

    state: Ints
    action: Ints
    row_start: Ints
    target: Ints
    probability: Floats

    @property
    def num_choices(self) -> int:
        return len(self.state)

    @property
    def choice_of_transition(self) -> Ints:
        """[transition] -> choice."""
        return np.repeat(np.arange(self.num_choices), np.diff(self.row_start))

    def expected(self, per_transition: Floats) -> Floats:
        """[choice] the expectation of a quantity given per transition."""
        # A transition that never happens counts for nothing, whatever stands there.
        weighted = np.where(self.probability == 0, 0.0, self.probability * per_transition)
        sums: Floats = np.bincount(self.choice_of_transition, weighted, self.num_choices).astype(np.float64)
        return sums

    def sorted(self) -> tuple["ChoiceRows", Ints | None]:
        """The rows by state and then by action, and the old number of each (None: the order is as it was)."""
        step = np.diff(self.state)
        if ((step > 0) | ((step == 0) & (np.diff(self.action) >= 0))).all():
            return self, None
        order = np.lexsort((self.action, self.state))
        row_start, entry = gather_rows(self.row_start, order)
        return ChoiceRows(
            self.state[order], self.action[order], row_start, self.target[entry], self.probability[entry]
        ), order

    def matrix(self, num_states: int) -> sp.csr_matrix:
        """The rows [choice, next state] with ascending targets, each once, and no zeros."""
        shape = (self.num_choices, num_states)
        matrix = sp.csr_matrix((self.probability, self.target, self.row_start), shape=shape, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix


def gather_rows(row_start: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Offsets and entries of the given rows, laid one after the other."""
    length = np.diff(row_start)[rows]
    start = np.concatenate(([0], np.cumsum(length)))
    return start, np.arange(start[-1]) + np.repeat(row_start[:-1][rows] - start[:-1], length)
