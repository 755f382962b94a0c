"""Why a tree takes an action in a state: the questions on the way and their answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from spotree.common.arrays import Floats
from spotree.common.sanitize import shown
from spotree.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class PathStep:
    """One question on the way: is `feature` below `threshold`? The state has `value`, so the `answer` is yes or no."""

    feature: str
    threshold: float
    value: float
    answer: bool

    @property
    def question(self) -> str:
        return f"{shown(self.feature)} < {self.threshold:.10g}"

    def __str__(self) -> str:
        return f"{self.question}?  {'yes' if self.answer else 'no'}: {shown(self.feature)} is {self.value:.10g}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The way of one state through a tree; `str()` reads, one question a line.

    Attributes
    ----------
    steps
        The questions, from the root on.
    action, action_number
        What is done in the end.
    leaf
        The node of the tree that says so.
    """

    steps: tuple[PathStep, ...]
    action: str
    action_number: int
    leaf: int

    def __str__(self) -> str:
        return "\n".join([*map(str, self.steps), f"so: {shown(self.action)}"])


def explained(tree: Tree, row: Floats, feature_names: Sequence[str], action_names: Sequence[str]) -> Explanation:
    """The way of a row [feature] through the tree."""
    node, steps = 0, []
    while (feature := int(tree.feature[node])) >= 0:
        value, threshold = float(row[feature]), float(tree.threshold[node])
        steps.append(PathStep(feature_names[feature], threshold, value, value < threshold))
        node = int(tree.left[node] if value < threshold else tree.right[node])
    number = int(tree.action[node])
    return Explanation(tuple(steps), action_names[number], number, node)
