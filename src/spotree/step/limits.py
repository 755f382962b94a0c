"""When an engine must stop."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from spotree.errors import InvalidProblemError


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the work of one engine call; None means no bound.

    Attributes
    ----------
    time
        Wall-clock seconds.
    memory
        Bytes that caches and frontiers may take.
    gap_tolerance
        Stop once upper - lower <= gap_tolerance * max(|upper|, |lower|) (the paper's delta, made relative).
    threads
        Threads to use; None for all cores.
    """

    time: float | None = None
    memory: int | None = None
    gap_tolerance: float = 0.0
    threads: int | None = None

    def __post_init__(self) -> None:
        at_least(0, "time limit", self.time, " seconds")
        if self.memory is not None and self.memory <= 0:
            raise InvalidProblemError(f"memory limit is {self.memory}; it must be more than 0 bytes")
        at_least(0, "gap tolerance", self.gap_tolerance)
        at_least(1, "threads", self.threads)


def left_of(limit: float | None, spent: float) -> float | None:
    """What is left of a time limit; None where there is none."""
    return None if limit is None else max(0.0, limit - spent)


def at_least(least: int, name: str, value: float | None, unit: str = "") -> None:
    """Refuse a smaller number, and NaN; None is no limit."""
    if value is not None and not value >= least:
        raise InvalidProblemError(f"{name} is {value}; it must be {least} or more{unit}")


def real_from(least: float, name: str, value: Any) -> None:
    """Refuse what is no finite number, or a smaller one."""
    if isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value) and float(value) >= least:
        return
    bound = f", {least} or more" if math.isfinite(least) else ""
    raise InvalidProblemError(f"{name} is {value!r}; it must be a finite number{bound}")
