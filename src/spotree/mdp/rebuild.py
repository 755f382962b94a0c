"""The same model under another discount or another rule for missing actions."""

import numpy as np

from spotree.errors import InvalidModelError
from spotree.mdp.build import build_mdp
from spotree.mdp.choices import ChoiceRows, gather_rows
from spotree.mdp.model import MDP, Missing


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
    return build_mdp(
        rows,
        mdp.reward_of_choice[real],
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
        undiscounted=True,
        must_end=mdp.must_end,
        sense=mdp.sense,
    )


def unused_reward(missing_reward: float, rule: str) -> InvalidModelError:
    """The complaint about a reward for an end that the rule does not bring about."""
    return InvalidModelError(
        f"missing_reward={missing_reward!r} means nothing with missing={rule!r}; pass missing='end' as well, or leave"
        " it out"
    )
