"""Models as the arrays that MDP toolboxes for Python, MATLAB and R exchange: P and R."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from spotree.errors import InvalidModelError
from spotree.mdp import MDP, build_mdp
from spotree.mdp.check import as_array


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
    transitions, rewards = _matrices("P", P), _matrices("R", R)
    if (
        isinstance(rewards, np.ndarray)
        and rewards.ndim == 1
        and (isinstance(transitions, list) or transitions.ndim == 3)
    ):
        num_states, num_actions = transitions[0].shape[0], len(transitions)
        if len(rewards) != num_states:
            raise InvalidModelError(
                f"R has {len(rewards)} entries for {num_states} states; it is per state, [state, action] "
                "or [action, state, next state]"
            )
        rewards = np.repeat(rewards[:, None], num_actions, axis=1)
    return build_mdp(transitions, rewards, discount, **more)


def _matrices(name: str, given: Any) -> Any:
    """A list where the matrices are sparse, else one array."""
    if sp.issparse(given):
        return given.toarray()
    if isinstance(given, list | tuple | np.ndarray) and any(sp.issparse(matrix) for matrix in given):
        return list(given)
    return as_array(name, given, float)
