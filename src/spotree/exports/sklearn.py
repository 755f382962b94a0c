"""The tree as a fitted scikit-learn classifier, for all that takes one: predict, export_text, plot_tree, skl2onnx."""

from typing import Any

import numpy as np

from spotree.common.arrays import Floats, Ints
from spotree.errors import InvalidProblemError, MissingExtraError
from spotree.exports.formatting import GivenPolicy, named_policy
from spotree.mdp.model import MDP
from spotree.trees.policy import TreePolicy


def to_sklearn(policy: GivenPolicy, mdp: MDP | None = None) -> Any:
    """A fitted `DecisionTreeClassifier` whose classes are the names of the actions.

    scikit-learn rounds what it is asked about to float32 and goes left where it is at most the threshold. Without a
    model the thresholds are such that every number that float32 can hold (whole numbers up to 2**24 among them) goes
    where it goes here. With one they are such that all its states do, or the first two values are named that float32
    cannot tell apart.

    Parameters
    ----------
    mdp
        The model whose states must be told apart; they then also are the samples that each node shows.
    """
    policy = named_policy(policy)
    try:
        from sklearn.tree import DecisionTreeClassifier
        from sklearn.tree._tree import Tree as Nodes
    except ImportError:
        raise MissingExtraError("scikit-learn", "sklearn", "a tree for scikit-learn") from None
    tree, num_actions = policy.tree, len(policy.action_names)
    inner = tree.feature >= 0
    counts = _samples(policy, mdp)
    weight = counts.sum(axis=1)
    share = counts / np.maximum(weight, 1e-300)[:, None]
    share[weight == 0, 0] = 1.0
    leaves = np.flatnonzero(~inner)
    share[leaves] = 0.0
    share[leaves, tree.action[leaves]] = 1.0  # decides also where no sample comes
    empty = Nodes(len(policy.feature_names), np.array([num_actions], dtype=np.intp), 1)
    nodes = np.zeros(tree.num_nodes, dtype=empty.__getstate__()["nodes"].dtype)
    nodes["left_child"], nodes["right_child"] = tree.left, tree.right
    nodes["feature"] = np.where(inner, tree.feature, -2)
    nodes["threshold"] = np.where(inner, _thresholds(policy, mdp), -2.0)
    nodes["impurity"] = 1.0 - (share**2).sum(axis=1)
    nodes["n_node_samples"] = nodes["weighted_n_node_samples"] = weight
    empty.__setstate__(
        {
            "max_depth": tree.depth,
            "node_count": tree.num_nodes,
            "nodes": nodes,
            "values": np.ascontiguousarray(share[:, None, :]),
        }
    )
    classifier = DecisionTreeClassifier(max_depth=max(tree.depth, 1))
    classifier.tree_ = empty
    classifier.classes_ = np.array(policy.action_names, dtype=object)
    classifier.n_classes_ = num_actions
    classifier.n_outputs_ = 1
    classifier.max_features_ = classifier.n_features_in_ = len(policy.feature_names)
    classifier.feature_names_in_ = np.array(policy.feature_names, dtype=object)
    return classifier


def _samples(policy: TreePolicy, mdp: MDP | None) -> Ints:
    """[node, action] the model's states that come there, or the leaves below, by the action they end in."""
    tree = policy.tree
    counts = np.zeros((tree.num_nodes, len(policy.action_names)), dtype=np.int64)
    leaves = np.flatnonzero(tree.feature < 0)
    if mdp is None:
        counts[leaves, tree.action[leaves]] = 1
    else:
        there = np.bincount(tree.leaf_of(_columns(policy, mdp)), minlength=tree.num_nodes)
        counts[leaves, tree.action[leaves]] = there[leaves]
    for node in np.flatnonzero(tree.feature >= 0)[::-1]:  # children stand behind their parent
        counts[node] = counts[tree.left[node]] + counts[tree.right[node]]
    return counts


def _columns(policy: TreePolicy, mdp: MDP) -> Floats:
    """The features of the model in the order of the policy."""
    policy.tree_for(mdp.feature_names, mdp.action_names)
    return mdp.features[:, [mdp.feature_names.index(name) for name in policy.feature_names]]


def _thresholds(policy: TreePolicy, mdp: MDP | None) -> Floats:
    """[node] where `float32(x) <= threshold` says the same as `x < threshold` does here."""
    tree = policy.tree
    found: Floats = np.nextafter(tree.threshold, -np.inf)
    if mdp is None:
        return found
    features = _columns(policy, mdp)
    with np.errstate(over="ignore"):
        rounded = features.astype(np.float32).astype(np.float64)
    for node in np.flatnonzero(tree.feature >= 0):
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        left = features[:, feature] < threshold
        low = int(np.where(left, rounded[:, feature], -np.inf).argmax())
        high = int(np.where(left, np.inf, rounded[:, feature]).argmin())
        if not left.any() or left.all():
            continue
        least, most = rounded[low, feature], rounded[high, feature]
        if not least < most or not np.isfinite(most - least):
            below, above = (
                f"{float(features[state, feature])!r} (state {mdp.state_number[state]})" for state in (low, high)
            )
            raise InvalidProblemError(
                f"feature {policy.feature_names[feature]!r}: the values {below} and {above} are the same to"
                " scikit-learn, which rounds to float32; subtract an offset from the feature, or export to ONNX,"
                " which keeps float64"
            )
        found[node] = threshold if least <= threshold < most else least + (most - least) / 2
    return found
