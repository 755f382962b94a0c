"""Returns on a common scale."""

import math


def of_optimum(value: float, optimum: float) -> float:
    """value / optimum: the paper's normalised return (1 is best only where the optimum is positive)."""
    return value / optimum if optimum != 0 else math.nan


def over_random(value: float, optimum: float, random_value: float) -> float:
    """(value - random) / (optimum - random): 0 for the uniformly random policy, 1 for the optimum."""
    room = optimum - random_value
    return (value - random_value) / room if room > 0 else math.nan
