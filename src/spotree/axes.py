"""Names for arrays by their axes; the order is always state, action, next state."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
SmallInts: TypeAlias = NDArray[np.int32]

PerState: TypeAlias = Floats  # [state]
PerStateAction: TypeAlias = Floats  # [state, action]
Features: TypeAlias = Floats  # [state, feature]
ActionOf: TypeAlias = SmallInts  # [state] -> action


WHOLE = 2**53  # float64 holds every whole number up to here


def first_inexact(values: Any) -> tuple[tuple[int, ...], str] | None:
    """Where the first whole number stands that float64 cannot hold, and that number; None if all can be held."""
    array = np.asarray(values)
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray) and (np.abs(array) >= WHOLE).any():
        array = np.asarray(values, dtype=object)  # a list of whole and other numbers: numpy has rounded already
    if array.dtype.kind == "O":
        large = np.array([isinstance(x, int | np.integer) and abs(int(x)) > WHOLE for x in array.flat], dtype=bool)
    elif array.dtype.kind in "iu":
        large = ((array > WHOLE) | (array < -WHOLE)).ravel()
    else:
        return None
    for entry in np.flatnonzero(large):
        index = tuple(int(k) for k in np.unravel_index(entry, array.shape))
        number = int(array[index])
        bits = number.bit_length()
        if bits > 1000 or int(float(number)) != number:
            return index, str(number) if bits < 200 else f"a number of {bits} bits"
    return None


def frozen_array(values: Any, dtype: Any) -> NDArray[Any]:
    """A contiguous read-only array: what every frozen value of spotree holds."""
    array = np.ascontiguousarray(values, dtype=dtype)
    if array is values or array.base is not None:
        array = array.copy() if array.flags.writeable else array
    array.flags.writeable = False
    return array
