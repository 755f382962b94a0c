"""A tree in words: the questions on the way to a node, and one rule for each leaf."""

from collections.abc import Callable, Sequence

import numpy as np

from spotree.trees.tree import Tree


def number_text(value: float) -> str:
    """A number as a person writes it."""
    return f"{value:.10g}"


def conditions(
    tree: Tree, feature_names: Sequence[str], number: Callable[[float], str] = number_text
) -> list[tuple[str, ...]]:
    """[node] what is known of a state that comes there, each feature once: as in `2.5 <= x < 4`."""
    known: list[dict[int, tuple[float, float]]] = [{} for _ in range(tree.num_nodes)]
    for node in np.flatnonzero(tree.feature >= 0):  # parents stand before their children
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        low, high = known[node].get(feature, (-np.inf, np.inf))
        known[tree.left[node]] = known[node] | {feature: (low, min(high, threshold))}
        known[tree.right[node]] = known[node] | {feature: (max(low, threshold), high)}
    return [
        tuple(_range_text(feature_names[feature], *within, number) for feature, within in ranges.items())
        for ranges in known
    ]


def rules(
    tree: Tree,
    feature_names: Sequence[str],
    action_names: Sequence[str],
    number: Callable[[float], str] = number_text,
) -> list[str]:
    """One sentence for each leaf, from left to right."""
    known = conditions(tree, feature_names, number)
    return [
        f"If {' and '.join(known[leaf])}: {action_names[tree.action[leaf]]}."
        if known[leaf]
        else f"Always: {action_names[tree.action[leaf]]}."
        for leaf in leaves_in_order(tree)
    ]


def leaves_in_order(tree: Tree, root: int = 0) -> list[int]:
    """The leaves below a node from left to right, as a reader meets them."""
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        if tree.feature[node] < 0:
            found.append(node)
        else:
            stack += [int(tree.right[node]), int(tree.left[node])]
    return found


def _range_text(name: str, low: float, high: float, number: Callable[[float], str]) -> str:
    if low == -np.inf:
        return f"{name} < {number(high)}"
    if high == np.inf:
        return f"{name} >= {number(low)}"
    return f"{number(low)} <= {name} < {number(high)}"
