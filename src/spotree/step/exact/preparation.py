"""What the exact engine knows of a feature matrix before it sees any gain."""

import numpy as np

from spotree import _core
from spotree.axes import Features
from spotree.errors import InvalidProblemError


class Preparation:
    """Sorted values, ranks and groups of like rows of one feature matrix, and working memory.

    Policy iteration solves many steps on the same features: hand one preparation to all of them,
    `Exact(preparation=Preparation(features))`. One preparation serves one call at a time. One that was stopped at
    its `time_limit` (seconds) or by Ctrl-C only serves to say so: the engine then answers with a single action.
    """

    def __init__(self, features: Features, time_limit: float | None = None) -> None:
        matrix = np.ascontiguousarray(features, dtype=np.float64)
        if matrix.ndim != 2:
            raise InvalidProblemError(f"features have shape {matrix.shape}; they need two axes, [row, feature]")
        self.features = matrix
        self.ranks = _core.Ranks(matrix, -1.0 if time_limit is None else time_limit)
        self.workspace = _core.ExactWorkspace()

    def fits(self, features: Features) -> bool:
        """Whether `features` is the matrix that was prepared."""
        return features is self.features or np.array_equal(features, self.features)
