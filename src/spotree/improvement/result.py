"""Result of an engine: tree, value, upper bound, status."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from spotree.trees.policy import TreePolicy
from spotree.trees.text import size_text
from spotree.trees.tree import Tree


class Status(StrEnum):
    """How a search ended; the value is the sentence to show."""

    OPTIMAL = "proved optimal"
    TRUSTED = "proved if the file that the run was resumed from is right, which was not checked"
    GAP = "proved within the gap tolerance"
    TIME_LIMIT = "stopped at the time limit; the tree is the best found"
    MEMORY_LIMIT = "stopped at the memory limit; the tree is the best found"
    INTERRUPTED = "interrupted; the tree is the best found"
    LOST = "lost its workers; the tree is the best found"


# by number of `Reason` in core/runtime/stop.hpp
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
    feature_names, action_names
        What `improve` was given as columns of data frames, else numbered; () from an engine, which knows no names.
    trusted
        The checkpoint that the bound rests on, because the run was resumed from it; None without one.
    """

    tree: Tree
    value: float
    bound: float
    status: Status
    seconds: float
    engine: str
    counts: Mapping[str, int] = field(default_factory=dict)
    feature_names: tuple[str, ...] = ()
    action_names: tuple[str, ...] = ()
    trusted: str | None = None

    def __repr__(self) -> str:
        value = f"value {self.value:.6g} <= {self.bound:.6g}"
        return f"<StepResult of {self.engine}: {size_text(self.tree)}, {value}, {self.status}>"

    @property
    def policy(self) -> TreePolicy:
        """The tree with the names of its features and actions."""
        return TreePolicy(self.tree, self.feature_names, self.action_names)

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
        """How far the bound is above the value, relative to the larger of their sizes, as `gap_tolerance` is.

        0 when proved optimal.
        """
        scale = max(abs(self.value), abs(self.bound))
        return 0.0 if self.proved_optimal or scale == 0 else (self.bound - self.value) / scale
