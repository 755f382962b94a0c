"""OMDT's program: the best tree and the visits it leads to, in one mixed-integer program, and the way back.

Variables: visits[choice], how often each row of the MDP is taken (discounted); split[t, k] node t takes candidate
split k; action[t, a] leaf t takes action a; left[g, t] a group g of states with equal features would go left at
node t; policy[g, a] group g takes action a. Visits obey the flow of the MDP, a row is visited only if the policy
takes its action (the big-M 1 / (1 - discount) is the number of all visits), and the policy is what the tree says.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spotree.common.arrays import ActionOf, Features, Floats, Ints, SmallInts
from spotree.evaluation import occupancy
from spotree.improvement.engines.milp.complete_tree import lay_out, path_to, read_off
from spotree.improvement.engines.milp.linear_program import Builder, LinearProgram
from spotree.improvement.problem import UNSPLIT, Frozen
from spotree.mdp.graph import reachable_states
from spotree.mdp.model import MDP
from spotree.mdp.transforms import relevant_states
from spotree.trees.prune import prune
from spotree.trees.ranks import rank_rows
from spotree.trees.splits import splits_at
from spotree.trees.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The states that leave a choice, those with equal features together, and the splits that part them.

    Attributes
    ----------
    state, group_of
        [.] a relevant state and its group.
    features
        [group, feature]
    split_feature, threshold
        [split] every midpoint between neighbouring values of a feature.
    """

    state: Ints
    group_of: SmallInts
    features: Features
    split_feature: SmallInts
    threshold: Floats

    @staticmethod
    def of(mdp: MDP) -> "Grouping":
        state = np.flatnonzero(relevant_states(mdp) & reachable_states(mdp))
        ranks = rank_rows(mdp.features[state]).sorted()
        splits = splits_at(ranks.values)
        features = mdp.features[state[ranks.first]]
        return Grouping(state, ranks.group_of, features, splits.feature, splits.threshold)

    @property
    def goes_left(self) -> NDArray[np.bool_]:
        """[group, split]"""
        below: NDArray[np.bool_] = self.features[:, self.split_feature] < self.threshold
        return below

    def split_like(self, feature: int, threshold: float) -> int:
        """The candidate that parts the groups as a threshold does."""
        same = np.flatnonzero(self.split_feature == feature)
        below = self.features[:, feature][self.features[:, feature] < threshold].max()
        return int(same[np.searchsorted(self.threshold[same], below, side="right")])


@dataclass(frozen=True, slots=True, eq=False)
class OmdtColumns:
    """Where the variables of the program stand."""

    visits: Ints
    split: Ints
    action: Ints
    left: Ints
    policy: Ints


def reward_unit(mdp: MDP) -> float:
    """What 1 in the program's objective is worth."""
    return float(np.abs(mdp.reward_of_choice).max(initial=0.0)) or 1.0


def place_variables(builder: Builder, mdp: MDP, grouping: Grouping, depth: int) -> OmdtColumns:
    inner, groups = 2**depth - 1, len(grouping.features)
    rewards = mdp.reward_of_choice / reward_unit(mdp)
    return OmdtColumns(
        visits=builder.variables(len(rewards), upper=1 / (1 - mdp.discount), objective=rewards),
        split=builder.variables(inner, len(grouping.threshold), integer=True),
        action=builder.variables(inner + 1, mdp.num_actions, integer=True),
        left=builder.variables(groups, inner),
        policy=builder.variables(groups, mdp.num_actions),
    )


