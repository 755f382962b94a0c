"""What a solver tells of a program: solutions and bounds on the way, and how it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from spotree.common.arrays import Floats


class End(Enum):
    """Why a solver stopped."""

    PROVED = "it proved the best solution"
    INFEASIBLE = "it proved that there is none"
    TIME = "its time was up"
    ENOUGH = "the caller had enough"
    LOST = "its process ended"
    INTERRUPTED = "Ctrl-C"


@dataclass(frozen=True, slots=True, eq=False)
class News:
    """One message of a running solver: a better solution, a better bound, or both."""

    bound: float
    solution: Floats | None = None
    nodes: int = 0


Listener: TypeAlias = Callable[[News], bool]  # answers True when the solver may stop


@dataclass(frozen=True, slots=True)
class Orders:
    """How a solver is to work.

    Attributes
    ----------
    seconds
        Wall-clock seconds, None for no limit.
    threads
        None for the solver's choice.
    memory
        Bytes that the solver may take beyond what its process has at the start, None for no limit.
    tolerance
        How far a whole number may be off, and a row broken.
    """

    seconds: float | None = None
    threads: int | None = None
    memory: int | None = None
    tolerance: float = 1e-9
