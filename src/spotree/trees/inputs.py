"""States as people hand them over: rows of numbers, tables with named columns, one state by its features' names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spotree.common.arrays import Features, Floats, Ints
from spotree.common.lookup import listed
from spotree.errors import InvalidProblemError


@dataclass(frozen=True, slots=True, eq=False)
class NumberedStates:
    """The states of a model by their numbers in its source: [state] the number, [state, feature] the features."""

    number: Ints
    features: Features

    def row(self, number: int) -> Floats:
        """[feature] of the state with that number."""
        found = np.flatnonzero(self.number == number)
        if len(found) == 0:
            raise InvalidProblemError(
                f"no state of the model has the number {number}; it has {len(self.number)} of them, from"
                f" {self.number.min()} to {self.number.max()} (unreachable ones may have been left out)"
            )
        row: Floats = self.features[found[0]]
        return row


def whole_number(observation: Any) -> int | None:
    """The number of a state, as environments with a discrete observation space give it; None if it is no such."""
    scalar = np.ndim(observation) == 0 and not isinstance(observation, Mapping)
    value = np.asarray(observation)[()] if scalar else observation
    return int(value) if scalar and isinstance(value, np.integer | int) and not isinstance(value, bool) else None


def table_of(given: Any, names: Sequence[str]) -> tuple[Floats, bool]:
    """[row, feature] in the order of the names, and whether one row alone was given.

    Columns with names (a data frame, or a mapping of one state) are taken by them, in any order; all of the features
    must be there and nothing else. Without names a row has one number for each feature.
    """
    columns = _columns(given)
    if columns is not None:
        _check_names(columns, names)
        parts = [numbers(given[name], f"feature {name!r}") for name in names]
        for name, part in zip(names, parts, strict=True):
            if part.shape != parts[0].shape or part.ndim > 1:
                raise InvalidProblemError(
                    f"feature {name!r} has shape {part.shape}, {names[0]!r} {parts[0].shape}; give one number a row"
                )
        one = all(part.ndim == 0 for part in parts)
        return np.column_stack([np.atleast_1d(part) for part in parts]), one
    rows = numbers(given, "features")
    if rows.ndim not in (1, 2) or rows.shape[-1] != len(names):
        raise InvalidProblemError(
            f"features have shape {rows.shape}; a row has {len(names)} numbers: {listed(names)}"
        )
    return np.atleast_2d(rows), rows.ndim == 1


def row_of(state: Any, names: Sequence[str]) -> Floats:
    """[feature] one state, given as a row of numbers or by the names of its features; no number may be nan."""
    table, _ = table_of(state, names)
    if len(table) != 1:
        raise InvalidProblemError(f"{len(table)} rows were given; one state is one row: use predict for several")
    if np.isnan(table).any():
        name = names[int(np.isnan(table[0]).argmax())]
        raise InvalidProblemError(f"feature {name!r}: value is nan; fill it in")
    row: Floats = table[0]
    return row


def _columns(given: Any) -> list[Any] | None:
    if isinstance(given, Mapping):
        return list(given)
    columns = getattr(given, "columns", None)
    return None if columns is None or callable(columns) else list(columns)


def _check_names(columns: Sequence[Any], names: Sequence[str]) -> None:
    for name in names:
        if name not in columns:
            raise InvalidProblemError(
                f"feature {name!r} is missing; given: {listed([str(column) for column in columns]) or 'nothing'}"
            )
    for column in columns:
        if column not in names:
            raise InvalidProblemError(
                f"{column!r} is no feature of the policy, which has {listed(names)}; leave it out"
            )
    if len(columns) > len(names):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise InvalidProblemError(f"feature {twice!r} is given more than once")


def numbers(given: Any, what: str) -> Floats:
    """As they are compared in a tree; what is no number is refused, and so is a ragged list."""
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise InvalidProblemError(f"{what}: no array of numbers ({str(error).splitlines()[0]})") from None
    if array.dtype.kind not in "biuf":
        raise InvalidProblemError(f"{what}: {_short(given)} is of type {array.dtype}; a tree compares numbers")
    return array.astype(np.float64, copy=False)


def _short(value: Any) -> str:
    told = repr(value).splitlines()[0]
    return told if len(told) <= 40 else told[:37] + "..."
