"""Confidence intervals for simulated returns, and the range of returns they need.

Where the range of a return is known, an interval holds at any probability and for any number of episodes:
Clopper and Pearson's (1934) for two values, the empirical Bernstein bound of Maurer and Pontil (2009, theorem 4)
otherwise. Without a range there is only the normal approximation, with Johnson's correction for skewness (1978).
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.special import betaincinv

from spotree.common.arrays import Floats, PerState
from spotree.evaluation.transition_sampler import TransitionSampler

MOST_WORK = 2 * 10**8  # transitions that the sweeps of one side may look at: about a second
SMALL_REST = 1e-4  # of the total so far: what later rewards may add is then added in full


@dataclass(frozen=True, slots=True)
class ReturnRange:
    """No episode returns less than `least` or more than `most`; `two_valued` where it returns one of the two."""

    least: float
    most: float
    two_valued: bool = False


def return_range(dice: TransitionSampler, discount: float) -> ReturnRange:
    """The range over all paths from the initial states, however improbable; infinite where no bound is known.

    Undiscounted, a reward on a cycle of the chain can be earned any number of times.
    """
    reward = np.where(dice.met & ~dice.over, dice.reward, 0.0)
    if discount == 1 and (values := _paid_once(dice, reward)) is not None:
        return ReturnRange(float(values[0]), float(values[-1]), two_valued=len(values) <= 2)
    return ReturnRange(0.0 - _most(dice, -reward, discount), _most(dice, reward, discount))


def _paid_once(dice: TransitionSampler, reward: PerState) -> np.ndarray | None:
    """The possible returns, ascending, where every episode gets at most one reward; None where it may get several."""
    pays = reward != 0
    origin = np.repeat(np.arange(len(reward)), np.diff(dice.row_start))
    target = dice.target[:-1]
    if (pays[origin] & ~dice.over[target]).any():
        return None
    waits = dice.met & ~dice.over & ~pays
    nothing = (
        dice.over[dice.starts].any()
        or (waits & (dice.may_end | _on_cycles(dice))).any()
        or (waits[origin] & dice.over[target]).any()
    )
    found: np.ndarray = np.unique(np.concatenate((reward[pays], [0.0] * bool(nothing))))
    return found if len(found) else np.zeros(1)


def _most(dice: TransitionSampler, reward: PerState, discount: float) -> float:
    """The largest return of a path, by sweeps of r(s) + discount * max over the successors of s."""
    if discount == 1 and (reward[_on_cycles(dice)] > 0).any():
        return math.inf
    target, start = dice.target[:-1], dice.row_start
    rows = np.flatnonzero(np.diff(start))
    first = start[rows]
    stops = dice.may_end[rows]
    # Beyond k sweeps at most discount^k * later is added.
    later, size = (
        float(top.max(initial=0.0)) / (1.0 - discount) if discount < 1 else math.inf
        for top in (reward, np.abs(reward))
    )
    value, weight, same = np.zeros(len(reward)), 1.0, False
    sweeps = max(1, MOST_WORK // max(1, len(target)))
    for _ in range(sweeps if discount < 1 else min(sweeps, len(reward) + 1)):  # no path is longer without a cycle
        best = np.maximum.reduceat(value[target], first) if len(rows) else value[:0]
        following = reward.copy()
        following[rows] += discount * np.where(stops, np.maximum(best, 0.0), best)
        following[dice.over] = 0.0
        weight *= discount
        same = np.array_equal(following, value)
        value = following
        top = float(value[dice.starts].max())
        if same or weight * size <= SMALL_REST * abs(top):
            break
    return top if same else top + weight * later


def _on_cycles(dice: TransitionSampler) -> np.ndarray:
    """[state] whether the policy comes there and may come back from there."""
    states = len(dice.reward)
    target = dice.target[:-1]
    origin = np.repeat(np.arange(states), np.diff(dice.row_start))
    live = (dice.met & ~dice.over)[origin]
    graph = sp.csr_matrix((np.ones(int(live.sum())), (origin[live], target[live])), shape=(states, states))
    _, component = connected_components(graph, connection="strong")
    cyclic: np.ndarray = np.bincount(component, minlength=states)[component] > 1
    cyclic[origin[live & (origin == target)]] = True
    return cyclic


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
