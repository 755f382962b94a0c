"""Where a policy comes and asks for an action that is not there."""

import numpy as np
from numpy.typing import ArrayLike

from spotree import _core
from spotree.axes import Ints
from spotree.mdp import MDP
from spotree.values.policy import Acts, actions_of, chosen_rows


def reached_states(mdp: MDP, policy: ArrayLike | Acts) -> Ints:
    """The states that the policy can come to; where it takes a forbidden action it goes no further."""
    found: Ints = np.sort(
        _core.reachable(
            row_start=mdp.row_start,
            row_of=chosen_rows(mdp, policy),
            target=mdp.target,
            probability=mdp.probability,
            roots=np.flatnonzero(mdp.initial).astype(np.int32),
        )
    ).astype(np.int64)
    return found


def lacking_states(mdp: MDP, policy: ArrayLike | Acts) -> Ints:
    """The states that the policy can come to and that do not offer the action it takes there."""
    reached = reached_states(mdp, policy)
    lacking: Ints = reached[~mdp.available[reached, actions_of(mdp, policy)[reached]]]
    return lacking
