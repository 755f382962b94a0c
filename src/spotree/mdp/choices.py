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


ROUNDING = 2.0**-50  # 0.1 + 0.9 is above 1 as well, by 3e-17: so much is no reason to change what was given
_BITS = 40  # of a digit: the sum of a row of up to 2**23 digits fits in an int64


def at_most_one(row_start: Ints, probability: Floats, slack: float = ROUNDING) -> Floats:
    """The probabilities; where a row's exact sum is above 1 + slack, its largest entry is lowered until it is 1.

    The other rows stay as they are, bit for bit, so doing it twice changes nothing.
    """
    high = np.flatnonzero(above_one(row_start, probability) > slack)
    if len(high) == 0:
        return probability
    start, entry = gather_rows(row_start, high)
    part = probability[entry]
    row = np.repeat(np.arange(len(high)), np.diff(start))
    is_largest = part == np.maximum.reduceat(part, start[:-1])[row]
    largest = np.flatnonzero(is_largest)[np.unique(row[is_largest], return_index=True)[1]]
    while ((above := above_one(start, part)) > 0).any():
        was = part[largest]
        part[largest] = np.where(above > 0, np.minimum(was - above, np.nextafter(was, 0.0)), was)
    lowered = probability.copy()
    lowered[entry] = part
    return lowered


def slack_of(discount: float) -> float:
    """How far above 1 a row's sum may be: discount * sum stays below 1, and 1 / (1 - that) hardly changes."""
    return min(ROUNDING, (1 - discount) / 1024) if discount < 1 else ROUNDING


def above_one(row_start: Ints, probability: Floats) -> Floats:
    """[row] its sum less 1, above 0 just where the sum is: added up as whole numbers, in three digits of 40 bits.

    What is smaller than the last digit is rounded up, so that a sum is never taken for less than it is.
    """
    digits = []
    rest = probability
    for place in range(3):
        rest = rest * 2.0**_BITS
        digit = np.ceil(rest) if place == 2 else np.floor(rest)
        rest = rest - digit
        digits.append(np.diff(np.concatenate(([0], np.cumsum(digit.astype(np.int64))))[row_start]))
    high, middle, low = digits
    middle = middle + (low >> _BITS)
    high = high + (middle >> _BITS) - 2**_BITS
    below = 2**_BITS - 1
    above: Floats = high * 2.0**-_BITS + (
        (middle & below) * 2.0 ** (-2 * _BITS) + (low & below) * 2.0 ** (-3 * _BITS)
    )
    return above
