"""The tree as a Python function that imports nothing."""

import keyword
import math

from spotree.exports.code.emitter import Syntax, nested, origin
from spotree.exports.formatting import comment, identifiers
from spotree.trees.policy import TreePolicy

RESERVED = {*keyword.kwlist, *keyword.softkwlist, "FEATURES", "ACTIONS", "policy", "float", "ValueError"}

MODULE = '''"""{origin}"""

FEATURES = ({features})
ACTIONS = ({actions})


def policy({parameters}):
    """The number, in ACTIONS, of the action to take; the arguments stand in the order of FEATURES.

    Raises ValueError where a value that the tree looks at is NaN, which is neither below a threshold nor above it.
    """
{body}
'''


def to_python(policy: TreePolicy) -> str:
    """A module with the names, and a function of the features that returns the action's number."""
    parameters = identifiers(policy.feature_names, "feature", RESERVED)
    syntax = Syntax(
        below=lambda feature, threshold: f"if {parameters[feature]} < {_number(threshold)}:",
        above=lambda feature, threshold: f"elif {parameters[feature]} >= {_number(threshold)}:",
        take=lambda action: f"return {action}  # {comment(policy.action_names[action])}",
    )
    body = list(nested(policy.tree, syntax))
    if policy.tree.num_nodes > 1:
        body.append(
            '    raise ValueError("a value is NaN, which is neither below a threshold nor above it; fill it in")'
        )
    return MODULE.format(
        origin=origin(policy.tree),
        features=_entries(policy.feature_names),
        actions=_entries(policy.action_names),
        parameters=", ".join(parameters),
        body="\n".join(body),
    )


def _entries(names: tuple[str, ...]) -> str:
    return "".join(f"\n    {name!r}," for name in names) + "\n" * bool(names)


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'float("{value}")'
