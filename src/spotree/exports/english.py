"""The tree as rules in English."""

from spotree.exports.formatting import exact_text, labels
from spotree.report.rules import rules
from spotree.trees.policy import TreePolicy


def to_english(policy: TreePolicy) -> str:
    """A numbered rule for each leaf; in every state exactly one of them holds."""
    said = rules(policy.tree, labels(policy.feature_names), labels(policy.action_names), exact_text)
    return "".join(f"{number}. {rule}\n" for number, rule in enumerate(said, 1))
