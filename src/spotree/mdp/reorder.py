"""The same model with its features and actions in another order: what a certificate may have been written about."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spotree.axes import frozen_array
from spotree.mdp.choices import gather_rows
from spotree.mdp.missing import average
from spotree.mdp.model import MDP
from spotree.names import places


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
