"""A tree as a file claims it: five lists of equal length, with numbers that a tree can have."""

from collections.abc import Mapping, Sequence
from typing import Any

from spotree.common.untrusted import ClaimError, list_of, number, record, whole
from spotree.trees.tree import Tree, make_tree

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
