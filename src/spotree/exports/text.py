"""The tree as it is printed, with thresholds that read back exactly."""

from spotree.exports.formatting import exact_text, labels
from spotree.trees.policy import TreePolicy
from spotree.trees.text import tree_text


def to_text(policy: TreePolicy) -> str:
    """One test or action a line; the branch taken when the test holds comes first."""
    return tree_text(policy.tree, labels(policy.feature_names), labels(policy.action_names), exact_text) + "\n"
