"""Trees from outside: their JSON form, and checks of range and size."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spotree.common.untrusted import ClaimError, list_of, number, record, whole
from spotree.errors import InvalidProblemError
from spotree.trees.tree import Tree, make_tree


def check_range(tree: Tree, num_features: int, num_actions: int, whose: str = "the tree") -> None:
    """Refuse a tree that asks for a feature or takes an action that is not there."""
    if (most := int(tree.feature.max())) >= num_features:
        raise InvalidProblemError(
            f"{whose} asks for feature {most}; there are {num_features}, numbered from 0: it is of another model"
        )
    if (most := int(tree.action[tree.feature < 0].max())) >= num_actions:
        raise InvalidProblemError(
            f"{whose} takes action {most}; there are {num_actions}, numbered from 0: it is of another model"
        )
    if np.isnan(tree.threshold[tree.feature >= 0]).any():
        node = int(np.flatnonzero((tree.feature >= 0) & np.isnan(tree.threshold))[0])
        raise InvalidProblemError(f"{whose}: the threshold of node {node} is nan; give a number")


def check_fit(tree: Tree, depth: int, max_leaves: int | None) -> None:
    """Refuse a start that is larger than the trees that are sought."""
    if tree.depth > depth:
        raise InvalidProblemError(
            f"start has depth {tree.depth}; trees of depth {depth} are sought: ask for more depth, or drop the start"
        )
    if max_leaves is not None and tree.num_leaves > max_leaves:
        raise InvalidProblemError(
            f"start has {tree.num_leaves} leaves; trees of at most {max_leaves} are sought: allow more leaves, or"
            " drop the start"
        )


_TREE = ("feature", "threshold", "left", "right", "action")
_INDEX = whole(-1, 2**31 - 1)
_LISTS = record({part: list_of(number() if part == "threshold" else _INDEX, least=1) for part in _TREE})


def tree_lists(tree: Tree) -> dict[str, list[Any]]:
    """The tree as a file holds it."""
    return {part: getattr(tree, part).tolist() for part in _TREE}


def claimed_tree(entry: Mapping[str, Any]) -> Tree:
    """The tree of an entry that passed its check; refused where its nodes do not hang together."""
    return make_tree(*(entry[part] for part in _TREE))


def tree_entry(name: str, value: Any) -> None:
    """The check of an entry that is a tree; whether the nodes hang together is for `claimed_tree` to say."""
    _LISTS(name, value)
    for part in _TREE:
        if len(value[part]) != len(value["feature"]):
            raise ClaimError(f"{name}/{part} has {len(value[part])} nodes, {name}/feature {len(value['feature'])}")
    for node, (feature, left, right) in enumerate(
        zip(value["feature"], value["left"], value["right"], strict=True)
    ):
        children = [child for child in (left, right) if child >= 0]
        if len(children) != (0 if feature < 0 else 2):
            raise ClaimError(f"{name}: node {node} has feature {feature} and the children {left} and {right}")


def fits_names(tree: Tree, feature_names: Sequence[str], action_names: Sequence[str]) -> None:
    """Every feature and every action of the tree has a name."""
    for kind, used, names in (("feature", tree.feature, feature_names), ("action", tree.action, action_names)):
        if int(used.max()) >= len(names):
            node = int(used.argmax())
            raise ClaimError(
                f"node {node} of the tree has {kind} {used[node]}, but there are {len(names)} {kind}_names"
            )
