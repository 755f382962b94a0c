"""What the checkpoint of one kind of run must hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from spotree.common.untrusted import Check, ClaimError, in_short, list_of, one_of, record, whole

Kind: TypeAlias = Literal["search", "proof", "rsbb", "sweep"]
Dtype: TypeAlias = Literal["|u1", "|b1", "<i4", "<i8", "<f8"]
DTYPES: tuple[Dtype, ...] = ("|u1", "|b1", "<i4", "<i8", "<f8")
MOST_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class ArrayClaim:
    """An array that must be there: its type, how many dimensions, and whether its numbers may be infinite."""

    dtype: Dtype
    dimensions: int = 1
    infinite: bool = False

    def check(self, name: str, dtype: str, shape: list[int]) -> None:
        """Refuse another type or number of dimensions, before any memory is spent."""
        if dtype != self.dtype or len(shape) != self.dimensions:
            raise ClaimError(
                f"the array {name!r} is of type {dtype} with {len(shape)} dimensions; it must be {self.dtype}"
                f" with {self.dimensions}"
            )

    def check_content(self, name: str, array: npt.NDArray[Any]) -> None:
        """Refuse numbers that it may not hold."""
        if array.dtype.kind != "f":
            if array.dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1:
                raise ClaimError(f"the array {name!r} holds bytes that are neither true nor false")
            return
        bad = np.isnan(array) if self.infinite else ~np.isfinite(array)
        if bad.any():
            raise ClaimError(f"the array {name!r} holds {in_short(float(array[bad][0]))}")


@dataclass(frozen=True, slots=True)
class Layout:
    """One kind of checkpoint: the checks of its settings and its state, and its arrays; arrays beyond are ignored.

    Attributes
    ----------
    version
        Grows when a reader of the version before would go wrong.
    settings
        What was asked for, beside model and size; a run goes on only where these are the same.
    state
        Small facts about where the run stands.
    """

    kind: Kind
    version: int
    settings: Check
    state: Check
    arrays: Mapping[str, ArrayClaim] = field(default_factory=dict)


def array_entry(name: str, value: Any) -> None:
    """The check of what a header says about one array."""
    record(
        {
            "dtype": one_of(*DTYPES),
            "shape": list_of(whole(0, 2**48), most=MOST_DIMENSIONS),
        }
    )(name, value)
