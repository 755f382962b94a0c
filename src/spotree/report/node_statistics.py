"""A tree on a model, taken apart: how often each node is visited, what it costs against the best policy, and where."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spotree.common.arrays import ActionOf, Ints, PerState, PerStateAction, SmallInts
from spotree.evaluation import Acts, Optimum, action_values, difference, occupancy, optimum
from spotree.mdp import MDP
from spotree.mdp.transforms import relevant_states
from spotree.report.rules import conditions, leaves_in_order
from spotree.report.summary import exact, short
from spotree.trees.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Anatomy:
    """What a tree does in each state of a model, and what each of its nodes answers for.

    Attributes
    ----------
    tree
        The tree, its features and actions numbered as the model's.
    action, leaf
        [state] what the tree does there, and the leaf that says so.
    visits
        [state] expected discounted visits under the tree; 0 where it never comes.
    share
        [state] part of the visits to states that leave a choice; where all actions do the same, as after the end of an
        episode or in a forced state, a visit says nothing about the tree.
    regret, loss
        [state] what one such action loses against the best policy, and times the visits: this sums to
        optimum - value.
    missing
        [state] whether the tree comes there and asks for an action that the state does not offer.
    choice
        [state] whether not all actions do the same there.
    best
        The best policy; `best.actions` [state] is one of the best actions.
    action_value
        [state, action] what the action is worth if the best policy follows; -inf where forbidden.
    """

    tree: Tree
    action: ActionOf
    leaf: SmallInts
    visits: PerState
    share: PerState
    regret: PerState
    loss: PerState
    missing: np.ndarray
    choice: np.ndarray
    best: Optimum
    action_value: PerStateAction

    @property
    def differs(self) -> np.ndarray:
        """[state] whether the tree comes there and loses by its action; ties with the best one do not count."""
        scale = np.maximum(1.0, np.abs(self.best.values))
        return (self.visits > 0) & (self.regret > 1e-9 * scale)

    def sum_by_node(self, per_state: np.ndarray) -> np.ndarray:
        """[node] the sum over the states that pass through it."""
        total = np.bincount(self.leaf, weights=per_state, minlength=self.tree.num_nodes).astype(float)
        for node in np.flatnonzero(self.tree.feature >= 0)[::-1]:  # children stand after their parent
            total[node] = total[self.tree.left[node]] + total[self.tree.right[node]]
        return total

    def states_of(self, node: int) -> Ints:
        """The states that pass through a node."""
        return np.flatnonzero(np.isin(self.leaf, leaves_in_order(self.tree, node)))


def anatomy(mdp: MDP, policy: Tree | Acts, best: Optimum | None = None) -> Anatomy:
    """Take a tree, a `TreePolicy` or a `Solution` apart on a model; names of features and actions must fit."""
    tree: Tree = policy.tree_for(mdp.feature_names, mdp.action_names)  # type: ignore[union-attr]
    best = optimum(mdp) if best is None else best
    leaf = tree.leaf_of(mdp.features)
    action = tree.action[leaf]
    visits = occupancy(mdp, action)
    split = difference(mdp, action, values=best.values)
    choice = relevant_states(mdp)
    counted = visits * choice if (visits[choice] > 0).any() else visits
    unavailable = ~mdp.available[np.arange(mdp.num_states), action]
    return Anatomy(
        tree=tree,
        action=action,
        leaf=leaf,
        visits=visits,
        share=counted / counted.sum(),
        regret=split.regret,
        loss=split.loss,
        missing=unavailable & (visits > 0),
        choice=choice,
        best=best,
        action_value=action_values(mdp, best.values),
    )


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
