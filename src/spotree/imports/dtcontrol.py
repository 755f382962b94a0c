"""A tree of dtControl, as its JSON says it: {"actual_label": [...], "children": [...], "split": {...}}, nested."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spotree.common.untrusted import ClaimError, in_short
from spotree.errors import InvalidProblemError
from spotree.imports.labels import action_of_label, feature_of_name
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import make_tree

MOST_NODES = 10**6


def is_dtcontrol(document: object) -> bool:
    """Whether the document looks like a tree of dtControl."""
    if not isinstance(document, dict) or "split" not in document:
        return False
    return any(key in document for key in ("children", "left", "actual_label"))


def from_dtcontrol(
    document: Mapping[str, Any], feature_names: Sequence[str], action_names: Sequence[str]
) -> TreePolicy:
    """The policy of a document whose splits compare one variable with a number.

    Where a leaf leaves several actions open, the first is taken.
    """
    feature: list[int] = []
    threshold: list[float] = []
    left: list[int] = []
    right: list[int] = []
    action: list[int] = []
    waiting: list[tuple[Any, int, bool]] = [(document, -1, True)]
    while waiting:
        entry, parent, goes_left = waiting.pop()
        node = len(feature)
        if node >= MOST_NODES:
            raise ClaimError(f"the tree has more than {MOST_NODES:,} nodes")
        if not isinstance(entry, dict):
            raise ClaimError(f"node {node} is {in_short(entry)}; it must be an object")
        if parent >= 0:
            (left if goes_left else right)[parent] = node
        children = _children(entry, node)
        split = entry.get("split")
        if children:
            place, number = _split(split, node, feature_names)
            waiting += [(children[1], node, False), (children[0], node, True)]
        else:
            place, number = -1, 0.0
        feature.append(place)
        threshold.append(number)
        left.append(-1)
        right.append(-1)
        action.append(-1 if children else _action(entry.get("actual_label"), node, action_names))
    return TreePolicy(make_tree(feature, threshold, left, right, action), tuple(feature_names), tuple(action_names))


def _children(entry: Mapping[str, Any], node: int) -> list[Any]:
    children = entry.get("children")
    if children is None:
        children = [entry[side] for side in ("left", "right") if entry.get(side) is not None]
    if not isinstance(children, list):
        raise ClaimError(f"node {node}: children is {in_short(children)}; it must be a list")
    if len(children) not in (0, 2):
        raise ClaimError(f"node {node}: has {len(children)} children; spotree's trees ask yes or no")
    return children


def _split(split: Any, node: int, feature_names: Sequence[str]) -> tuple[int, float]:
    """The feature and the threshold that a value must be below to go left."""
    if not isinstance(split, dict) or not {"lhs", "op", "rhs"} <= set(split):
        raise ClaimError(f"node {node}: split is {in_short(split)}; it must have lhs, op and rhs")
    sides, sign = split["lhs"], split["op"]
    if sign not in ("<=", "<"):
        kind = "a categorical split" if sign in ("==", "=", "multi") else "a split"
        raise ClaimError(f"node {node}: {kind} with {in_short(sign)}; spotree's trees ask whether x <= number")
    sides = sides if isinstance(sides, list) else [sides]
    if not all(isinstance(side, dict) and "var" in side for side in sides):
        raise ClaimError(f"node {node}: the left side is {in_short(split['lhs'])}, not one variable")
    if len(sides) != 1:
        raise ClaimError(f"node {node}: a linear split of {len(sides)} variables; spotree's trees compare one")
    try:
        coefficient, number = float(sides[0].get("coeff", 1)), float(split["rhs"])
    except (TypeError, ValueError, OverflowError):
        raise ClaimError(f"node {node}: compares with {in_short(split['rhs'])}, which is no number") from None
    if coefficient != 1 or not np.isfinite(number):
        raise ClaimError(f"node {node}: a linear split ({coefficient:g} * x <= {number:g}); spotree compares x")
    try:
        place = feature_of_name(sides[0]["var"], feature_names)
    except InvalidProblemError as error:
        raise ClaimError(f"node {node}: {error}") from None
    return place, float(np.nextafter(number, np.inf)) if sign == "<=" else number


def _action(label: Any, node: int, action_names: Sequence[str]) -> int:
    first = label[0] if isinstance(label, list) and label else label
    if first is None or first == []:
        raise ClaimError(f"node {node}: a leaf without a label; dtControl could not decide it")
    try:
        return action_of_label(first, action_names)
    except InvalidProblemError as error:
        raise ClaimError(f"node {node}: {error}") from None
