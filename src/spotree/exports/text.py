"""Exports as plain text: the drawn tree and rules in words."""

from spotree.exports.formatting import exact_text, labels
from spotree.report.rules import rules
from spotree.trees.policy import TreePolicy
from spotree.trees.text import tree_text


def to_english(policy: TreePolicy) -> str:
    """A numbered rule for each leaf; in every state exactly one of them holds."""
    said = rules(policy.tree, labels(policy.feature_names), labels(policy.action_names), exact_text)
    return "".join(f"{number}. {rule}\n" for number, rule in enumerate(said, 1))


def to_text(policy: TreePolicy) -> str:
    """One test or action a line; the branch taken when the test holds comes first."""
    return tree_text(policy.tree, labels(policy.feature_names), labels(policy.action_names), exact_text) + "\n"
