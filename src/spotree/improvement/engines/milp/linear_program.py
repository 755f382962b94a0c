"""A mixed-integer linear program as arrays, and a builder that collects it block by block."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from spotree.common.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class LinearProgram:
    """Maximise `objective @ x` over `lower <= x <= upper`, `row_lower <= A x <= row_upper`, some x whole numbers.

    Attributes
    ----------
    objective, lower, upper, integer
        [variable]; `integer` is True where x must be a whole number.
    row_start, column, coefficient
        A as CSR arrays.
    row_lower, row_upper
        [row]
    start
        [variable] a feasible x to begin with, or None.
    """

    objective: Floats
    lower: Floats
    upper: Floats
    integer: NDArray[np.bool_]
    row_start: Ints
    column: NDArray[np.int32]
    coefficient: Floats
    row_lower: Floats
    row_upper: Floats
    start: Floats | None = None

    @property
    def num_variables(self) -> int:
        return len(self.objective)

    @property
    def num_rows(self) -> int:
        return len(self.row_lower)

    @property
    def matrix(self) -> sp.csr_matrix:
        """A as a sparse matrix [row, variable] (no copy)."""
        shape = (self.num_rows, self.num_variables)
        return sp.csr_matrix((self.coefficient, self.column, self.row_start), shape=shape, copy=False)


class Builder:
    """Collects variables and rows; `program()` freezes them.

    Columns may be given as arrays that broadcast against each other, so that a constraint of the paper is one call.
    """

    def __init__(self) -> None:
        self._variables: list[tuple[Floats, Floats, Floats, NDArray[np.bool_]]] = []
        self._blocks: list[tuple[Ints, Ints, Floats, Floats, Floats]] = []
        self._count = 0

    def variables(
        self,
        *shape: int,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = 1.0,
        objective: ArrayLike = 0.0,
        integer: bool = False,
    ) -> Ints:
        """New variables; the answer holds their columns, in the shape asked for."""
        size = int(np.prod(shape))
        flat = [np.broadcast_to(np.asarray(v, np.float64), shape).ravel() for v in (objective, lower, upper)]
        self._variables.append((flat[0], flat[1], flat[2], np.full(size, integer)))
        columns = np.arange(self._count, self._count + size, dtype=np.int64).reshape(shape)
        self._count += size
        return columns

    def rows(self, *terms: tuple[Ints, ArrayLike], lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> None:
        """One row for each index of the terms' leading axes; a term is (columns [..., width], coefficients)."""
        lead = np.broadcast_shapes(*(columns.shape[:-1] for columns, _ in terms))
        count = int(np.prod(lead))
        columns, coefficients = [], []
        for place, factor in terms:
            shape = (*lead, place.shape[-1])
            columns.append(np.broadcast_to(place, shape).reshape(count, shape[-1]))
            coefficients.append(np.broadcast_to(np.asarray(factor, np.float64), shape).reshape(count, shape[-1]))
        column = np.concatenate(columns, axis=1)
        width = np.full(count, column.shape[1], dtype=np.int64)
        low, high = (np.broadcast_to(np.asarray(v, np.float64), lead).ravel() for v in (lower, upper))
        self._blocks.append((width, column.ravel(), np.concatenate(coefficients, axis=1).ravel(), low, high))

    def sparse_rows(self, matrix: sp.csr_matrix, columns: Ints, lower: Floats, upper: Floats) -> None:
        """Rows `lower <= matrix @ x[columns] <= upper`."""
        width = np.diff(matrix.indptr).astype(np.int64)
        self._blocks.append((width, columns[matrix.indices], matrix.data, lower, upper))

    def program(self, start: Floats | None = None) -> LinearProgram:
        """The program collected so far, coefficients of 0 left out."""
        objective, lower, upper, integer = (np.concatenate(part) for part in zip(*self._variables, strict=True))
        width, column, coefficient, row_lower, row_upper = (
            np.concatenate(part) for part in zip(*self._blocks, strict=True)
        )
        row_start = np.concatenate([[0], np.cumsum(width)])
        kept = np.concatenate([[0], np.cumsum(coefficient != 0)])
        some = coefficient != 0
        return LinearProgram(
            objective,
            lower,
            upper,
            integer,
            kept[row_start],
            column[some].astype(np.int32),
            coefficient[some],
            row_lower,
            row_upper,
            start,
        )
