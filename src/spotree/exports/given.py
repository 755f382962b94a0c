"""What an export is handed: a policy with names, by itself or inside a solution."""

from typing import TypeAlias

from spotree.errors import InvalidProblemError
from spotree.methods.solution import Solution
from spotree.tree.policy import TreePolicy

GivenPolicy: TypeAlias = TreePolicy | Solution


def named_policy(given: GivenPolicy) -> TreePolicy:
    """The policy itself; a bare tree has no names and is refused."""
    policy = given.policy if isinstance(given, Solution) else given
    if not isinstance(policy, TreePolicy):
        raise InvalidProblemError(
            f"{type(given).__name__} cannot be exported; give a Solution or a TreePolicy(tree, feature_names,"
            " action_names)"
        )
    return policy
