"""Which states really leave a choice: only they matter to a tree."""

import numpy as np
from numpy.typing import NDArray

from spotree.mdp.model import MDP


def relevant_states(mdp: MDP) -> NDArray[np.bool_]:
    """[state] whether two actions differ there in reward or next states (a forbidden action differs).

    Rows are compared by a random linear fingerprint: equal rows always agree; that different rows agree by
    chance has probability zero up to rounding. The direction is drawn anew, so that no model can be made for it.
    """
    direction = np.random.default_rng().random(mdp.num_states + 1)
    fingerprint = mdp.rows @ direction[:-1] + mdp.reward_of_choice * direction[-1]
    of_action = np.where(mdp.choice_of >= 0, fingerprint[mdp.choice_of], np.nan)
    differs: NDArray[np.bool_] = (of_action != of_action[:, :1]).any(axis=1)
    return differs
