"""The best policy of an MDP, over all policies."""

import math
from dataclasses import dataclass

import numpy as np

from spotree import _core
from spotree.common.arrays import ActionOf, Ints, PerState, frozen_array
from spotree.evaluation.optimality_gap import most_missed
from spotree.evaluation.policy_iteration import policy_iteration
from spotree.mdp import MDP


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


def optimum(mdp: MDP, *, stop: _core.Stop | None = None) -> Optimum:
    """The best of all policies, by policy iteration; when it must `stop`, the best so far, with a larger error."""
    rows, values = policy_iteration(mdp, stop)
    return Optimum(
        value=math.fsum(mdp.initial * values.value),
        values=frozen_array(values.value, np.float64),
        actions=frozen_array(_actions(mdp, rows), np.int32),
        error=most_missed(mdp, values.value, stop) + values.error,
    )


def _actions(mdp: MDP, rows: Ints) -> ActionOf:
    """An action that takes each row; for a row that stands in, the first missing one."""
    actions: ActionOf = np.argmax(mdp.choice_of == rows[:, None], axis=1).astype(np.int32)
    return actions
