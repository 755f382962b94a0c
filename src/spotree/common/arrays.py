"""Names for arrays by their axes; the order is always state, action, next state."""

from collections.abc import Iterable
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


def columns_of(table: Any, error: type[Exception]) -> tuple[Any, tuple[str, ...] | None]:
    """The values of a data frame [row, column] and the names of its columns; anything else as it is, without names.

    Each column is taken by itself, so that none is rounded or refused for the sake of another. Columns that are only
    numbered have no names.
    """
    columns = getattr(table, "columns", None)
    if callable(columns) or not isinstance(columns, Iterable):
        return table, None
    names = list(columns)
    if not any(isinstance(name, str) for name in names):
        return np.asarray(table), None
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise error(f"column {place} is named {name!r}, others by texts; name all columns by texts")
        if name in names[:place]:
            raise error(f"column name {name!r} occurs more than once; names must be different")
    return np.column_stack([_column(name, table[name], error) for name in names]), tuple(map(str, names))


def _column(name: str, values: Any, error: type[Exception]) -> Floats:
    column = np.asarray(values)
    if column.dtype.kind not in "biuf":
        raise error(
            f"column {name!r} holds {column.dtype}, not real numbers; encode them as numbers, or leave it out"
        )
    if (found := first_inexact(column)) is not None:
        raise error(
            f"column {name!r}, row {found[0][0]}: {found[1]} is a number that float64 cannot hold; round it"
        )
    return column.astype(np.float64)


def frozen_array(values: Any, dtype: Any) -> NDArray[Any]:
    """A contiguous read-only array: what every frozen value of spotree holds."""
    array = np.ascontiguousarray(values, dtype=dtype)
    if array is values or array.base is not None:
        array = array.copy() if array.flags.writeable else array
    array.flags.writeable = False
    return array
