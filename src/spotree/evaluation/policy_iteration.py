"""Policy iteration: better choices, then their values, until none is better."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spotree import _core
from spotree.common.arrays import Floats, Ints, PerState
from spotree.evaluation.chain import chain_solver, solved
from spotree.evaluation.error_bounds import Certified
from spotree.evaluation.q_values import choice_values
from spotree.mdp import MDP
from spotree.mdp.graph import rows_towards
from spotree.mdp.native import core_model
from spotree.mdp.total_reward import idle_components

_START_SWEEPS = 100  # of value iteration, before the first policy
_LARGE = 1_000_000  # transitions: from here on the first policies are evaluated roughly
_ROUGH_ROUNDS = 100  # most of those
_REDUCTION = 0.1  # of the Bellman residual by one rough evaluation
_NEAR = 1e-11  # relative gap at which evaluations become exact
_GROWTH = 100.0  # times the smallest residual: beyond that it diverges
_TIE = 1e-13  # a better choice must be better by this much, relative to the largest value
_PATIENCE = 10  # rounds without a visible gain: what is left is rounding
_LOST_DIGITS = 1e-6  # a relative error from which the values of a first policy show nothing
_SLIGHT_DISCOUNT = 1.0 - 1e-6
_FALL = 1e-9  # no value may fall by more, relative to the largest; if one does, the gain was rounding


class Best(NamedTuple):
    """The rows that a best policy takes, and what it is worth."""

    rows: Ints
    values: Certified[PerState]


def policy_iteration(mdp: MDP, stop: _core.Stop | None = None) -> Best:
    """A policy that no single choice improves, or the best until it had to stop.

    Undiscounted this is only sound from a policy that surely stops: a strictly better choice then never closes a
    new class of states that goes on for ever, so all policies on the way stop as well.
    """
    rows, values = _start(mdp, stop)
    total, patience = float(values.value.sum()), _PATIENCE
    while patience > 0 and not (stop and stop.raised):
        of_choice = choice_values(mdp, values.value)
        best, better = _best_rows(mdp, of_choice)
        scale = np.abs(values.value).max()
        improved = best - of_choice[rows] > _TIE * scale
        if not improved.any():
            break
        new_rows = np.where(improved, better, rows)
        new_values = _values(mdp, new_rows, stop)
        if stop and stop.raised:
            break
        if mdp.discount == 1 and (new_values.value < values.value - _FALL * scale).any():
            break
        rows, values = new_rows, new_values
        patience = _PATIENCE if values.value.sum() > total else patience - 1
        total = max(total, float(values.value.sum()))
    return Best(rows, values)


def _start(mdp: MDP, stop: _core.Stop | None) -> Best:
    """Greedy after some value iteration; undiscounted, a policy that surely ends, or idles where it can."""
    if mdp.discount == 1:
        idle = idle_components(mdp)
        rows = rows_towards(mdp, idle.component_of >= 0, idle.inside)
        values = _values(mdp, rows, stop)
        return Best(rows, values) if values.relative < _LOST_DIGITS else _hurried(mdp, Best(rows, values), stop)
    sweeps = _core.sweep(core_model(mdp), np.zeros(mdp.num_states), _START_SWEEPS, stop)
    if len(mdp.target) >= _LARGE:
        sweeps = _roughly_iterated(mdp, sweeps, stop)
    if stop and stop.raised:
        return _unfinished(mdp, sweeps)
    rows = _best_rows(mdp, choice_values(mdp, sweeps))[1]
    values = _values(mdp, rows, stop)
    return _unfinished(mdp, sweeps) if stop and stop.raised else Best(rows, values)


def _roughly_iterated(mdp: MDP, value: PerState, stop: _core.Stop | None) -> PerState:
    """Policy iteration whose evaluations correct the values before them, each to a share of the Bellman residual.

    Returns the values with the smallest residual (up to a constant). A residual that grows, or no longer falls, ends
    the iteration.
    """
    best_value, best_span, patience = value, np.inf, _PATIENCE
    for _ in range(_ROUGH_ROUNDS):
        best, rows = _best_rows(mdp, choice_values(mdp, value))
        change = best - value
        span = float(np.ptp(change))
        patience = _PATIENCE if span < best_span else patience - 1
        if not span < _GROWTH * best_span or patience == 0:
            break
        if span < best_span:
            best_value, best_span = value, span
        near = span <= _NEAR * (1.0 - mdp.discount) * float(np.abs(value).max())
        if near or (stop and stop.raised):
            break
        row_of = rows.astype(np.int32)
        solver, residual = chain_solver(mdp, mdp.row_start, row_of, mdp.probability, change, None, stop, _REDUCTION)
        correction = solved(solver, residual, stop).value
        if not np.isfinite(correction).all():
            break
        value = value + correction
    return best_value


def _unfinished(mdp: MDP, value: PerState) -> Best:
    """What value iteration knows: the greedy policy, and values that it has up to what one more sweep changes.

    All values are shifted so that a sweep raises some as much as it lowers others. (Rows sum to 1 within 1e-12.)
    """
    leak = max(1.0 - mdp.discount * (1.0 + 1e-12), 1e-300)
    terms = 8 + int(np.diff(mdp.row_start).max(initial=0))
    for last in (False, False, False, True):
        best, rows = _best_rows(mdp, choice_values(mdp, value))
        change = best - value
        if not last:
            value = best + mdp.discount / (1.0 - mdp.discount) * (change.max() + change.min()) / 2
    rounding = terms * float(np.finfo(np.float64).eps) * float(np.abs(value).max() + np.abs(best).max())
    return Best(rows, Certified(value, (float(np.abs(change).max()) + rounding) / leak))


def _hurried(mdp: MDP, slow: Best, stop: _core.Stop | None) -> Best:
    """Instead of a policy that takes too many steps to be evaluated, one that is best with a slight discount."""
    rows = policy_iteration(replace(mdp, discount=_SLIGHT_DISCOUNT), stop).rows
    values = _values(mdp, rows, stop)
    return Best(rows, values) if values.error < slow.values.error and np.isfinite(values.value).all() else slow


def _values(mdp: MDP, rows: Ints, stop: _core.Stop | None) -> Certified[PerState]:
    row_of, reward = rows.astype(np.int32), mdp.reward_of_choice[rows]
    solver, reward = chain_solver(mdp, mdp.row_start, row_of, mdp.probability, reward, None, stop)
    return solved(solver, reward, stop)


def _best_rows(mdp: MDP, of_choice: Floats) -> tuple[PerState, Ints]:
    """The largest value among each state's rows, and the first row that has it."""
    best = np.maximum.reduceat(of_choice, mdp.choice_start[:-1])
    at_best = of_choice == np.repeat(best, np.diff(mdp.choice_start))
    row = np.where(at_best, np.arange(len(of_choice)), len(of_choice))
    return best, np.minimum.reduceat(row, mdp.choice_start[:-1])