def occupancy_program(
    mdp: MDP, grouping: Grouping, depth: int, max_leaves: int | None = None, start: Tree | None = None
) -> LinearProgram:
    """The program for trees of a depth, with a tree to start from."""
    builder = Builder()
    at = place_variables(builder, mdp, grouping, depth)
    _flow(builder, at, mdp)
    _coupling(builder, at, mdp, grouping)

    splits_once = 1 if max_leaves is None else 0  # an unsplit node sends everything right
    builder.rows((at.split, 1), lower=splits_once, upper=1)
    builder.rows((at.action, 1), lower=1, upper=1)
    builder.rows((at.policy, 1), lower=1, upper=1)
    if max_leaves is not None:
        builder.rows((at.split.reshape(1, -1), 1), upper=max_leaves - 1)
    left = at.left[:, :, None]
    builder.rows((at.split[None], grouping.goes_left[:, None, :]), (left, -1), lower=0, upper=0)
    for leaf in range(len(at.action)):
        path = path_to(leaf + len(at.split))
        sign = np.array([1 if goes_left else -1 for _, goes_left in path])
        nodes = at.left[:, None, [node for node, _ in path]]
        agree = (at.action[leaf][None, :, None], 1), (at.policy[:, :, None], -1)
        lefts = np.count_nonzero(sign > 0)  # where a group agrees with the whole path, the leaf's action is its own
        builder.rows((nodes, sign), *agree, upper=lefts)

    return builder.program(None if start is None else encode(start, mdp, grouping, at, max_leaves))


def _flow(builder: Builder, at: OmdtColumns, mdp: MDP) -> None:
    """What leaves a state is what starts there and what comes into it."""
    choices = len(at.visits)
    state_of = np.repeat(np.arange(mdp.num_states), np.diff(mdp.choice_start))
    out = sp.csr_matrix((np.ones(choices), (state_of, np.arange(choices))), shape=(mdp.num_states, choices))
    balance = (out - mdp.discount * mdp.rows.T).tocsr()
    builder.sparse_rows(balance, at.visits, mdp.initial, mdp.initial)


def _coupling(builder: Builder, at: OmdtColumns, mdp: MDP, grouping: Grouping) -> None:
    """A row is visited only if the policy takes an action that leads to it; several missing ones may."""
    row = mdp.choice_of[grouping.state]  # [relevant state, action]
    place, action = np.nonzero(row >= 0)
    rows, number = np.unique(row[place, action], return_inverse=True)
    shape = (len(rows), at.policy.size)
    policy = (grouping.group_of[place] * mdp.num_actions + action).astype(np.int64)
    takes = sp.csr_matrix((np.full(len(policy), -1 / (1 - mdp.discount)), (number, policy)), shape=shape)
    visited = sp.csr_matrix((np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), len(at.visits)))
    both = sp.hstack([visited, takes], format="csr")
    columns = np.concatenate([at.visits, at.policy.ravel()])
    builder.sparse_rows(both, columns, np.full(len(rows), -np.inf), np.zeros(len(rows)))


def encode(tree: Tree, mdp: MDP, grouping: Grouping, at: OmdtColumns, max_leaves: int | None) -> Floats:
    """The full vector of variables that stands for a tree."""
    depth = len(at.action).bit_length() - 1
    layout = lay_out(prune(tree, grouping.features), depth)
    x = np.zeros(at.policy.max(initial=at.action.max()) + 1)
    for node, (feature, threshold) in enumerate(zip(layout.feature, layout.threshold, strict=True)):
        if feature >= 0:
            x[at.split[node, grouping.split_like(int(feature), float(threshold))]] = 1
        elif max_leaves is None:
            x[at.split[node, 0]] = 1  # both sides take the same action
    x[at.left] = grouping.goes_left @ x[at.split].T
    x[at.action[np.arange(len(layout.action)), layout.action]] = 1
    groups = np.arange(len(grouping.features))
    x[at.policy[groups, tree.actions(grouping.features)]] = 1
    actions: ActionOf = tree.actions(mdp.features)
    row = mdp.choice_of[np.arange(mdp.num_states), actions]
    x[at.visits[row[row >= 0]]] = occupancy(mdp, actions)[row >= 0]
    return x


def decode(x: Floats, mdp: MDP, grouping: Grouping, depth: int) -> Tree:
    """The tree that a vector of variables stands for."""
    at = place_variables(Builder(), mdp, grouping, depth)
    split = x[at.split]
    chosen = split.argmax(axis=1) if split.size else np.zeros(0, dtype=int)
    splits = split.max(axis=1, initial=0.0) > 0.5
    feature = np.where(splits, grouping.split_feature[chosen], UNSPLIT)
    layout = Frozen(feature, grouping.threshold[chosen], x[at.action].argmax(axis=1))
    return read_off(layout)
