"""Policies: an action per state, or a mixture of choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from spotree.common.arrays import ActionOf, Features, Floats, SmallInts, frozen_array
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


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """A stochastic policy of one MDP.

    Attributes
    ----------
    weight
        [choice] the probability that the policy takes this row of the MDP; they sum to 1 in every state.
    """

    weight: Floats


def uniform(mdp: MDP) -> Mixture:
    """A uniformly random one of the choices that the model really offers, in every state.

    Where all of these are forbidden it is what stands in for missing actions.
    """
    offered = mdp.choice_action >= 0
    none = ~np.logical_or.reduceat(offered, mdp.choice_start[:-1])
    real = (offered | np.repeat(none, np.diff(mdp.choice_start))).astype(np.float64)
    number = np.add.reduceat(real, mdp.choice_start[:-1])
    return Mixture(frozen_array(real / np.repeat(number, np.diff(mdp.choice_start)), np.float64))


def mixture(mdp: MDP, policy: ArrayLike | Acts, rate: float) -> Mixture:
    """Follow a policy, but with probability `rate` take a uniformly random choice: exploration.

    A state in which the policy picks a forbidden action explores only.
    """
    if not 0.0 <= rate <= 1.0:
        raise InvalidProblemError(f"exploration rate is {rate}; it must lie between 0 and 1")
    rows = chosen_rows(mdp, policy)
    allowed = rows >= 0
    weight = uniform(mdp).weight * np.repeat(np.where(allowed, rate, 1.0), np.diff(mdp.choice_start))
    weight[rows[allowed]] += 1.0 - rate
    return Mixture(frozen_array(weight, np.float64))
