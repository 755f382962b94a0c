"""What every engine can do: find the best tree of a problem, within limits, with proof."""

from abc import ABC, abstractmethod
from typing import ClassVar, Self, final

from spotree.common.arrays import Features
from spotree.improvement.limits import Limits
from spotree.improvement.problem import TreeProblem, check_start
from spotree.improvement.result import StepResult
from spotree.trees.tree import Tree


class Engine(ABC):
    """A frozen setting with one verb of its own, `search`; what a run accumulates lives in the run, never here.

    An engine of your own is a frozen dataclass of this kind: see docs/adding-an-engine.md.

    Attributes
    ----------
    name
        What results and reports call it.
    reduces
        Whether it merges and drops rows itself; the others are handed a problem that is reduced already.
    """

    __slots__ = ()
    reduces: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def search(self, problem: TreeProblem, limits: Limits, start: Tree | None) -> StepResult:
        """The best tree found; `start` is known to be a tree of the problem, and the answer is never worse."""

    def prepared(self, features: Features, time_limit: float | None = None) -> Self:
        """The same engine with what it can know of a feature matrix before it sees any gain."""
        return self

    @final
    def best_tree(self, problem: TreeProblem, limits: Limits, start: Tree | None = None) -> StepResult:
        """Call the engine on a problem as it stands; `spotree.improvement.best_tree` reduces it first."""
        check_start(problem, start)
        return self.search(problem, limits, start)
