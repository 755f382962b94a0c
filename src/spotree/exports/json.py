"""The tree as a document for programs, and back: five arrays, the names, and the same once more for a reader."""

import json
import math
import os
from typing import Any

import spotree
from spotree.common.untrusted import ClaimError, in_short, json_bytes, list_of, record, regular_bytes, text, whole
from spotree.errors import InvalidProblemError, ReadError
from spotree.results.solution import FORMAT as SOLUTION
from spotree.results.solution import LARGEST_FILE, Solution
from spotree.trees.policy import TreePolicy
from spotree.trees.serialize import claimed_tree, fits_names, tree_entry, tree_lists

FORMAT = "spotree-tree"
VERSION = 1
DEEPEST_READABLE = 64  # JSON readers have limits of their own
INFINITE = {"Infinity": math.inf, "-Infinity": -math.inf}


def to_json(policy: TreePolicy, remark: str = "") -> str:
    """The document that `tree.schema.json` describes."""
    entries = document(policy) | ({"remark": remark} if remark else {})
    return "{\n" + ",\n".join(f' "{key}": {_entry(key, value)}' for key, value in entries.items()) + "\n}\n"


def _entry(key: str, value: Any) -> str:
    """An array on one line, the tree for a reader on many."""
    if key == "tree":
        return (
            "{" + ",".join(f'\n  "{part}": {json.dumps(value[part], allow_nan=False)}' for part in value) + "\n }"
        )
    return json.dumps(value, indent=1 if key == "readable" else None).replace("\n", "\n ")


def document(policy: TreePolicy) -> dict[str, Any]:
    """The document as plain values; an infinite threshold, which JSON cannot say, is a text."""
    lists = tree_lists(policy.tree)
    return {
        "format": FORMAT,
        "version": VERSION,
        "spotree": spotree.__version__,
        "feature_names": list(policy.feature_names),
        "action_names": list(policy.action_names),
        "depth": policy.depth,
        "leaves": policy.num_leaves,
        "tree": lists | {"threshold": [_spelled(threshold) for threshold in lists["threshold"]]},
        "readable": readable(policy),
    }


def readable(policy: TreePolicy) -> dict[str, Any] | None:
    """The tree as objects inside each other, with names instead of numbers; None for a very deep one."""
    tree = policy.tree
    if tree.depth > DEEPEST_READABLE:
        return None
    made: list[dict[str, Any]] = [{} for _ in range(tree.num_nodes)]
    for node in range(tree.num_nodes):
        if tree.feature[node] < 0:
            made[node]["action"] = policy.action_names[tree.action[node]]
        else:
            made[node]["feature"] = policy.feature_names[tree.feature[node]]
            made[node]["below"] = _spelled(float(tree.threshold[node]))
            made[node]["yes"], made[node]["no"] = made[tree.left[node]], made[tree.right[node]]
    return made[0]


def read_tree(path: str | os.PathLike[str]) -> TreePolicy:
    """The policy in a file of format "json", or in a saved solution.

    Raises
    ------
    ReadError
        Where the file is neither; the message names the first entry that is wrong.

    Examples
    --------
    >>> policy = spotree.read_tree("policy.json")
    """
    try:
        claimed = json_bytes(regular_bytes(path, LARGEST_FILE))
    except ClaimError as error:
        raise ReadError(f"{path}: not a tree file ({error})") from error
    kind = claimed.get("format") if isinstance(claimed, dict) else None
    if kind == SOLUTION:
        return Solution.load(os.fspath(path)).policy
    if kind != FORMAT:
        raise ReadError(f"{path}: not a tree file (no format {FORMAT!r} or {SOLUTION!r} in it)")
    if claimed.get("version") != VERSION:
        raise ReadError(f"{path}: version {in_short(claimed.get('version'))}; this spotree reads version {VERSION}")
    try:
        return _from_document(claimed)
    except (ClaimError, InvalidProblemError) as error:
        raise ReadError(f"{path}: missing or broken entry: {error}") from error


def _from_document(claimed: dict[str, Any]) -> TreePolicy:
    _TREE("", claimed)
    tree = claimed_tree(claimed["tree"] | {"threshold": list(map(_heard, claimed["tree"]["threshold"]))})
    features, actions = tuple(claimed["feature_names"]), tuple(claimed["action_names"])
    fits_names(tree, features, actions)
    policy = TreePolicy(tree, features, actions)
    for name, there in (("depth", policy.depth), ("leaves", policy.num_leaves)):
        if claimed.get(name, there) != there:
            raise ClaimError(f"{name} is {claimed[name]}, but the tree has {there}")
    told = claimed.get("readable")
    if told is not None and told != readable(policy):
        raise ClaimError("readable says another tree than the arrays; correct one of them, or delete readable")
    return policy


def _threshold_spelled(name: str, value: Any) -> None:
    """A tree whose infinite thresholds are texts."""
    if isinstance(value, dict) and isinstance(value.get("threshold"), list):
        value = value | {"threshold": [0.0 if _infinite(entry) else entry for entry in value["threshold"]]}
    tree_entry(name, value)


def _infinite(entry: Any) -> bool:
    return isinstance(entry, str) and entry in INFINITE


def _heard(entry: Any) -> float:
    return INFINITE[entry] if isinstance(entry, str) else float(entry)


def _spelled(value: float) -> float | str:
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


_TREE = record(
    {"tree": _threshold_spelled, "feature_names": list_of(text()), "action_names": list_of(text(), least=1)},
    {"depth": whole(0), "leaves": whole(1)},
)
