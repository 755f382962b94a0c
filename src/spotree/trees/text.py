"""A tree as text that a person can follow with a finger."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from spotree.common.arrays import Floats
from spotree.common.sanitize import shown
from spotree.trees.tree import Tree


def leaves_text(count: int) -> str:
    """A number of leaves, as in "8 leaves"."""
    return f"{count} {'leaf' if count == 1 else 'leaves'}"


def size_text(tree: Tree) -> str:
    """Depth and number of leaves, as in "depth 3, 8 leaves"."""
    return f"depth {tree.depth}, {leaves_text(tree.num_leaves)}"


def tree_text(
    tree: Tree,
    feature_names: Sequence[str] = (),
    action_names: Sequence[str] = (),
    number: Callable[[float], str] = "{:.10g}".format,
) -> str:
    """The tree, one test or action a line; the branch taken when the test holds comes first."""

    def test(node: int) -> str:
        feature = int(tree.feature[node])
        name = feature_names[feature] if feature_names else f"feature {feature}"
        return f"{shown(name)} < {number(float(tree.threshold[node]))}"

    def take(node: int) -> str:
        action = int(tree.action[node])
        return shown(action_names[action]) if action_names else f"action {action}"

    def lines() -> Iterator[str]:
        stack = [(0, "", "")]
        while stack:  # a deep tree would be too much for a recursion
            node, indent, answer = stack.pop()
            if tree.feature[node] < 0:
                yield f"{indent}{answer}{take(node)}"
                continue
            yield f"{indent}{answer}{test(node)}?"
            deeper = indent if not answer else indent + ("│   " if answer.startswith("├") else "    ")
            stack.append((int(tree.right[node]), deeper, "└─ no:  "))
            stack.append((int(tree.left[node]), deeper, "├─ yes: "))

    return "\n".join(lines())


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
