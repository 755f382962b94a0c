"""The best policy of an MDP, over all policies."""

import math
from dataclasses import dataclass

import numpy as np

from spotree.axes import ActionOf, Ints, PerState, frozen_array
from spotree.mdp import MDP
from spotree.values.missed import most_missed
from spotree.values.policy_iteration import policy_iteration


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """The best return of any policy, and a policy that has it.

    Attributes
    ----------
    value
        Expected return of `actions`: no policy's return exceeds it by more than `error`.
    values
        [state] the same from each state; none exceeds it by more than `error` either.
    actions
        [state] the policy.
    error
        Proved bound: the most that one better action gains, rounding included, over 1 - discount (undiscounted:
        times the most steps that a policy can take, see `most_missed`), and the error of the values themselves.
    """

    value: float
    values: PerState
    actions: ActionOf
    error: float


def optimum(mdp: MDP) -> Optimum:
    """The best of all policies, by policy iteration."""
    rows, values = policy_iteration(mdp)
    return Optimum(
        value=math.fsum(mdp.initial * values.value),
        values=frozen_array(values.value, np.float64),
        actions=frozen_array(_actions(mdp, rows), np.int32),
        error=most_missed(mdp, values.value) + values.error,
    )


def _actions(mdp: MDP, rows: Ints) -> ActionOf:
    """An action that takes each row; for a row that stands in, the first missing one."""
    actions: ActionOf = np.argmax(mdp.choice_of == rows[:, None], axis=1).astype(np.int32)
    return actions
