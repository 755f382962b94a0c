"""A tree from elsewhere: whoever made it, one verb."""

import os
from collections.abc import Sequence
from typing import Any

from spotree.common.untrusted import ClaimError, json_bytes, regular_bytes
from spotree.errors import InvalidProblemError, ReadError
from spotree.exports.json import read_tree
from spotree.imports.dtcontrol import from_dtcontrol, is_dtcontrol
from spotree.imports.sklearn import from_sklearn, is_sklearn_tree
from spotree.results.solution import Solution
from spotree.trees.policy import TreePolicy

LARGEST_FILE = 2**26  # bytes


def import_tree(
    source: str | os.PathLike[str] | Any,
    feature_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
) -> TreePolicy:
    """The tree policy in a file of spotree or dtControl, or in a fitted scikit-learn classifier.

    Parameters
    ----------
    source
        The path of a JSON file that spotree wrote (a solution or a tree) or that dtControl wrote, a fitted
        `DecisionTreeClassifier`, a `Solution` or a `TreePolicy`.
    feature_names, action_names
        Those of the model that the tree is for. A source that knows names is matched by them, in whatever order; one
        that does not, by position. They may be left out where the source has its own.

    Examples
    --------
    >>> policy = spotree.import_tree("controller.json", mdp.feature_names, mdp.action_names)
    """
    if isinstance(source, TreePolicy | Solution):
        return _renamed(source if isinstance(source, TreePolicy) else source.policy, feature_names, action_names)
    if is_sklearn_tree(source):
        return from_sklearn(source, feature_names, action_names)
    if not isinstance(source, str | os.PathLike):
        raise InvalidProblemError(
            f"{type(source).__name__} holds no tree; give a JSON file of spotree or dtControl, or a fitted"
            " DecisionTreeClassifier"
        )
    try:
        document = json_bytes(regular_bytes(source, LARGEST_FILE))
        if is_dtcontrol(document):
            if feature_names is None or action_names is None:
                raise ClaimError("a tree of dtControl needs feature_names and action_names: pass the model's")
            return from_dtcontrol(document, feature_names, action_names)
        if not isinstance(document, dict) or not str(document.get("format", "")).startswith("spotree-"):
            raise ClaimError("neither spotree nor dtControl wrote it")
    except (ClaimError, InvalidProblemError) as error:
        raise ReadError(f"{source}: no tree can be read from it: {error}") from error
    try:
        return _renamed(read_tree(source), feature_names, action_names)
    except InvalidProblemError as error:
        raise ReadError(f"{source}: {error}") from error


def _renamed(
    policy: TreePolicy, feature_names: Sequence[str] | None, action_names: Sequence[str] | None
) -> TreePolicy:
    """The policy with features and actions in the order of these names."""
    features, actions = feature_names or policy.feature_names, action_names or policy.action_names
    return TreePolicy(policy.tree_for(features, actions), tuple(features), tuple(actions))
