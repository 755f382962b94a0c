"""Exports as source code: C, Python, Rust."""

import keyword
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spotree.errors import InvalidProblemError
from spotree.exports.formatting import comment, identifiers, is_decimal
from spotree.trees.policy import TreePolicy
from spotree.trees.text import size_text
from spotree.trees.tree import Tree

DEEPEST = 64  # Python takes 100 levels of indentation, C99 promises 127 blocks inside each other


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language says it; both questions are asked, so that a NaN, for which neither holds, falls through."""

    below: Callable[[int, float], str]  # of feature and threshold
    above: Callable[[int, float], str]
    take: Callable[[int], str]  # of an action
    end: str = ""


def nested(tree: Tree, syntax: Syntax) -> Iterator[str]:
    """The lines of a function's body; all paths but those of a NaN return."""
    if tree.depth > DEEPEST:
        raise InvalidProblemError(
            f"the tree has depth {tree.depth}; as code it may have {DEEPEST}: ask for less depth, or take format 'json'"
        )
    stack: list[tuple[int, int | str]] = [(1, 0)]
    while stack:
        level, what = stack.pop()
        if isinstance(what, str):
            yield f"{'    ' * level}{what}"
        elif tree.feature[what] < 0:
            yield f"{'    ' * level}{syntax.take(int(tree.action[what]))}"
        else:
            feature, threshold = int(tree.feature[what]), float(tree.threshold[what])
            inside: list[tuple[int, int | str]] = [
                (level, syntax.below(feature, threshold)),
                (level + 1, int(tree.left[what])),
                (level, syntax.above(feature, threshold)),
                (level + 1, int(tree.right[what])),
                *([(level, syntax.end)] if syntax.end else []),
            ]
            stack += reversed(inside)


def origin(tree: Tree) -> str:
    """Who wrote the code, in one line."""
    import spotree

    return f"A decision tree ({size_text(tree)}), written by spotree {spotree.__version__}."


def to_c(policy: TreePolicy) -> str:
    """An enum of the actions, and a function of the features that returns one of them, or -1 for a NaN."""
    tree = policy.tree
    actions = identifiers(policy.action_names, "action", style="UPPER", prefix="ACTION_")
    syntax = Syntax(
        below=lambda feature, threshold: f"if (x[{feature}] < {_c_number(threshold)}) {{",
        above=lambda feature, threshold: f"}} else if (x[{feature}] >= {_c_number(threshold)}) {{",
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


def _c_number(value: float) -> str:
    """A decimal that is the number itself, else a hexadecimal one: C leaves the rounding of others open."""
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value) if is_decimal(value) else f"{value.hex()} /* {value!r} */"


PYTHON_RESERVED = {*keyword.kwlist, *keyword.softkwlist, "FEATURES", "ACTIONS", "policy", "float", "ValueError"}

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
    parameters = identifiers(policy.feature_names, "feature", PYTHON_RESERVED)
    syntax = Syntax(
        below=lambda feature, threshold: f"if {parameters[feature]} < {_python_number(threshold)}:",
        above=lambda feature, threshold: f"elif {parameters[feature]} >= {_python_number(threshold)}:",
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


def _python_number(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'float("{value}")'


RUST_RESERVED = {"Self"}  # the one keyword that begins with a capital


def to_rust(policy: TreePolicy) -> str:
    """An enum of the actions, and a function of the features that returns one of them and panics for a NaN."""
    tree = policy.tree
    actions = identifiers(policy.action_names, "action", RUST_RESERVED, style="Camel")
    syntax = Syntax(
        below=lambda feature, threshold: f"if x[{feature}] < {_rust_number(threshold)} {{",
        above=lambda feature, threshold: f"}} else if x[{feature}] >= {_rust_number(threshold)} {{",
        take=lambda action: f"return Action::{actions[action]};",
        end="}",
    )
    lines = [f"// {origin(tree)}", ""]
    lines += ["#[allow(dead_code)]", "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]", "#[repr(i32)]"]
    lines += ["pub enum Action {"]
    for number, (action, name) in enumerate(zip(actions, policy.action_names, strict=True)):
        lines.append(f"    {action} = {number}, // {comment(name)}")
    lines += ["}", ""]
    lines += [
        "/// The action to take. Panics where a value that the tree looks at is NaN, which is neither below a"
    ]
    lines += ["/// threshold nor above it."]
    lines += [f"// x[{number}] {comment(name)}" for number, name in enumerate(policy.feature_names)]
    single = tree.num_nodes == 1
    lines += ["#[allow(dead_code)]"]
    lines += [f"pub fn policy({'_x' if single else 'x'}: &[f64; {len(policy.feature_names)}]) -> Action {{"]
    if single:
        lines += [f"    Action::{actions[tree.action[0]]}"]
    else:
        lines += nested(tree, syntax)
        lines += ['    panic!("a value is NaN, which is neither below a threshold nor above it; fill it in")']
    return "\n".join([*lines, "}", ""])


def _rust_number(value: float) -> str:
    if math.isinf(value):
        return "f64::INFINITY" if value > 0 else "f64::NEG_INFINITY"
    return repr(value)
