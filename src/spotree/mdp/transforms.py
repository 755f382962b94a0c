"""Transforms of a model: new order, rebuilding, a random action."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spotree import _core
from spotree.common.arrays import SmallInts, frozen_array
from spotree.common.lookup import places
from spotree.errors import InvalidModelError
from spotree.mdp.build import build_mdp
from spotree.mdp.check import negated
from spotree.mdp.choices import ChoiceRows, gather_rows
from spotree.mdp.missing import average
from spotree.mdp.model import MDP, Missing
from spotree.mdp.native import core_model


def merged_choices(mdp: MDP) -> SmallInts:
    """[state, action] -> row as in `choice_of`, but the first of a state's rows that are equal to the last bit."""
    return _core.merge_equal_choices(core_model(mdp)).reshape(mdp.choice_of.shape)


def relevant_states(mdp: MDP, merged: SmallInts | None = None) -> NDArray[np.bool_]:
    """[state] whether two actions differ there in reward or next states (a forbidden action differs)."""
    choice_of = merged_choices(mdp) if merged is None else merged
    differs: NDArray[np.bool_] = (choice_of != choice_of[:, :1]).any(axis=1)
    return differs


def reordered(mdp: MDP, feature_names: Sequence[str], action_names: Sequence[str], whose: str = "the order") -> MDP:
    """The MDP whose features and actions stand in the order of these names, as if it had been built so.

    Rows that stand in for missing actions by an average are averaged anew (where the model is discounted), because
    sums round by their order. A name that only one of both has is refused; `whose` names are they.
    """
    if tuple(feature_names) == mdp.feature_names and tuple(action_names) == mdp.action_names:
        return mdp
    feature = places("feature", feature_names, mdp.feature_names, whose)
    action = places("action", action_names, mdp.action_names, whose)  # [new action] -> old one
    new_action = np.append(np.argsort(action), -1)  # a stand-in row keeps its -1
    choice_action = new_action[mdp.choice_action]
    order = np.lexsort((np.where(choice_action < 0, mdp.num_actions, choice_action), mdp.state_of_choice))
    new_choice = np.append(np.argsort(order), -1)
    row_start, entry = gather_rows(mdp.row_start, order)
    found = replace(
        mdp,
        choice_action=frozen_array(choice_action[order], np.int32),
        choice_of=frozen_array(new_choice[mdp.choice_of][:, action], np.int32),
        row_start=frozen_array(row_start, np.int64),
        target=frozen_array(mdp.target[entry], np.int32),
        probability=frozen_array(mdp.probability[entry], np.float64),
        reward_of_choice=frozen_array(mdp.reward_of_choice[order], np.float64),
        features=frozen_array(mdp.features[:, feature], np.float64),
        feature_names=tuple(feature_names),
        action_names=tuple(action_names),
    )
    return _averaged(found) if mdp.missing == "random" and mdp.discount < 1 else found


def _averaged(mdp: MDP) -> MDP:
    """The MDP with its stand-in rows averaged in the order of its choices."""
    instead = mdp.choice_action < 0
    rewards, probability = mdp.reward_of_choice.copy(), mdp.probability.copy()
    mean, rewards[instead] = average(mdp, mdp.state_of_choice[instead])
    probability[np.repeat(instead, np.diff(mdp.row_start))] = mean.data
    return replace(
        mdp, reward_of_choice=frozen_array(rewards, np.float64), probability=frozen_array(probability, np.float64)
    )


def rebuilt(
    mdp: MDP,
    *,
    discount: float | None = None,
    missing: Missing | None = None,
    missing_reward: float | None = None,
) -> MDP:
    """The choices that the model offers, once more through `build_mdp`; what is None stays as it is.

    An undiscounted model has lost the states from which every policy was worth -inf; they do not come back, so one
    that can be read anew should be.
    """
    if (discount, missing, missing_reward) == (None, None, None):
        return mdp
    rule = mdp.missing if missing is None else missing
    if missing_reward is not None and rule != "end":
        raise unused_reward(missing_reward, rule)
    real = np.flatnonzero(mdp.choice_action >= 0)
    row_start, entry = gather_rows(mdp.row_start, real)
    action, target = mdp.choice_action[real].astype(np.int64), mdp.target[entry].astype(np.int64)
    rows = ChoiceRows(mdp.state_of_choice[real], action, row_start, target, mdp.probability[entry])
    reward = mdp.reward_of_choice[real]
    again = build_mdp(
        rows,
        negated(reward) if mdp.sense == "min" else reward,
        mdp.discount if discount is None else discount,
        initial=mdp.initial,
        features=mdp.features,
        feature_names=mdp.feature_names,
        action_names=mdp.action_names,
        missing=rule,
        missing_reward=mdp.missing_reward if missing_reward is None else missing_reward,
        ends=np.maximum(0.0, 1.0 - np.asarray(mdp.rows.sum(axis=1)).ravel()[real]),
        forbidden=mdp.forbidden,
        state_number=mdp.state_number,
        name=mdp.name,
        notes=mdp.notes,
        must_end=mdp.must_end,
        sense=mdp.sense,
    )
    return replace(again, in_file=mdp.in_file)


def unused_reward(missing_reward: float, rule: str) -> InvalidModelError:
    """The complaint about a reward for an end that the rule does not bring about."""
    return InvalidModelError(
        f"missing_reward={missing_reward!r} means nothing with missing={rule!r}; pass missing='end' as well, or leave"
        " it out"
    )


RANDOM_ACTION = "__random__"


def with_random_action(mdp: MDP, name: str = RANDOM_ACTION) -> MDP:
    """The MDP whose last action acts at random in every state; optimum and random return stay as they are.

    A tree may gain by it: where missing actions do not act at random already, a leaf can now refuse to decide.
    """
    if name in mdp.action_names:
        raise InvalidModelError(f"there is an action {name!r} already; give the random one another name")
    real = mdp.choice_action >= 0
    everywhere = np.arange(mdp.num_states)
    mean, mean_reward = average(mdp, everywhere)
    both = sp.csr_matrix(sp.vstack((mdp.rows[np.flatnonzero(real)], mean), format="csr"))
    total = np.asarray(both.sum(axis=1)).ravel()
    reward = np.concatenate((mdp.reward_of_choice[real], mean_reward))
    return build_mdp(
        ChoiceRows(
            np.concatenate((mdp.state_of_choice[real], everywhere)),
            np.concatenate((mdp.choice_action[real], np.full(mdp.num_states, mdp.num_actions))),
            both.indptr.astype(np.int64),
            both.indices.astype(np.int64),
            both.data,
        ),
        negated(reward) if mdp.sense == "min" else reward,
        mdp.discount,
        initial=mdp.initial,
        features=mdp.features,
        feature_names=mdp.feature_names,
        action_names=(*mdp.action_names, name),
        missing=mdp.missing,
        missing_reward=mdp.missing_reward,
        ends=np.where(total < 1 - 1e-9, 1 - total, 0.0),
        forbidden=np.column_stack((mdp.forbidden, np.zeros(mdp.num_states, dtype=bool))),
        state_number=mdp.state_number,
        name=mdp.name,
        notes={**mdp.notes, "random action": f"{name} takes a uniformly random available action"},
        must_end=mdp.must_end,
        sense=mdp.sense,
    )
