"""Which row of the MDP a deterministic policy takes in each state."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from spotree.axes import ActionOf, Features, SmallInts
from spotree.errors import InvalidProblemError
from spotree.mdp import MDP


@runtime_checkable
class Acts(Protocol):
    """Anything that acts on features: a tree, a `TreePolicy`, a model of another library in a thin wrapper."""

    def actions(self, features: Features) -> ActionOf: ...


@runtime_checkable
class Fits(Protocol):
    """What can be put in a model's terms: a `TreePolicy` or `Solution` by its names, a bare `Tree` by position."""

    def tree_for(self, feature_names: Sequence[str], action_names: Sequence[str]) -> Acts: ...


def actions_of(mdp: MDP, policy: ArrayLike | Acts) -> ActionOf:
    """The action per state of a policy given as such, or as something that acts on the features.

    A policy with names is matched with the model's by them; without names its features and actions are taken by
    position, and must be in range.
    """
    actions = policy if isinstance(policy, np.ndarray) else _actions_by_name(mdp, policy)
    if actions.dtype == object:
        raise InvalidProblemError(
            f"the policy is of type {type(policy).__name__}; give a Solution, a TreePolicy, a Tree, or one action per"
            " state"
        )
    if actions.shape != (mdp.num_states,) or not np.issubdtype(actions.dtype, np.integer):
        raise InvalidProblemError(
            f"a policy is one whole number per state, here {mdp.num_states}; "
            f"this one has shape {actions.shape} and type {actions.dtype}"
        )
    if not (actions.min() >= 0 and actions.max() < mdp.num_actions):
        state = int(((actions < 0) | (actions >= mdp.num_actions)).argmax())
        raise InvalidProblemError(
            f"state {state}: the policy picks action {actions[state]}; actions are 0 to {mdp.num_actions - 1}"
        )
    return np.asarray(actions, dtype=np.int32)


def _actions_by_name(mdp: MDP, policy: ArrayLike | Acts) -> np.ndarray:
    acts = policy.tree_for(mdp.feature_names, mdp.action_names) if isinstance(policy, Fits) else policy
    return np.asarray(acts.actions(mdp.features) if isinstance(acts, Acts) else acts)


def chosen_rows(mdp: MDP, policy: ArrayLike | Acts) -> SmallInts:
    """[state] -> row of the MDP, -1 where the policy picks a forbidden action."""
    rows: SmallInts = mdp.choice_of[np.arange(mdp.num_states), actions_of(mdp, policy)]
    return rows
