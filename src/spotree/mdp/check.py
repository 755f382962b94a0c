"""The rules of an MDP; what breaks one is named with its value and the way out."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotree.axes import Floats, Ints
from spotree.errors import InvalidModelError
from spotree.mdp.choices import ChoiceRows

ROW_TOLERANCE = 1e-9  # how far from 1 a row may be as it stands
NORMALISE_TOLERANCE = 1e-6  # and with normalise=True


def as_array(name: str, values: Any, dtype: type) -> NDArray[Any]:
    """The values as an array of numbers of that type; what is no such number is refused, never cut to size."""
    kind, allowed = _KINDS[dtype]
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidModelError(f"{name} is no array of {kind}: {str(error).splitlines()[0]}") from error
    if array.dtype.kind not in allowed and array.size:
        raise InvalidModelError(f"{name} is no array of {kind}: its entries are of type {array.dtype}")
    return array.astype(np.int64 if dtype is int else dtype, copy=False)


_KINDS = {float: ("numbers", "biuf"), int: ("whole numbers", "biu"), bool: ("truth values", "biu")}


def shaped(name: str, array: NDArray[Any], shape: tuple[int, ...], axes: str) -> NDArray[Any]:
    if array.shape != shape:
        raise InvalidModelError(f"{name} has shape {array.shape}, not {shape}; it is {axes}")
    return array


def first(bad: NDArray[np.bool_]) -> int | None:
    """The index of the first offender."""
    if not bad.any():
        return None
    return int(np.argmax(bad))


def check_names(kind: str, names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """As many different names as there are things of that kind; made up from the kind where none are given."""
    if names is None:
        return tuple(f"{kind}_{index}" for index in range(count))
    if isinstance(names, str):
        raise InvalidModelError(f"{kind}_names is the single text {names!r}; pass a list of names")
    for name in names:
        if not isinstance(name, str) or not name:
            raise InvalidModelError(f"{kind} name {name!r} is no text; pass one non-empty name per {kind}")
    if len(names) != count:
        raise InvalidModelError(f"{len(names)} {kind} names for {count} {kind}s; pass one name per {kind}")
    name, times = max(Counter(names).items(), key=lambda item: item[1] > 1)
    if times > 1:
        raise InvalidModelError(f"{kind} name {name!r} occurs {times} times; names must be different")
    return tuple(map(str, names))


def check_number(name: str, value: Any) -> float:
    """One finite number."""
    try:
        number = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidModelError(f"{name} is {value!r}; it must be one finite number")
    return number


def check_discount(value: Any, undiscounted: bool) -> float:
    discount = check_number("discount", value)
    if not (0 <= discount < 1 or (undiscounted and discount == 1)):
        raise InvalidModelError(
            f"discount {discount!r} is not in [0, 1); pass for example 0.99, or undiscounted=True with 1"
        )
    return discount


def check_initial(initial: Any, num_states: int, number: Ints) -> Floats:
    """The initial distribution: as given, one state, or uniform."""
    if initial is None:
        return np.full(num_states, 1.0 / num_states)
    array = as_array("initial", initial, float)
    if array.ndim == 0:
        return _point(initial, num_states)
    shaped("initial", array, (num_states,), "one probability per state")
    if (state := first(~(array >= 0) | np.isinf(array))) is not None:
        raise InvalidModelError(
            f"initial probability of state {number[state]} is {array[state]}; probabilities lie in [0, 1]"
        )
    total = float(array.sum())
    if abs(total - 1) > ROW_TOLERANCE:
        raise InvalidModelError(f"initial probabilities sum to {total:.10g}, not 1; divide them by their sum")
    return array


def _point(initial: Any, num_states: int) -> Floats:
    if not (0 <= initial < num_states) or initial != int(initial):
        raise InvalidModelError(f"initial state {initial} does not exist; states are 0 to {num_states - 1}")
    distribution = np.zeros(num_states)
    distribution[int(initial)] = 1.0
    return distribution


def check_features(features: Any, names: Sequence[str] | None, num_states: int, number: Ints) -> Floats:
    """Finite values [state, feature]; the state's number where none are given."""
    if features is None:
        return number.astype(float)[:, None]
    array = as_array("features", features, float)
    if array.ndim != 2 or array.shape[0] != num_states or array.shape[1] == 0:
        raise InvalidModelError(
            f"features has shape {array.shape}, not ({num_states}, number of features); it is [state, feature], "
            "with at least one feature"
        )
    if (entry := first(~np.isfinite(array).ravel())) is not None:
        state, feature = divmod(entry, array.shape[1])
        name = repr(names[feature]) if names is not None and feature < len(names) else feature
        raise InvalidModelError(
            f"state {number[state]}, feature {name}: value is {array[state, feature]}; features must be finite"
        )
    return array


def check_choices(rows: ChoiceRows, reward: Floats, ends: Floats, number: Ints, names: tuple[str, ...]) -> None:
    """Every state has a choice, none twice, all numbers are sound (the rows are sorted)."""

    def where(choice: int) -> str:
        return f"state {number[rows.state[choice]]}, action {names[rows.action[choice]]!r}"

    if (state := first(np.bincount(rows.state, minlength=len(number)) == 0)) is not None:
        raise InvalidModelError(
            f"state {number[state]} has no choice; every state needs at least one available action "
            "(a final state: one that stays or ends)"
        )
    if (choice := first((np.diff(rows.state) == 0) & (np.diff(rows.action) == 0))) is not None:
        raise InvalidModelError(f"{where(choice)}: more than one choice; give each of them an action of its own")
    probability = rows.probability
    if (entry := first(~(probability >= 0) | np.isinf(probability))) is not None:
        raise InvalidModelError(
            f"{where(int(rows.choice_of_transition[entry]))}: probability of next state "
            f"{number[rows.target[entry]]} is {probability[entry]}; probabilities lie in [0, 1]"
        )
    if (choice := first(~((ends >= 0) & (ends <= 1)))) is not None:
        raise InvalidModelError(f"{where(choice)}: ends is {ends[choice]}; probabilities lie in [0, 1]")
    if (choice := first(~np.isfinite(reward))) is not None:
        raise InvalidModelError(f"{where(choice)}: reward is {reward[choice]}; rewards must be finite")
    total = rows.expected(np.ones_like(probability))
    off = np.abs(total + ends - 1)
    if (choice := first(off > ROW_TOLERANCE)) is not None:
        rest = f" and the episode ends with {ends[choice]:.10g}" if ends[choice] else ""
        raise InvalidModelError(
            f"{where(choice)}: probabilities sum to {total[choice]:.10g}{rest}, not 1; "
            "pass normalise=True to rescale rows that are off by less than 1e-6"
        )


def rescaled(rows: ChoiceRows, ends: Floats, least: float = 0.0) -> ChoiceRows:
    """The rows with small errors of their sums, from `least` on, scaled away; those with large ones as they are."""
    total = rows.expected(np.ones_like(rows.probability))
    with np.errstate(all="ignore"):
        off = np.abs(total + ends - 1)
        near = (total > 0) & (off >= least) & (off < NORMALISE_TOLERANCE)
        scale = np.where(near, (1 - ends) / total, 1.0)
    return replace(rows, probability=rows.probability * np.repeat(scale, np.diff(rows.row_start)))
