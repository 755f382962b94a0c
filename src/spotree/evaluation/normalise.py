"""Returns on a common scale."""

import math


def of_optimum(value: float, optimum: float) -> float:
    """The share of the best possible return (J / J*): the paper's scale. nan if the optimum is 0."""
    return value / optimum if optimum != 0.0 else math.nan


def over_random(value: float, optimum: float, random: float) -> float:
    """0 for the random policy, 1 for the best one: dtPAYNT's and OMDT's scale.

    nan if both are worth the same, or the random one -inf.
    """
    return (value - random) / (optimum - random) if optimum != random and math.isfinite(random) else math.nan
