"""The tree as a Rust function."""

import math

from spotree.exports.code.emitter import Syntax, nested, origin
from spotree.exports.formatting import comment, identifiers
from spotree.trees.policy import TreePolicy

RESERVED = {"Self"}  # the one keyword that begins with a capital


def to_rust(policy: TreePolicy) -> str:
    """An enum of the actions, and a function of the features that returns one of them and panics for a NaN."""
    tree = policy.tree
    actions = identifiers(policy.action_names, "action", RESERVED, style="Camel")
    syntax = Syntax(
        below=lambda feature, threshold: f"if x[{feature}] < {_number(threshold)} {{",
        above=lambda feature, threshold: f"}} else if x[{feature}] >= {_number(threshold)} {{",
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


def _number(value: float) -> str:
    if math.isinf(value):
        return "f64::INFINITY" if value > 0 else "f64::NEG_INFINITY"
    return repr(value)
