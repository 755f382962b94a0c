"""A tree as text that a person can follow with a finger."""

from collections.abc import Callable, Iterator, Sequence

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
