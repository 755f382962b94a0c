"""How far a vector is from the constraints of a program."""

import numpy as np

from spotree.common.arrays import Floats
from spotree.improvement.engines.milp.linear_program import LinearProgram


def violation(program: LinearProgram, x: Floats) -> float:
    """The most by which x breaks a bound, a row or integrality; 0 for a feasible x."""
    rows = program.matrix @ x
    short = [program.lower - x, x - program.upper, program.row_lower - rows, rows - program.row_upper]
    whole = np.abs(x - np.rint(x))[program.integer]
    return float(max((part.max(initial=0.0) for part in [*short, whole]), default=0.0))
