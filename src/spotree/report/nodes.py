"""The nodes of a report: what each asks, whom it meets, what it costs."""

from typing import Any

import numpy as np

from spotree.common.arrays import Ints, PerState
from spotree.mdp import MDP
from spotree.report.node_statistics import Anatomy
from spotree.report.numbers import exact, short
from spotree.report.rules import conditions

COUNTS = ("states", "reached", "missing", "missing_choice", "differs")
MOST_BARS = 24
MOST_BEST = 6  # actions of the best policy that are listed at a node


def report_nodes(mdp: MDP, parts: Anatomy) -> list[dict[str, Any]]:
    """One entry for each node of the tree, parents before children."""
    tree = parts.tree
    reached = parts.visits > 0
    totals = {
        "states": np.ones(mdp.num_states),
        "reached": reached.astype(float),
        "share": parts.share,
        "loss": np.where(parts.differs, parts.loss, 0.0),
        "missing": parts.missing.astype(float),
        "missing_choice": (parts.missing & parts.choice).astype(float),
        "differs": parts.differs.astype(float),
    }
    by_node = {name: parts.sum_by_node(values) for name, values in totals.items()}
    known = conditions(tree, mdp.feature_names)
    parent = np.full(tree.num_nodes, -1)
    for split in np.flatnonzero(tree.feature >= 0):
        parent[[tree.left[split], tree.right[split]]] = split
    nodes = []
    for node in range(tree.num_nodes):
        inner = bool(tree.feature[node] >= 0)
        states = parts.states_of(node)
        nodes.append(
            {
                "id": node,
                "parent": None if node == 0 else int(parent[node]),
                "feature": int(tree.feature[node]) if inner else None,
                "threshold": float(tree.threshold[node]) if inner else None,
                "left": int(tree.left[node]) if inner else None,
                "right": int(tree.right[node]) if inner else None,
                "action": None if inner else int(tree.action[node]),
                **{name: round(float(by_node[name][node])) for name in COUNTS},
                "share": short(by_node["share"][node]),
                "loss": short(by_node["loss"][node]),
                "rule": " and ".join(known[node]) or "every state",
                "best": _best_actions(parts, states),
                "histogram": _histogram(mdp, parts, node, states) if inner else None,
            }
        )
    return nodes


def _best_actions(parts: Anatomy, states: Ints) -> list[dict[str, Any]]:
    """What the best policy does in these states, by share of the tree's visits there."""
    share = np.bincount(parts.best.actions[states], weights=parts.share[states])
    order = np.argsort(-share, kind="stable")[:MOST_BEST]
    return [{"action": int(action), "share": short(share[action])} for action in order if share[action] > 0]


def _histogram(mdp: MDP, parts: Anatomy, node: int, states: Ints) -> list[dict[str, Any]] | None:
    """Visits by value of the split's feature, each bar by what the best policy does; wide ranges are cut into bins."""
    column: PerState = mdp.features[:, parts.tree.feature[node]]
    met = states[parts.share[states] > 0]
    if not len(met):
        return None
    values, bar = np.unique(column[met], return_inverse=True)
    if len(values) > MOST_BARS:
        edges = np.linspace(values[0], values[-1], MOST_BARS + 1)
        bar = np.clip(np.searchsorted(edges, column[met], side="right") - 1, 0, MOST_BARS - 1)
        values = edges[:-1]
    actions = parts.best.actions[met]
    table = np.zeros((len(values), mdp.num_actions))
    np.add.at(table, (bar.reshape(-1), actions), parts.share[met])
    return [
        {
            "value": exact(value),
            "by_action": {str(action): short(row[action]) for action in np.flatnonzero(row)},
        }
        for value, row in zip(values, table, strict=True)
    ]
