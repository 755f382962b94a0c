"""A fitted scikit-learn decision tree as a policy."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spotree.common.sanitize import shown
from spotree.errors import InvalidProblemError
from spotree.imports.labels import action_of_label, feature_of_name
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import make_tree


def is_sklearn_tree(source: object) -> bool:
    """Whether it looks like a fitted decision tree of scikit-learn."""
    return hasattr(source, "tree_") and hasattr(source, "classes_")


def from_sklearn(
    classifier: Any, feature_names: Sequence[str] | None = None, action_names: Sequence[str] | None = None
) -> TreePolicy:
    """The policy that takes, in every state, the action that the classifier predicts.

    scikit-learn rounds to float32 before it compares: numbers that float32 can hold go the same way here.

    Parameters
    ----------
    feature_names
        Those of the model. A classifier that was fitted with names is matched by them, another by position; None takes
        its own.
    action_names
        Those of the model. Classes are names of actions, or whole numbers that count them from 0; None takes the
        classes in their order.
    """
    if not is_sklearn_tree(classifier):
        raise InvalidProblemError(
            f"{shown(type(classifier).__name__)} is no fitted DecisionTreeClassifier; call fit first"
        )
    if getattr(classifier, "n_outputs_", 1) != 1:
        raise InvalidProblemError(f"the classifier has {classifier.n_outputs_} outputs; a policy has one action")
    own = getattr(classifier, "feature_names_in_", None)
    if feature_names is None:
        count = int(classifier.n_features_in_)
        feature_names = [str(name) for name in own] if own is not None else [f"feature_{j}" for j in range(count)]
    if own is None and classifier.n_features_in_ != len(feature_names):
        raise InvalidProblemError(
            f"the classifier takes {classifier.n_features_in_} features, the model has {len(feature_names)}"
        )
    place = [
        feature_of_name(name, feature_names)
        for name in (range(len(feature_names)) if own is None else map(str, own))
    ]
    classes = [label.item() if isinstance(label, np.generic) else label for label in classifier.classes_]
    if action_names is None:
        action_names = [str(label) for label in classes]
        action_of = list(range(len(classes)))
    else:
        action_of = [action_of_label(label, action_names) for label in classes]
    nodes = classifier.tree_
    inner = nodes.children_left >= 0
    best = nodes.value[:, 0, :].argmax(axis=1)
    tree = make_tree(
        np.where(inner, np.array(place)[np.where(inner, nodes.feature, 0)], -1),
        np.where(inner, np.nextafter(nodes.threshold, np.inf), 0.0),  # at most here: below the next number
        np.where(inner, nodes.children_left, -1),
        np.where(inner, nodes.children_right, -1),
        np.where(inner, -1, np.array(action_of)[best]),
    )
    return TreePolicy(tree, tuple(feature_names), tuple(action_names))
