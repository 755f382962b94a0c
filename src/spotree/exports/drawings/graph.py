"""Exports as graph descriptions: Graphviz DOT and Mermaid."""

from spotree.exports.drawings.layout import colours, letter
from spotree.exports.formatting import exact_text, labels
from spotree.trees.policy import TreePolicy


def to_dot(policy: TreePolicy) -> str:
    """A digraph from left to right: a box for each test, a coloured one with a letter for each action."""
    tree, features, actions = policy.tree, labels(policy.feature_names), labels(policy.action_names)
    colour = colours(tree)
    lines = ["digraph policy {", '    graph [rankdir=LR, charset="UTF-8"];']
    lines += ['    node [shape=box, style="rounded,filled", fillcolor="white", fontname="sans-serif"];']
    lines += ['    edge [fontname="sans-serif"];']
    for node in range(tree.num_nodes):
        feature, action = int(tree.feature[node]), int(tree.action[node])
        if feature < 0:
            looks = f'fillcolor="{colour[action]}", fontcolor="white"'
            lines.append(f"    n{node} [label={_quoted(f'{letter(action)}: {actions[action]}')}, {looks}];")
        else:
            test = f"{features[feature]} < {exact_text(tree.threshold[node])}?"
            lines.append(f"    n{node} [label={_quoted(test)}];")
            lines.append(f'    n{node} -> n{tree.left[node]} [label="yes"];')
            lines.append(f'    n{node} -> n{tree.right[node]} [label="no"];')
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    """A string of DOT that stands for itself: no escapes such as `\\N`, no entities such as `&lt;`."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{plain}"'


PLAIN = set(" .,_-+=?:()")  # besides letters and digits


def to_mermaid(policy: TreePolicy) -> str:
    """A flowchart from left to right: a box for each test, a coloured one with a letter for each action."""
    tree, features, actions = policy.tree, labels(policy.feature_names), labels(policy.action_names)
    lines = ["flowchart LR"]
    for node in range(tree.num_nodes):
        feature, action = int(tree.feature[node]), int(tree.action[node])
        if feature < 0:
            lines.append(f'    n{node}("{_entities(f"{letter(action)}: {actions[action]}")}"):::action{action}')
        else:
            test = f"{features[feature]} < {exact_text(tree.threshold[node])}?"
            lines.append(f'    n{node}["{_entities(test)}"]')
            lines.append(f"    n{node} -->|yes| n{tree.left[node]}")
            lines.append(f"    n{node} -->|no| n{tree.right[node]}")
    for action, colour in colours(tree).items():
        lines.append(f"    classDef action{action} fill:{colour},stroke:none,color:#fff")
    return "\n".join([*lines, ""])


def _entities(text: str) -> str:
    """Letters, digits and what means nothing to Mermaid, Markdown or HTML; every other sign as its number."""
    return "".join(sign if sign.isalnum() or sign in PLAIN else f"#{ord(sign)};" for sign in text)
