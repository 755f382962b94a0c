"""How far sums of probabilities are above 1 as real numbers, not as rounded ones: bounds rest on it."""

import numpy as np

from spotree.common.arrays import Floats, Ints
from spotree.mdp.choices import gather_rows

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
