"""What every engine can do: find the best tree of a problem, within limits, with proof."""

from typing import Protocol

from spotree.search.limits import Limits
from spotree.search.problem import TreeProblem
from spotree.search.result import StepResult
from spotree.tree.tree import Tree


class Engine(Protocol):
    """A frozen setting with one verb; what a run accumulates lives in the run, never here."""

    @property
    def name(self) -> str: ...

    def best_tree(self, problem: TreeProblem, limits: Limits, start: Tree | None = None) -> StepResult: ...
