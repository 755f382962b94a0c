"""The rules of an MDP; what breaks one is named with its value and the way out."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotree.common.arrays import Floats, Ints, first_inexact
from spotree.errors import InvalidModelError
from spotree.mdp.choices import ChoiceRows, at_most_one
from spotree.mdp.graph import ENDS

LARGEST = 1e100  # what no value may exceed: there is room above for its products and sums
ROW_TOLERANCE = 1e-9  # how far from 1 a row may be as it stands
SCALED = 1e-13  # and how far above 1 before all its entries are scaled, not only the largest lowered
ROW_EFFECT = 1e-6  # relative: how far row sums that are off may move a return before they are scaled to 1
NORMALISE_TOLERANCE = 1e-6  # and with normalise=True


def as_array(name: str, values: Any, dtype: type) -> NDArray[Any]:
    """The values as an array of numbers of that type; what is no such number is refused, never cut to size."""
    kind, allowed = _KINDS[dtype]
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidModelError(f"{name} is no array of {kind}: {str(error).splitlines()[0]}") from error
    if dtype is float and (found := first_inexact(values)) is not None:
        index, number = found
        raise InvalidModelError(f"{name}{list(index) or ''} is {number}, which float64 cannot hold; round it")
    if array.dtype.kind not in allowed and array.size:
        raise InvalidModelError(f"{name} is no array of {kind}: its entries are of type {array.dtype}")
    if array.dtype.kind in "iu" and dtype is not float:
        most = 1 if dtype is bool else 2**63 - 1
        if (entry := first(((array > most) | (array < 0 if dtype is bool else False)).ravel())) is not None:
            raise InvalidModelError(f"{name} is no array of {kind}: {array.flat[entry]} is none")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidModelError(f"{name} is a masked array with entries masked; fill them in")
    with np.errstate(over="ignore"):
        return array.astype(np.int64 if dtype is int else dtype, copy=False)


_KINDS = {float: ("numbers", "biuf"), int: ("whole numbers", "biu"), bool: ("truth values", "biu")}


def shaped(name: str, array: NDArray[Any], shape: tuple[int, ...], axes: str) -> NDArray[Any]:
    if array.shape != shape:
        raise InvalidModelError(f"{name} has shape {array.shape}, not {shape}; it is {axes}")
    return array


def described(value: Any) -> str:
    """What stands for a value in a message of one line."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) < 60 and "\n" not in text else f"of type {type(value).__name__}"


def first(bad: NDArray[np.bool_]) -> int | None:
    """The index of the first offender."""
    if not bad.any():
        return None
    return int(np.argmax(bad))


def listed_names(kind: str, names: Any) -> tuple[str, ...] | None:
    """The names as they were given, each a text; None if none were."""
    if names is None:
        return None
    if isinstance(names, str):
        raise InvalidModelError(f"{kind}_names is the single text {names!r}; pass a list of names")
    try:
        names = tuple(names)
    except TypeError:
        raise InvalidModelError(f"{kind}_names is {described(names)}; pass a list of names") from None
    for name in names:
        if not isinstance(name, str) or not name:
            raise InvalidModelError(f"{kind} name {described(name)} is no text; pass one non-empty name per {kind}")
    return tuple(map(str, names))


def check_names(kind: str, names: tuple[str, ...] | None, count: int) -> tuple[str, ...]:
    """As many different names as there are things of that kind; made up from the kind where none are given."""
    if names is None:
        return tuple(f"{kind}_{index}" for index in range(count))
    if len(names) != count:
        raise InvalidModelError(f"{len(names)} {kind} names for {count} {kind}s; pass one name per {kind}")
    name, times = max(Counter(names).items(), key=lambda item: item[1] > 1)
    if times > 1:
        raise InvalidModelError(f"{kind} name {name!r} occurs {times} times; names must be different")
    return names


def check_number(name: str, value: Any) -> float:
    """One finite number."""
    try:
        number = math.nan if isinstance(value, str | bytes | bool | np.bool_) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidModelError(f"{name} is {described(value)}; it must be one finite number")
    return number


def check_discount(value: Any) -> float:
    discount = check_number("discount", value)
    if not 0 <= discount <= 1:
        raise InvalidModelError(
            f"discount {discount!r} is not in [0, 1]; pass for example 0.99, or 1 for the total until the end"
        )
    return abs(discount)  # -0 is 0


def check_missing_reward(value: Any, discount: float) -> float:
    reward = check_number("missing_reward", value)
    if abs(reward) > largest_reward(discount):
        raise InvalidModelError(f"missing_reward is {reward:g}; {_too_large(discount)}")
    return reward


def check_price(missing_reward: float | None, costs: Floats) -> None:
    """Refuse a reward for missing actions that makes it cheap to take one: not chosen, or of the wrong sign."""
    if missing_reward is None:
        raise InvalidModelError(
            "with missing='end' an action that is not available ends the episode at a cost of 1, which may be cheaper "
            "than to go on; pass missing='random', or for example missing_reward=-1000 for a cost of 1000"
        )
    if missing_reward > 0 and not (costs < 0).any():
        raise InvalidModelError(
            f"missing_reward={missing_reward:g} would pay for an action that is not available: it is a reward also "
            f"with sense='min'; a cost of {missing_reward:g} is missing_reward={-missing_reward:g}"
        )


def negated(reward: Floats) -> Floats:
    """Costs as rewards, or rewards as costs; no 0 gets a sign."""
    return 0.0 - reward


def largest_reward(discount: float) -> float:
    """No reward may be larger, so that values stay far from where floats end."""
    return LARGEST * (1 - discount) if discount < 1 else LARGEST


