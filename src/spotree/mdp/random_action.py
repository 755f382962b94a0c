"""One more action that takes a uniformly random one of those a state offers, as dtPAYNT adds to every model."""

import numpy as np
import scipy.sparse as sp

from spotree.errors import InvalidModelError
from spotree.mdp.build import build_mdp
from spotree.mdp.choices import ChoiceRows
from spotree.mdp.missing import average
from spotree.mdp.model import MDP

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
    return build_mdp(
        ChoiceRows(
            np.concatenate((mdp.state_of_choice[real], everywhere)),
            np.concatenate((mdp.choice_action[real], np.full(mdp.num_states, mdp.num_actions))),
            both.indptr.astype(np.int64),
            both.indices.astype(np.int64),
            both.data,
        ),
        np.concatenate((mdp.reward_of_choice[real], mean_reward)),
        mdp.discount,
        initial=mdp.initial,
        features=mdp.features,
        feature_names=mdp.feature_names,
        action_names=(*mdp.action_names, name),
        missing=mdp.missing,
        missing_reward=mdp.missing_reward,
        ends=np.where(total < 1 - 1e-9, 1 - total, 0.0),
        state_number=mdp.state_number,
        name=mdp.name,
        notes={**mdp.notes, "random action": f"{name} takes a uniformly random available action"},
        undiscounted=mdp.discount == 1,
    )
