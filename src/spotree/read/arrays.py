"""Models as the arrays that MDP toolboxes for Python, MATLAB and R exchange: P and R."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from spotree.errors import InvalidModelError
from spotree.mdp import MDP, build_mdp


def from_arrays(P: Any, R: Any, discount: float, **more: Any) -> MDP:
    """The MDP of a transition array and a reward array.

    Parameters
    ----------
    P
        Dense [action, state, next state], or one matrix [state, next state] per action, dense or sparse.
    R
        [state], [state, action], or like P: one reward per transition.
    more
        Whatever else `build_mdp` takes: `initial`, `features`, `action_names`, ...
    """
    return build_mdp(P, _per_state_action(P, R), discount, **more)


def _per_state_action(P: Any, R: Any) -> Any:
    """R as `build_mdp` takes it: a reward per state is earned whatever the action."""
    if isinstance(R, list | tuple) and any(sp.issparse(matrix) for matrix in R):
        return R
    if sp.issparse(R):
        return R.toarray()
    try:
        rewards = np.asarray(R, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidModelError(f"R is no array of numbers: {str(error).splitlines()[0]}") from error
    if rewards.ndim != 1:
        return rewards
    num_states = P[0].shape[0] if sp.issparse(P[0]) else len(P[0])
    if len(rewards) != num_states:
        raise InvalidModelError(f"R has {len(rewards)} entries for {num_states} states; it is one reward per state")
    return np.repeat(rewards[:, None], len(P), axis=1)
