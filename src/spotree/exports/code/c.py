"""The tree as a C99 function."""

import math

from spotree.exports.code.emitter import Syntax, nested, origin
from spotree.exports.formatting import comment, identifiers, is_decimal
from spotree.trees.policy import TreePolicy


def to_c(policy: TreePolicy) -> str:
    """An enum of the actions, and a function of the features that returns one of them, or -1 for a NaN."""
    tree = policy.tree
    actions = identifiers(policy.action_names, "action", style="UPPER", prefix="ACTION_")
    syntax = Syntax(
        below=lambda feature, threshold: f"if (x[{feature}] < {_number(threshold)}) {{",
        above=lambda feature, threshold: f"}} else if (x[{feature}] >= {_number(threshold)}) {{",
        take=lambda action: f"return {actions[action]};",
        end="}",
    )
    lines = [f"/* {origin(tree)} */"]
    infinite = any(math.isinf(threshold) for threshold in tree.threshold[tree.feature >= 0])
    lines += ["#include <math.h>"] * infinite
    lines += ["", "enum action {"]
    for number, (action, name) in enumerate(zip(actions, policy.action_names, strict=True)):
        comma = "," if number + 1 < len(actions) else ""
        lines.append(f"    {action} = {number}{comma} /* {comment(name)} */")
    lines += ["};", ""]
    lines += ["/* The action to take, or -1 where a value that the tree looks at is NaN, which is neither below a"]
    lines += [" * threshold nor above it. There are " + f"{len(policy.feature_names)} features:"]
    lines += [f" * x[{number}] {comment(name)}" for number, name in enumerate(policy.feature_names)]
    lines += [" */", "int policy(const double x[]);", "", "int policy(const double x[])", "{"]
    single = tree.num_nodes == 1
    lines += ["    (void)x;"] * single
    lines += nested(tree, syntax)
    lines += ["    return -1;"] * (not single)
    return "\n".join([*lines, "}", ""])


def _number(value: float) -> str:
    """A decimal that is the number itself, else a hexadecimal one: C leaves the rounding of others open."""
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value) if is_decimal(value) else f"{value.hex()} /* {value!r} */"
