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


def frozen_array(values: Any, dtype: Any) -> NDArray[Any]:
    """A contiguous read-only array: what every frozen value of spotree holds."""
    array = np.ascontiguousarray(values, dtype=dtype)
    if array is values or array.base is not None:
        array = array.copy() if array.flags.writeable else array
    array.flags.writeable = False
    return array
