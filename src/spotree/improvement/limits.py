"""Limits of an engine: time, threads, memory, gap."""

import math
import os
from dataclasses import dataclass
from numbers import Real
from typing import Any

from spotree.common.untrusted import in_short
from spotree.errors import InvalidProblemError
from spotree.improvement.problem import whole_from

MOST_THREADS = 2**31 - 1  # that may be asked for
MOST_PER_CORE = 4  # threads that are started


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
        Threads to use; None for all cores. No more than 4 are started for each core.
    """

    time: float | None = None
    memory: int | None = None
    gap_tolerance: float = 0.0
    threads: int | None = None

    def __post_init__(self) -> None:
        at_least(0, "time limit", self.time, " seconds")
        check_memory(self.memory)
        real_from(0, "gap tolerance", self.gap_tolerance)
        check_threads(self.threads)


def left_of(limit: float | None, spent: float) -> float | None:
    """What is left of a time limit; None where there is none."""
    return None if limit is None else max(0.0, limit - spent)


def check_threads(threads: Any) -> None:
    """How many; None for all cores."""
    if threads is not None:
        whole_from(1, "threads", threads, MOST_THREADS)


def check_memory(memory: Any) -> None:
    """Bytes; None for what is usual."""
    if memory is not None:
        whole_from(1, "memory limit", memory, 2**63 - 1)


def started_threads(asked: int | None) -> int:
    """So many, or one for each core; more than a few for each would only take memory."""
    cores = os.cpu_count() or 1
    return cores if asked is None else min(asked, MOST_PER_CORE * cores)


def at_least(least: int, name: str, value: Any, unit: str = "") -> None:
    """Refuse a smaller number, NaN, and what is no number; None is no limit."""
    if value is not None and not _as_float(value) >= least:
        raise InvalidProblemError(f"{name} is {in_short(value)}; it must be {least} or more{unit}")


def real_from(least: float, name: str, value: Any) -> None:
    """Refuse what is no finite number, or a smaller one."""
    if math.isfinite(number := _as_float(value)) and number >= least:
        return
    bound = f", {least} or more" if math.isfinite(least) else ""
    raise InvalidProblemError(f"{name} is {in_short(value)}; it must be a finite number{bound}")


def _as_float(value: Any) -> float:
    """The number, or NaN where it is none that a float can hold."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
