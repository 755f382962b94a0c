"""What an engine answers: a tree, what it is worth, and what no tree can exceed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from spotree.tree.text import size_text
from spotree.tree.tree import Tree


class Status(StrEnum):
    """How a search ended; the value is the sentence to show."""

    OPTIMAL = "proved optimal"
    GAP = "proved within the gap tolerance"
    TIME_LIMIT = "stopped at the time limit; the tree is the best found"
    MEMORY_LIMIT = "stopped at the memory limit; the tree is the best found"
    INTERRUPTED = "interrupted; the tree is the best found"
    LOST = "lost its workers; the tree is the best found"


# by number of `Reason` in core/run/stop.hpp
REASONS = (Status.OPTIMAL, Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.INTERRUPTED)


@dataclass(frozen=True, slots=True, eq=False)
class StepResult:
    """The best tree found for a `TreeProblem`, with its proof.

    Attributes
    ----------
    value
        Sum of the gains that `tree` collects, recomputed from the original gains (the lower bound, beta).
    bound
        Proven upper bound on that sum over all trees of the problem (alpha); never below `value`.
    counts
        What the engine did, by name (nodes, subproblems, cache hits ...).
    """

    tree: Tree
    value: float
    bound: float
    status: Status
    seconds: float
    engine: str
    counts: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        value = f"value {self.value:.6g} <= {self.bound:.6g}"
        return f"<StepResult of {self.engine}: {size_text(self.tree)}, {value}, {self.status}>"

    @property
    def proved_optimal(self) -> bool:
        """Whether no tree of the problem collects more (up to rounding)."""
        return self.status is Status.OPTIMAL

    @property
    def optimal(self) -> bool:
        """The same as `proved_optimal`."""
        return self.proved_optimal

    @property
    def gap(self) -> float:
        """How far the bound is above the value, relative to the larger of their sizes; 0 when proved optimal."""
        return relative_gap(self.value, self.bound, self.proved_optimal)


def relative_gap(value: float, bound: float, proved: bool) -> float:
    """(bound - value) / max(|bound|, |value|), the one meaning of "gap" here; 0 for a complete proof."""
    scale = max(abs(value), abs(bound))
    return 0.0 if proved or scale == 0 else (bound - value) / scale
