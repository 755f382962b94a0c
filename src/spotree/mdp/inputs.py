"""The forms in which users hold transitions and rewards, each turned into choices."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from spotree.common.arrays import Floats
from spotree.errors import InvalidModelError
from spotree.mdp.check import as_array, first, shaped
from spotree.mdp.choices import ChoiceRows

Matrices: TypeAlias = (
    ArrayLike | Sequence[Any]
)  # dense [action, state, next state], or one sparse matrix per action

MOST_PAIRS = 2**31 - 1  # of state and action


class Choices(NamedTuple):
    """Choices in any order, with the expected reward and the probability to end of each."""

    rows: ChoiceRows
    reward: Floats
    ends: Floats
    num_states: int
    num_actions: int


def from_rows(
    given: ChoiceRows, reward: Any, transition_reward: Any, ends: Any, states: int | None, actions: int | None
) -> Choices:
    """Choices that come as rows; numbers of states and actions that are not known follow from the rows."""
    rows = _fitting(given)
    num_states = states if states is not None else 1 + max(int(rows.state.max()), int(rows.target.max(initial=0)))
    num_actions = actions if actions is not None else 1 + int(rows.action.max())
    if states is None and num_states > rows.num_choices:  # before arrays of that size are made
        lacking = np.setdiff1d(np.arange(rows.num_choices + 1), rows.state)[0]
        raise InvalidModelError(f"state {lacking} has no choice; {num_states} states need at least as many choices")
    if num_states * num_actions > MOST_PAIRS:
        raise InvalidModelError(
            f"{num_states} states and {num_actions} actions make {num_states * num_actions} pairs; "
            f"at most {MOST_PAIRS} fit: number the actions from 0 on, without gaps"
        )
    _check_range("choice", "state", rows.state, num_states)
    _check_range("choice", "action", rows.action, num_actions)
    _check_range("transition", "next state", rows.target, num_states)
    expected = _of_choice("reward", reward, rows, num_states, num_actions)
    if transition_reward is not None:
        each = as_array("transition_reward", transition_reward, float)
        shaped("transition_reward", each, rows.target.shape, "one reward per transition")
        with np.errstate(all="ignore"):  # what becomes infinite is refused with the other rewards
            expected = expected + rows.expected(each)
    ending = _of_choice("ends", ends, rows, num_states, num_actions)
    return Choices(rows, expected, ending, num_states, num_actions)


def from_matrices(transitions: Matrices, reward: Any, ends: Any, available: Any) -> Choices:
    """Choices from one matrix [state, next state] per action, dense or sparse."""
    stacked = _stack("transitions", transitions)
    num_states = stacked.shape[1]
    num_actions = stacked.shape[0] // num_states
    offered = as_array("available", np.True_ if available is None else available, bool)
    if available is not None:
        shaped("available", offered, (num_states, num_actions), "[state, action]")
    reward = reward.toarray() if sp.issparse(reward) else reward
    state, action = np.nonzero(np.broadcast_to(offered, (num_states, num_actions)))
    picked = action * num_states + state
    matrix = stacked[picked]
    rows = ChoiceRows(state, action, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data)
    if _is_sparse_list(reward) or as_array("reward", reward, float).ndim == 3:
        per_transition = _stack("reward", reward)
        if per_transition.shape != stacked.shape:
            side = per_transition.shape[1]
            raise InvalidModelError(
                f"reward has {per_transition.shape[0] // side} matrices of {side} states, transitions have "
                f"{num_actions} of {num_states}; both are [action, state, next state]"
            )
        each = per_transition[picked][rows.choice_of_transition, rows.target]
        with np.errstate(all="ignore"):
            expected = rows.expected(np.asarray(each, dtype=np.float64).ravel())
    else:
        expected = _of_choice("reward", reward, rows, num_states, num_actions)
    ending = _of_choice("ends", ends, rows, num_states, num_actions)
    return Choices(rows, expected, ending, num_states, num_actions)


def _is_sparse_list(matrices: Any) -> bool:
    many = isinstance(matrices, list | tuple) or (isinstance(matrices, np.ndarray) and matrices.dtype == object)
    return many and any(sp.issparse(matrix) for matrix in matrices)


def _stack(name: str, matrices: Matrices) -> sp.csr_matrix:
    """One matrix [action * states + state, next state] from the dense or the sparse form."""
    if sp.issparse(matrices):
        raise InvalidModelError(f"{name} is a single sparse matrix; pass a list with one of them per action")
    if _is_sparse_list(matrices):
        each = [_sparse(name, action, matrix) for action, matrix in enumerate(matrices)]  # type: ignore[arg-type]
        side = each[0].shape[0]
        for action, matrix in enumerate(each):
            if matrix.shape != (side, side) or side == 0:
                raise InvalidModelError(
                    f"{name} of action {action} has shape {matrix.shape}, not {(max(side, 1), max(side, 1))}; "
                    "every action needs one square matrix [state, next state]"
                )
        stacked = sp.csr_matrix(sp.vstack(each))
        stacked.sum_duplicates()
        return stacked
    dense = as_array(name, matrices, float)
    if dense.ndim != 3 or dense.shape[1] != dense.shape[2] or 0 in dense.shape:
        raise InvalidModelError(
            f"{name} has shape {dense.shape}; pass [action, state, next state], "
            "one sparse matrix per action, or ChoiceRows"
        )
    return sp.csr_matrix(dense.reshape(-1, dense.shape[2]))


def _sparse(name: str, action: int, matrix: Any) -> sp.csr_matrix:
    """One sparse matrix; what is none, or holds no numbers, goes the way of arrays and is refused there."""
    of_action = f"{name} of action {action}"
    dense = matrix if sp.issparse(matrix) else as_array(of_action, matrix, float)
    as_array(of_action, dense.data if sp.issparse(dense) else 0.0, float)
    if dense.ndim != 2:
        raise InvalidModelError(f"{of_action} has shape {dense.shape}; pass one matrix [state, next state]")
    return sp.csr_matrix(dense, dtype=float)


def _of_choice(name: str, values: Any, rows: ChoiceRows, num_states: int, num_actions: int) -> Floats:
    """[choice] a quantity given as one number, per state, per state and action, or per choice."""
    array = as_array(name, values, float)
    if array.ndim == 0:
        return np.full(rows.num_choices, float(array))
    if array.ndim == 2:
        shaped(name, array, (num_states, num_actions), "[state, action]")
        return np.asarray(array[rows.state, rows.action], dtype=np.float64)
    if array.shape == (num_states,) != (rows.num_choices,):
        return np.asarray(array[rows.state], dtype=np.float64)
    return shaped(name, array, (rows.num_choices,), "[state], [state, action], or one number per choice")


def _fitting(rows: ChoiceRows) -> ChoiceRows:
    """Choice rows as int64 and float64 arrays that fit together."""
    state, action, start, target = (
        as_array(name, getattr(rows, name), int) for name in ("state", "action", "row_start", "target")
    )
    probability = as_array("probability", rows.probability, float)
    if state.ndim != 1 or len(state) == 0:
        raise InvalidModelError(f"state of the choice rows has shape {state.shape}; it is one state per choice")
    if target.ndim != 1:
        raise InvalidModelError(f"target has shape {target.shape}; it is one next state per transition")
    shaped("action", action, (len(state),), "one action per choice")
    shaped("row_start", start, (len(state) + 1,), "one more than there are choices")
    shaped("probability", probability, target.shape, "one probability per transition")
    if (choice := first(np.diff(start) < 0)) is not None:
        raise InvalidModelError(
            f"row_start falls from {start[choice]} to {start[choice + 1]} at choice {choice}; it must not fall"
        )
    if start[0] != 0 or start[-1] != len(target):
        raise InvalidModelError(
            f"row_start runs from {start[0]} to {start[-1]}; it must run from 0 to {len(target)}, the transitions"
        )
    return ChoiceRows(state, action, start, target, probability)


def _check_range(where: str, kind: str, values: Any, limit: int) -> None:
    if (index := first((values < 0) | (values >= limit))) is not None:
        raise InvalidModelError(
            f"{where} {index}: {kind} {values[index]} does not exist; "
            + (f"they are numbered 0 to {limit - 1}" if limit else "there are none")
        )
