"""The best policy of an MDP, over all policies: policy iteration."""

import math
from dataclasses import dataclass

import numpy as np

from spotree import _core
from spotree.axes import ActionOf, Floats, Ints, PerState, frozen_array
from spotree.mdp import MDP
from spotree.values.action_values import choice_values
from spotree.values.certified import Certified

_START_SWEEPS = 100  # of value iteration, before the first policy
_TIE = 1e-13  # a better choice must be better by this much, relative to the largest value
_PATIENCE = 10  # rounds without a visible gain: what is left is rounding


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
        Proved bound: the most that one better action gains, rounding included, over 1 - discount, and the error of
        the values themselves; inf if undiscounted.
    """

    value: float
    values: PerState
    actions: ActionOf
    error: float


def optimum(mdp: MDP) -> Optimum:
    """Policy iteration, started from a policy that is greedy after some value iteration."""
    model = (mdp.choice_start, mdp.row_start, mdp.target, mdp.probability, mdp.reward_of_choice)
    start = _core.sweep(*model, np.zeros(mdp.num_states), mdp.discount, _START_SWEEPS)
    _, rows = _best_rows(mdp, choice_values(mdp, start))
    total, patience = -math.inf, _PATIENCE
    while True:
        values = _values(mdp, rows)
        of_choice = choice_values(mdp, values.value)
        best, better = _best_rows(mdp, of_choice)
        improved = best - of_choice[rows] > _TIE * np.abs(values.value).max()
        patience = _PATIENCE if values.value.sum() > total else patience - 1
        if not improved.any() or patience == 0:
            break
        total = max(total, float(values.value.sum()))
        rows = np.where(improved, better, rows)
    return Optimum(
        value=math.fsum(mdp.initial * values.value),
        values=frozen_array(values.value, np.float64),
        actions=frozen_array(_actions(mdp, rows), np.int32),
        error=_core.most_missed(*model, values.value, mdp.discount) + values.error,
    )


def _values(mdp: MDP, rows: Ints) -> Certified[PerState]:
    solver = _core.ChainSolver(
        mdp.row_start, rows.astype(np.int32), mdp.target, mdp.probability, mdp.discount, None
    )
    return Certified(*solver.solve(mdp.reward_of_choice[rows]))


def _best_rows(mdp: MDP, of_choice: Floats) -> tuple[PerState, Ints]:
    """The largest value among each state's rows, and the first row that has it."""
    best = np.maximum.reduceat(of_choice, mdp.choice_start[:-1])
    at_best = of_choice == np.repeat(best, np.diff(mdp.choice_start))
    row = np.where(at_best, np.arange(len(of_choice)), len(of_choice))
    return best, np.minimum.reduceat(row, mdp.choice_start[:-1])


def _actions(mdp: MDP, rows: Ints) -> ActionOf:
    """An action that takes each row; for a row that stands in, the first missing one."""
    actions: ActionOf = np.argmax(mdp.choice_of == rows[:, None], axis=1).astype(np.int32)
    return actions