def _too_large(discount: float) -> str:
    most = largest_reward(discount)
    return f"with discount {discount} rewards go up to {most:.3g}: divide all of them by a constant"


def check_initial(initial: Any, num_states: int, number: Ints) -> Floats:
    """The initial distribution: as given, one state, or uniform."""
    if initial is None:
        return _distribution(np.full(num_states, 1.0 / num_states))
    array = as_array("initial", initial, float)
    if array.ndim == 0:
        return _point(initial, num_states)
    shaped("initial", array, (num_states,), "one probability per state")
    if (state := first(~(array >= 0) | np.isinf(array))) is not None:
        raise InvalidModelError(
            f"initial probability of state {number[state]} is {array[state]}; probabilities lie in [0, 1]"
        )
    with np.errstate(over="ignore"):
        total = float(array.sum())
    if abs(total - 1) > ROW_TOLERANCE:
        raise InvalidModelError(f"initial probabilities sum to {total:.10g}, not 1; divide them by their sum")
    return _distribution(array / total if total > 1 + SCALED else array)


def _distribution(probability: Floats) -> Floats:
    return at_most_one(np.array([0, len(probability)]), probability)


def _point(initial: Any, num_states: int) -> Floats:
    if isinstance(initial, bool) or not (0 <= initial < num_states) or initial != int(initial):
        raise InvalidModelError(f"initial state {initial} does not exist; states are 0 to {num_states - 1}")
    distribution = np.zeros(num_states)
    distribution[int(initial)] = 1.0
    return distribution


def check_features(features: Any, names: Sequence[str] | None, num_states: int, number: Ints) -> Floats:
    """Finite values [state, feature]; the state's number where none are given."""
    if features is None:
        features = number[:, None]
    _refuse_inexact(features, names, number)
    array = as_array("features", features, float)
    if array.ndim != 2 or array.shape[0] != num_states or array.shape[1] == 0:
        raise InvalidModelError(
            f"features has shape {array.shape}, not ({num_states}, number of features); it is [state, feature], "
            "with at least one feature"
        )
    if (entry := first(~np.isfinite(array).ravel())) is not None:
        state, feature = divmod(entry, array.shape[1])
        raise InvalidModelError(
            f"{_at(state, feature, names, number)}: value is {array[state, feature]}; features must be finite"
        )
    return array


def _refuse_inexact(features: Any, names: Sequence[str] | None, number: Ints) -> None:
    """Two whole numbers that round to one float would be one value to every tree."""
    try:
        found = first_inexact(features)
    except ValueError:
        return  # no array at all
    if found is not None and len(found[0]) == 2 and found[0][0] < len(number):
        raise InvalidModelError(
            f"{_at(*found[0], names, number)}: value is {found[1]}, which float64 cannot hold; "
            "subtract an offset from the feature, or split it into two"
        )


def _at(state: int, feature: int, names: Sequence[str] | None, number: Ints) -> str:
    name = repr(names[feature]) if names is not None and feature < len(names) else feature
    return f"state {number[state]}, feature {name}"


def check_choices(
    rows: ChoiceRows, reward: Floats, ends: Floats, discount: float, number: Ints, names: tuple[str, ...]
) -> None:
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
    if (choice := first(np.abs(reward) > largest_reward(discount))) is not None:
        raise InvalidModelError(f"{where(choice)}: reward is {reward[choice]:g}; {_too_large(discount)}")
    total = rows.expected(np.ones_like(probability))
    off = np.abs(total + ends - 1)
    if (choice := first(off > ROW_TOLERANCE)) is not None:
        rest = f" and the episode ends with {ends[choice]:.10g}" if ends[choice] else ""
        raise InvalidModelError(
            f"{where(choice)}: probabilities sum to {total[choice]:.10g}{rest}, not 1; "
            "pass normalise=True to rescale rows that are off by less than 1e-6"
        )


def least_scaled(discount: float) -> float:
    """How far the sum of a row must be off to be scaled: what it lacks to 1 adds up over 1 / (1 - discount) steps."""
    if discount == 0:
        return np.inf
    return max(ENDS / 10, ROW_EFFECT * (1 - discount) / discount)


def scaled_note(rows: ChoiceRows, ends: Floats, discount: float) -> dict[str, str]:
    """What to note of a discounted model whose row sums would move returns if they were not scaled to 1."""
    with np.errstate(all="ignore"):
        off = np.abs(rows.expected(np.ones_like(rows.probability)) + ends - 1)
        count = int(((off >= least_scaled(discount)) & (off <= ROW_TOLERANCE)).sum())
    if count == 0 or discount == 1:
        return {}
    effect = discount / (1 - discount) * float(off[off <= ROW_TOLERANCE].max())
    return {
        "row sums": f"divided by themselves where they are off 1 by up to 1e-9 (rows: {count}); as given, at discount"
        f" {discount!r}, they would move returns by up to {100 * effect:.1g} %"
    }


def rescaled(rows: ChoiceRows, ends: Floats, least: float, most: float) -> ChoiceRows:
    """The rows with small errors of their sums, from `least` to `most`, scaled away; the others as they are."""
    total = rows.expected(np.ones_like(rows.probability))
    with np.errstate(all="ignore"):
        off = np.abs(total + ends - 1)
        near = (total > 0) & ((off >= least) | (total > 1 + SCALED)) & (off <= most)
        scale = np.where(near, (1 - ends) / total, 1.0)
    return replace(rows, probability=rows.probability * np.repeat(scale, np.diff(rows.row_start)))
