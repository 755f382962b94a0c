"""The tree as it is printed, with thresholds that read back exactly."""

from spotree.exports.names import labels
from spotree.exports.numbers import exact_text
from spotree.tree.policy import TreePolicy
from spotree.tree.text import tree_text


def to_text(policy: TreePolicy) -> str:
    """One test or action a line; the branch taken when the test holds comes first."""
    return tree_text(policy.tree, labels(policy.feature_names), labels(policy.action_names), exact_text) + "\n"
