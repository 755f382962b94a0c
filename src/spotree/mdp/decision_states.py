"""Which states really leave a choice: only they matter to a tree."""

import numpy as np
from numpy.typing import NDArray

from spotree import _core
from spotree.common.arrays import SmallInts
from spotree.mdp.model import MDP
from spotree.mdp.native import core_model


def merged_choices(mdp: MDP) -> SmallInts:
    """[state, action] -> row as in `choice_of`, but the first of a state's rows that are equal to the last bit."""
    return _core.merge_equal_choices(core_model(mdp)).reshape(mdp.choice_of.shape)


def relevant_states(mdp: MDP, merged: SmallInts | None = None) -> NDArray[np.bool_]:
    """[state] whether two actions differ there in reward or next states (a forbidden action differs)."""
    choice_of = merged_choices(mdp) if merged is None else merged
    differs: NDArray[np.bool_] = (choice_of != choice_of[:, :1]).any(axis=1)
    return differs
