"""When an engine must stop."""

from dataclasses import dataclass

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
        if self.time is not None and not self.time >= 0:
            raise InvalidProblemError(f"time limit is {self.time}; it must be 0 or more seconds")
        if self.memory is not None and self.memory <= 0:
            raise InvalidProblemError(f"memory limit is {self.memory}; it must be more than 0 bytes")
        if not self.gap_tolerance >= 0:
            raise InvalidProblemError(f"gap tolerance is {self.gap_tolerance}; it must be 0 or more")
        if self.threads is not None and self.threads < 1:
            raise InvalidProblemError(f"threads is {self.threads}; it must be 1 or more")
