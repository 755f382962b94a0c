"""The only door into `MDP`: every form of model is checked here and becomes the one frozen representation."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from spotree.common.arrays import Ints, columns_of, frozen_array
from spotree.errors import InvalidModelError
from spotree.mdp.check import (
    NORMALISE_TOLERANCE,
    ROW_TOLERANCE,
    as_array,
    check_choices,
    check_discount,
    check_features,
    check_initial,
    check_missing_reward,
    check_names,
    check_price,
    described,
    first,
    least_scaled,
    listed_names,
    negated,
    rescaled,
    scaled_note,
    shaped,
)
from spotree.mdp.choices import ChoiceRows, at_most_one, slack_of
from spotree.mdp.inputs import Choices, Matrices, from_matrices, from_rows
from spotree.mdp.missing import stand_in
from spotree.mdp.model import MDP, Missing, Sense
from spotree.mdp.total_reward import finite_part


def build_mdp(
    transitions: Matrices | ChoiceRows,
    reward: Matrices | float,
    discount: float,
    initial: ArrayLike | int | None = None,
    features: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
    available: ArrayLike | None = None,
    missing: Missing = "random",
    missing_reward: float | None = None,
    *,
    transition_reward: ArrayLike | None = None,
    ends: ArrayLike | None = None,
    forbidden: ArrayLike | None = None,
    normalise: bool = False,
    state_number: ArrayLike | None = None,
    name: str = "mdp",
    notes: Mapping[str, str] | None = None,
    undiscounted: bool = False,
    must_end: bool = False,
    sense: Sense = "max",
) -> MDP:
    """An MDP from arrays; the first thing that is wrong with them raises `InvalidModelError`.

    Parameters
    ----------
    transitions
        Probabilities: dense [action, state, next state], one sparse matrix [state, next state] per action (the P of
        MDP toolboxes), or `ChoiceRows`.
    reward
        [state], [state, action], [choice] (with `ChoiceRows`), one number for all, or per transition in the dense or
        sparse form of `transitions`: then its expectation is taken. More is better, unless `sense` is "min": then
        these are costs. Values must stay below 1e100, so rewards go up to 1e100 * (1 - discount).
    discount
        From 0 to 1. With 1, totals until the episode ends: the model is then cut down to its `finite_part`. States
        from which every policy is worth -inf are left out, and choices that may lead there are forbidden. Unreachable
        states are left out, too, if one of them could be worth +inf.
    initial
        The distribution [state], or one state; uniform over all states if not given.
    features
        What a tree may look at, [state, feature]; the state's number if not given. The columns of a data frame are the
        `feature_names`, if these are not given. Whole numbers that float64 cannot
        hold exactly (some from 2**53 on) are refused.
    available
        [state, action] which actions a state offers; all of them if not given. `ChoiceRows` say so themselves.
    missing
        What an unavailable action does: see `spotree.mdp.missing`.
    missing_reward
        What `missing="end"` pays, -1 if not given. It is a reward for either `sense`, as for `read`: -40 is a cost of
        40. With costs it must be given, because a cost of 1 may be less than that of the next steps.
    transition_reward
        With `ChoiceRows`: a reward (or cost) for each transition, whose expectation is added to `reward`.
    ends
        The probability that the episode ends, [state], [state, action] or [choice]: a row then sums to 1 less that.
    forbidden
        [state, action] which of the unavailable actions no policy may take, whatever `missing` says.
    normalise
        Rescale rows that are off by less than 1e-6. (Up to 1e-9 they are taken as they are, but brought down to 1 where
        they are above it by more than rounding: see `MDP.excess`. Where discount / (1 - discount) times what they are
        off is more than 1e-6, which is how far they would move a return, they are rescaled too, with a note.)
    state_number
        The numbers by which the source knows the states; 0, 1, ... if not given.
    undiscounted
        Accepted, and not needed: discount 1 says it.
    must_end
        With discount 1: going on for ever is worth -inf even where nothing is paid, as a goal must be reached.
    sense
        "min": `reward` and `transition_reward` hold costs, and the smallest expected cost is sought. Inside, more is
        always better: `mdp.reward` and all values are negated costs, what a person reads are costs.

    Examples
    --------
    Two machines: the first costs 3 a day, the second 5.

    >>> mdp = spotree.build_mdp([[[1.0]], [[1.0]]], [[3.0, 5.0]], 0.5, action_names=["first", "second"], sense="min")
    >>> solution = spotree.solve(mdp, depth=0)
    >>> print(solution.policy, solution.cost)
    first 6.0
    """
    if not isinstance(missing, str) or missing not in get_args(Missing):
        raise InvalidModelError(
            f"missing={described(missing)} is unknown; choose one of {', '.join(get_args(Missing))}"
        )
    if not isinstance(sense, str) or sense not in get_args(Sense):
        raise InvalidModelError(f"sense={described(sense)} is unknown; choose one of {', '.join(get_args(Sense))}")
    discount = check_discount(discount)
    price = check_missing_reward(-1.0 if missing_reward is None else missing_reward, discount)
    features, columns = columns_of(features, InvalidModelError)
    feature_names = columns if feature_names is None else feature_names
    feature_names, action_names = listed_names("feature", feature_names), listed_names("action", action_names)

    ends = 0.0 if ends is None else ends

    if isinstance(transitions, ChoiceRows):
        if available is not None:
            raise InvalidModelError("available was given with ChoiceRows; leave out the rows of missing actions")
        actions = None if action_names is None else len(action_names)
        states = _number_of_states(features, initial)
        choices = from_rows(transitions, reward, transition_reward, ends, states, actions)
    elif transition_reward is not None:
        raise InvalidModelError("transition_reward was given without ChoiceRows; pass such rewards as reward")
    else:
        choices = from_matrices(transitions, reward, ends, available)
    number = np.arange(choices.num_states)
    if state_number is not None:
        number = shaped("state_number", as_array("state_number", state_number, int), number.shape, "one per state")
    names = check_names("action", action_names, choices.num_actions)
    if features is None and feature_names is None:
        feature_names = ("state",)
    least = 0.0 if normalise else least_scaled(discount)
    most = NORMALISE_TOLERANCE if normalise else ROW_TOLERANCE
    noted = {} if normalise else scaled_note(choices.rows, choices.ends, discount)
    choices = _ready(choices, least, most, discount, number, names)
    feature_values = check_features(features, feature_names, choices.num_states, number)
    shape = (choices.num_states, choices.num_actions)
    never = np.zeros(shape, dtype=bool) if forbidden is None else as_array("forbidden", forbidden, bool)
    shaped("forbidden", never, shape, "[state, action]")
    if sense == "min":
        if missing == "end" and choices.rows.num_choices + never.sum() < never.size:
            check_price(missing_reward, choices.reward)
        choices = choices._replace(reward=negated(choices.reward))
    mdp = MDP(
        **_layout(choices, missing, price, never, slack_of(discount), number, names),
        initial=frozen_array(check_initial(initial, choices.num_states, number), np.float64),
        discount=discount,
        features=frozen_array(feature_values, np.float64),
        feature_names=check_names("feature", feature_names, feature_values.shape[1]),
        action_names=names,
        missing=missing,
        missing_reward=price,
        state_number=frozen_array(number, np.int64),
        must_end=must_end and discount == 1,
        sense=sense,
        name=name,
        notes=dict(notes or {}) | noted,
    )
    return finite_part(mdp) if discount == 1 else mdp


def _number_of_states(features: Any, initial: Any) -> int | None:
    """As many as there are rows of features or initial probabilities, if one of them is given."""
    for name, given in (("features", features), ("initial", initial)):
        if given is not None:
            try:
                array = np.asarray(given)
            except ValueError:
                array = as_array(name, given, float)
            if array.ndim > 0:
                return len(array)
    return None


def _ready(
    choices: Choices, least: float, most: float, discount: float, number: Ints, names: tuple[str, ...]
) -> Choices:
    """The choices sorted and checked, rows rescaled whose sums are off by `least` to `most`."""
    rows, order = choices.rows.sorted()
    reward = choices.reward if order is None else choices.reward[order]
    ends = choices.ends if order is None else choices.ends[order]
    rows = rescaled(rows, ends, least, most)
    check_choices(rows, reward, ends, discount, number, names)
    return choices._replace(rows=rows, reward=reward, ends=ends)


def _layout(
    choices: Choices,
    missing: Missing,
    missing_reward: float,
    never: NDArray[np.bool_],
    slack: float,
    number: Ints,
    names: tuple[str, ...],
) -> dict[str, Any]:
    """The checked choices in the order that `MDP` promises, with the rows that stand in for missing actions.

    No row sums to more than 1 + slack.
    """
    rows, reward = choices.rows, choices.reward
    matrix = _bounded(rows.matrix(choices.num_states), slack)
    choice_action = rows.action
    count = np.bincount(rows.state, minlength=choices.num_states)
    offered = np.zeros_like(never)
    offered[rows.state, rows.action] = True
    if (pair := first((offered & never).ravel())) is not None:
        state, action = divmod(pair, choices.num_actions)
        raise InvalidModelError(
            f"state {number[state]}, action {names[action]!r}: forbidden and available; leave out one of the two"
        )
    lacking = ~(offered | never).all(axis=1) & (missing != "forbid")
    states = np.flatnonzero(lacking)
    if len(states):
        extra, extra_reward = stand_in(missing, missing_reward, states, count, matrix, reward)
        # A stable sort by state puts each stand-in row behind the choices of its state.
        order = np.argsort(np.concatenate((rows.state, states)), kind="stable")
        matrix = sp.csr_matrix(sp.vstack((matrix, _bounded(extra, slack)), format="csr"))[order]
        reward = np.concatenate((reward, extra_reward))[order]
        choice_action = np.concatenate((choice_action, np.full(len(states), -1)))[order]
    choice_start = np.concatenate(([0], np.cumsum(count + lacking)))

    choice_of = np.full((choices.num_states, choices.num_actions), -1, dtype=np.int32)
    choice_of[states] = (choice_start[states + 1] - 1)[:, None]
    choice_of[never] = -1
    choice_of[rows.state, rows.action] = np.flatnonzero(choice_action >= 0)
    choice_of.flags.writeable = False  # the one large array: frozen in place, not copied
    return {
        "choice_start": frozen_array(choice_start, np.int64),
        "choice_action": frozen_array(choice_action, np.int32),
        "choice_of": frozen_array(choice_of, np.int32),
        "row_start": frozen_array(matrix.indptr, np.int64),
        "target": frozen_array(matrix.indices, np.int32),
        "probability": frozen_array(matrix.data, np.float64),
        "reward_of_choice": frozen_array(reward, np.float64),
    }


def _bounded(matrix: sp.csr_matrix, slack: float) -> sp.csr_matrix:
    matrix.data = at_most_one(matrix.indptr.astype(np.int64), matrix.data, slack)
    return matrix
