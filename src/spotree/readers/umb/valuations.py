"""State valuations of UMB: bit-packed records to one column per variable."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotree.common.arrays import WHOLE, Floats, first_inexact


class ValuationError(ValueError):
    """The description of the records makes no sense; whoever knows the file adds its name."""


DEFAULT_BITS = {"bool": 1, "rational": 128}


def unpack(
    records: NDArray[np.uint8], entries: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Floats], dict[str, str]]:
    """The numeric columns of byte rows [state, byte], and the columns left out with the reason.

    Values stand from the lowest bit up, in the order of the entries; an entry is padding or a variable.
    """
    columns: dict[str, Floats] = {}
    left_out: dict[str, str] = {}
    position = 0
    for entry in entries:
        if "padding" in entry:
            position += entry["padding"]
            continue
        name, kind = entry["name"], entry["type"]["type"]
        if name in columns or name in left_out:
            raise ValuationError(f"the state variable {name!r} is there twice")
        bits = entry["type"].get("size", DEFAULT_BITS.get(kind, 64))
        if entry.get("is-optional", False):
            left_out[name] = "may be absent"
            position += 1
        elif kind not in ("bool", "int", "uint", "double"):
            left_out[name] = f"of type {kind}"
        else:
            column, offset = _number(_field(records, position, bits), kind, bits), entry.get("offset", 0)
            columns[name] = _as_float(name, column, offset)
        position += bits
    return columns, left_out


def record_bytes(entries: Sequence[Mapping[str, Any]]) -> int:
    """Bytes of one record."""
    bits = 0
    for entry in entries:
        if "padding" in entry:
            bits += entry["padding"]
        else:
            kind = entry["type"]["type"]
            bits += entry["type"].get("size", DEFAULT_BITS.get(kind, 64)) + entry.get("is-optional", False)
    if bits % 8:
        raise ValuationError(f"a state valuation takes {bits} bits, which is no whole number of bytes")
    return bits // 8


def _field(records: NDArray[np.uint8], position: int, bits: int) -> NDArray[np.uint64]:
    """The `bits` bits from `position` on, of every record."""
    if not 1 <= bits <= 64:
        raise ValuationError(f"a state variable of {bits} bits; 1 to 64 can be read")
    first, last = position // 8, (position + bits - 1) // 8
    value = np.zeros(len(records), dtype=np.uint64)
    for byte in range(first, last + 1):
        shift = 8 * byte - position
        part = records[:, byte].astype(np.uint64)
        value |= part << np.uint64(shift) if shift >= 0 else part >> np.uint64(-shift)
    return value if bits == 64 else value & np.uint64((1 << bits) - 1)


def _number(value: NDArray[np.uint64], kind: str, bits: int) -> NDArray[Any]:
    if kind == "double":
        return value.view(np.float64)
    if kind == "int":  # two's complement: shift the sign bit to the top and back
        unused = np.int64(64 - bits)
        return (value.view(np.int64) << unused) >> unused
    return value != 0 if kind == "bool" else value


def _as_float(name: str, column: NDArray[Any], offset: Any) -> Floats:
    """The column with its offset; a whole number that float64 cannot hold is refused, as two of them may become one."""
    whole = column.dtype.kind != "f"
    largest = max(abs(int(column.max(initial=0))), abs(int(column.min(initial=0)))) if whole else 0
    if isinstance(offset, int) and whole and largest + abs(offset) > WHOLE:
        column, offset = column.astype(object) + offset, 0
    if whole and (found := first_inexact(column)) is not None:
        raise ValuationError(
            f"state {found[0][0]}, variable {name!r}: value is {found[1]}, which float64 cannot hold; "
            "subtract an offset from it, or split it into two"
        )
    values: Floats = column.astype(np.float64)
    return values + float(offset) if offset else values  # adding 0 would lose the sign of -0
