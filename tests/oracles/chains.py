"""Random Markov chains of all kinds: the material of the tests of values."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

DISCOUNTS = [0.0, 0.5, 0.99, 0.99999]


@st.composite
def chains(draw, most_states=60):
    """A substochastic matrix: self-loops, absorbing and ending states, few or many components."""
    size = draw(st.integers(1, most_states))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    out_degree = draw(st.sampled_from([1, 2, 3, 8, size]))
    forward = draw(st.sampled_from([0.0, 0.9, 1.0]))  # how often a step only leads to later states
    matrix = np.zeros((size, size))
    for state in range(size):
        kind = rng.choice(["moves", "absorbing", "ends", "leaks"], p=[0.8, 0.05, 0.05, 0.1])
        if kind == "absorbing":
            matrix[state, state] = 1.0
        elif kind != "ends":
            first = state if rng.random() < forward else 0
            targets = rng.integers(first, size, rng.integers(1, out_degree + 1))
            np.add.at(matrix[state], targets, rng.random(len(targets)) + 1e-3)
            matrix[state] *= (0.7 if kind == "leaks" else 1.0) / matrix[state].sum()
    return sp.csr_matrix(matrix), rng


def arrays(matrix):
    """Row starts, targets and probabilities as the core wants them."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
