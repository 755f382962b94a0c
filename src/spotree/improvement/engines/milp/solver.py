"""The solvers by name."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from spotree.errors import InvalidProblemError
from spotree.improvement.engines.milp import highs_process as child
from spotree.improvement.engines.milp.gurobi import gurobi
from spotree.improvement.engines.milp.linear_program import Program
from spotree.improvement.engines.milp.messages import End, Listener, Orders

SolverName: TypeAlias = Literal["highs", "gurobi"]
Solver: TypeAlias = Callable[[Callable[[], Program], Orders, Listener], End]

_SOLVERS: dict[str, Solver] = {"highs": child.run, "gurobi": gurobi}


def solver_named(name: str) -> Solver:
    """The function that solves the program of a recipe within orders, telling its news to a listener."""
    if name not in _SOLVERS:
        raise InvalidProblemError(f"solver is {name!r}; it must be one of {', '.join(map(repr, _SOLVERS))}")
    return _SOLVERS[name]
