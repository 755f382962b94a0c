"""A computed number, or array of them, with a bound on its error."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from spotree.common.arrays import Floats

T = TypeVar("T", float, Floats)


@dataclass(frozen=True, slots=True, eq=False)
class Certified(Generic[T]):
    """What was computed, and how far from the truth it can be at most.

    The bound is proved: the residual of the equations, rounding included, times the norm of their inverse
    (at most 1 / (1 - discount)). It is inf where no such proof was found.

    Attributes
    ----------
    error
        Absolute. Of an array: no value of a state is off by more; occupancies are not off by more in total.
    """

    value: T
    error: float

    @property
    def relative(self) -> float:
        """The error as a share of the largest value; 0 where there is none."""
        if self.error == 0.0:
            return 0.0
        known = np.abs(np.atleast_1d(self.value))
        largest = float(known[np.isfinite(known)].max(initial=0.0))
        return self.error / largest if largest > 0.0 else np.inf
