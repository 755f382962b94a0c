"""Confidence intervals of an expected return from played episodes, some of which may be cut.

Where the range of a return is known, an interval holds at any probability and for any number of episodes:
Clopper and Pearson's (1934) for two values, the empirical Bernstein bound of Maurer and Pontil (2009, theorem 4)
otherwise. Without a range there is only the normal approximation, with Johnson's correction for skewness (1978).
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import betaincinv

from spotree.common.arrays import Floats
from spotree.evaluation.return_range import ReturnRange

IntervalKind: TypeAlias = Literal["Clopper-Pearson", "empirical Bernstein", "normal"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the expected return lies, and what that rests on."""

    low: float
    high: float
    kind: IntervalKind


def interval_of(low: Floats, high: Floats, possible: ReturnRange, confidence: float) -> Interval:
    """The interval of an expected return.

    Parameters
    ----------
    low, high
        [episode] what it returns at least and at most in expectation; they differ where it was cut.
    possible
        What any episode returns.
    """
    aside = (1.0 - confidence) / 2  # may fail on each side
    if possible.two_valued:
        span = possible.most - possible.least
        middle = possible.least + span / 2
        least, most = _clopper_pearson(
            int(np.count_nonzero(low > middle)), int(np.count_nonzero(high > middle)), len(low), aside
        )
        return Interval(possible.least + span * least, possible.least + span * most, "Clopper-Pearson")
    bounded = math.isfinite(possible.most - possible.least)
    below = _bernstein(low, possible, aside) if bounded else _normal(low, aside)
    above = _bernstein(high, possible, aside) if bounded else _normal(high, aside)
    return Interval(
        max(_mean(low) - below, possible.least),
        min(_mean(high) + above, possible.most),
        "empirical Bernstein" if bounded else "normal",
    )


def _mean(values: Floats) -> float:
    if not np.isfinite(values).all():
        return float(values.mean())  # an infinity, all of one sign
    return math.fsum(values) / len(values)


def _clopper_pearson(least: int, most: int, number: int, aside: float) -> tuple[float, float]:
    """Limits of a probability, of which between `least` and `most` of `number` draws were a success."""
    low = 0.0 if least == 0 else float(betaincinv(least, number - least + 1, aside))
    high = 1.0 if most == number else float(betaincinv(most + 1, number - most, 1.0 - aside))
    return low, high


def _bernstein(values: Floats, possible: ReturnRange, aside: float) -> float:
    number, span = len(values), possible.most - possible.least
    if number == 1:
        return span
    log = math.log(2.0 / aside)
    spread = float(values.std(ddof=1))
    return spread * math.sqrt(2.0 * log / number) + 7.0 * span * log / (3.0 * (number - 1))


def _normal(values: Floats, aside: float) -> float:
    number = len(values)
    if number == 1 or not np.isfinite(values).all():
        return math.inf
    spread, z = float(values.std(ddof=1)), NormalDist().inv_cdf(1.0 - aside)
    if spread == 0:
        return 0.0
    third = float(((values - values.mean()) ** 3).mean())
    return z * spread / math.sqrt(number) + abs(third) / (6 * spread**2 * number) * (1 + 2 * z**2)
