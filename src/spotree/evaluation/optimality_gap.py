"""Proved bound on the optimality gap of given values, discounted or not."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from spotree import _core
from spotree.common.arrays import Floats, PerState
from spotree.evaluation.policy_iteration import policy_iteration
from spotree.mdp import MDP, ChoiceRows, build_mdp
from spotree.mdp.graph import EndComponents, Set, end_components, ending_choices
from spotree.mdp.native import core_model

_EPSILON = float(np.finfo(np.float64).eps)
_FIRST_SHARE = 16 * _EPSILON  # of the largest value: about what rounding gains in one step


def most_missed(mdp: MDP, value: PerState, stop: _core.Stop | None = None) -> float:
    """No policy is worth more than this above `value` in any state; inf if it must stop before that is known."""
    if mdp.discount < 1:
        return _core.most_missed(core_model(mdp), value)
    return _most_missed_undiscounted(mdp, value, stop)


def _most_missed_undiscounted(mdp: MDP, value: PerState, stop: _core.Stop | None) -> float:
    """Values that no choice improves: the given ones, raised by a multiple of the steps that a policy can take.

    An end component without reward has one value, so it counts as one state, and its inner steps not at all. If a
    single choice gains at most g elsewhere, value + g * steps cannot be improved. Where a policy may pay for ever
    the number of its steps has no bound, and where it pays at all it may be too large to help; but then what is
    paid makes up for g, see `_missed_if_lighter`. (Rows that do not end the episode are taken to sum to 1 exactly.)
    """
    idle = end_components(mdp, mdp.reward_of_choice == 0)
    raised = _constant_on(mdp, idle, value)
    gain = float(_gains(mdp, raised)[~idle.inside].max(initial=0.0))
    lifted = float((raised - value).max(initial=0.0))
    if gain <= 0.0:
        return lifted
    once = _missed_if_paid_at_the_end(mdp, value)
    if once <= _FIRST_SHARE * float(np.abs(value).max(initial=0.0)):
        return once
    return min(once, _missed_by_steps(mdp, idle, value, lifted, gain, stop))


def _missed_if_paid_at_the_end(mdp: MDP, value: PerState) -> float:
    """What is earned at the end comes once: no more than the largest such reward; inf if others are earned."""
    last = mdp.row_start[1:] == mdp.row_start[:-1]
    earning = mdp.reward_of_choice > 0
    most = float(mdp.reward_of_choice[earning & last].max(initial=0.0))
    return max(0.0, most - float(value.min())) if last[earning].all() else np.inf


def _missed_by_steps(
    mdp: MDP, idle: EndComponents, value: PerState, lifted: float, gain: float, stop: _core.Stop | None
) -> float:
    costs = mdp.reward_of_choice < 0
    endless = end_components(mdp, np.ones(len(mdp.choice_action), dtype=bool)).inside
    for paying in (endless & costs, costs):
        steps = _most_steps(mdp, idle, ~idle.inside & ~paying, stop)
        missed = (
            _missed_if_lighter(mdp, idle, value, steps, paying, stop) if paying.any() else lifted + gain * steps
        )
        if missed < np.inf:
            return missed * (1 + 8 * _EPSILON)
    return np.inf


def _missed_if_lighter(
    mdp: MDP, idle: EndComponents, value: PerState, steps: float, paying: Set, stop: _core.Stop | None
) -> float:
    """The same where costs may be paid without end: from the best values with those costs a little lighter.

    On them a paying choice loses what it was lightened by. That covers what a run of other choices gains until the
    next one is paid, so these values, raised by that gain times the steps of a run, cannot be improved.
    """
    largest, least = float(np.abs(value).max()), float(-mdp.reward_of_choice[paying].max())
    share = _FIRST_SHARE * max(largest / least, 1.0) * (1.0 + steps)
    while share < 1.0 and not (stop and stop.raised):
        lighter = replace(mdp, reward_of_choice=np.where(paying, 1.0 - share, 1.0) * mdp.reward_of_choice)
        upper = _constant_on(mdp, idle, np.maximum(policy_iteration(lighter, stop).values.value, value))
        gains = _gains(mdp, upper)
        gained = float(gains[~idle.inside & ~paying].max(initial=0.0)) * steps
        if gains[paying].max() + gained <= 0.0:
            return float((upper - value).max()) + gained
        share *= 8.0
    return np.inf


def _gains(mdp: MDP, value: PerState) -> Floats:
    """[choice] what taking it once gains on the value, rounded upwards."""
    here = np.repeat(value, np.diff(mdp.choice_start))
    gain = mdp.reward_of_choice - here + mdp.rows @ value
    size = np.abs(mdp.reward_of_choice) + np.abs(here) + mdp.rows @ np.abs(value)
    gains: Floats = gain + (np.diff(mdp.row_start) + 4) * _EPSILON * size
    return gains


def _constant_on(mdp: MDP, idle: EndComponents, value: PerState) -> PerState:
    """The values, raised to the largest of each component, and to 0 where one may stay there for ever."""
    raised = value.copy()
    inner = idle.component_of >= 0
    most = np.full(len(value), -np.inf if mdp.must_end else 0.0)
    np.maximum.at(most, idle.component_of[inner], value[inner])
    raised[inner] = most[idle.component_of[inner]]
    return raised


def _most_steps(mdp: MDP, idle: EndComponents, counted: Set, stop: _core.Stop | None) -> float:
    """A bound on the expected number of counted choices that any policy takes, one after the other.

    It is checked by itself: with w the computed numbers, w less what follows is at least `slack` for each choice.
    """
    inner = idle.component_of >= 0
    places, place = np.unique(
        np.where(inner, idle.component_of, mdp.num_states + np.arange(mdp.num_states)), return_inverse=True
    )
    merge = sp.csr_matrix((np.ones(mdp.num_states), (np.arange(mdp.num_states), place)))
    chosen = np.flatnonzero(counted)
    origin = place[mdp.state_of_choice[chosen]]
    without = np.setdiff1d(np.arange(len(places)), origin)  # nothing is counted there: the end
    rows = sp.csr_matrix(sp.vstack((mdp.rows[chosen] @ merge, sp.csr_matrix((len(without), len(places))))))
    state = np.concatenate((origin, without))
    order = np.argsort(state, kind="stable")
    rows, state = rows[order], state[order]
    first = np.concatenate(([True], np.diff(state) != 0))
    action = np.arange(len(state)) - np.flatnonzero(first)[np.cumsum(first) - 1]
    ends = np.concatenate((ending_choices(mdp)[chosen], np.ones(len(without), dtype=bool)))[order]
    quotient = build_mdp(
        ChoiceRows(state, action, rows.indptr, rows.indices, rows.data),
        1.0,
        1.0,
        ends=np.where(ends, 1.0 - np.asarray(rows.sum(axis=1)).ravel(), 0.0),
        missing="forbid",
        features=np.arange(len(places), dtype=float)[:, None],
    )
    steps = policy_iteration(quotient, stop).values.value
    slack = -float(_gains(quotient, steps).max(initial=-1.0)) + 1.0
    return float(steps.max()) / slack if slack > 0.5 else np.inf
