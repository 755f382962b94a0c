"""A tree under construction: nested nodes that are joined into arrays at the end."""

from dataclasses import dataclass

from spotree.trees.tree import Tree, make_tree


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf (no children) or a split over two subtrees; equal subtrees compare equal."""

    action: int = -1
    feature: int = -1
    threshold: float = 0.0
    left: "Node | None" = None
    right: "Node | None" = None


def split(feature: int, threshold: float, left: Node, right: Node) -> Node:
    """A split over two subtrees, or the subtree itself where both are the same."""
    return left if left == right else Node(feature=feature, threshold=threshold, left=left, right=right)


def join(root: Node) -> Tree:
    """The arrays of a tree, in preorder."""
    nodes: list[Node] = []
    left: list[int] = []
    right: list[int] = []

    waiting: list[tuple[Node, list[int], int]] = [(root, [-1], 0)]  # a node, and where its number belongs
    while waiting:  # a deep tree would be too much for a recursion
        node, numbers, parent = waiting.pop()
        numbers[parent] = number = len(nodes)
        nodes.append(node)
        left.append(-1)
        right.append(-1)
        if node.left is not None and node.right is not None:
            waiting.append((node.right, right, number))
            waiting.append((node.left, left, number))
    return make_tree(
        [node.feature for node in nodes],
        [node.threshold for node in nodes],
        left,
        right,
        [node.action for node in nodes],
    )
