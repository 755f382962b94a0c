"""What every engine can do: find the best tree of a problem, within limits, with proof."""

from typing import Protocol

from spotree.step.limits import Limits
from spotree.step.problem import TreeProblem
from spotree.step.result import StepResult
from spotree.tree.tree import Tree


class Engine(Protocol):
    """A frozen setting with one verb; what a run accumulates lives in the run, never here."""

    @property
    def name(self) -> str: ...

    def best_tree(self, problem: TreeProblem, limits: Limits, start: Tree | None = None) -> StepResult: ...
