"""The solvers by name."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from spotree.errors import InvalidProblemError
from spotree.step.milp import child
from spotree.step.milp.answer import End, Listener, Orders
from spotree.step.milp.container import Program
from spotree.step.milp.gurobi import gurobi

SolverName: TypeAlias = Literal["highs", "gurobi"]
Solver: TypeAlias = Callable[[Callable[[], Program], Orders, Listener], End]

_SOLVERS: dict[str, Solver] = {"highs": child.run, "gurobi": gurobi}


def solver_named(name: str) -> Solver:
    """The function that solves the program of a recipe within orders, telling its news to a listener."""
    if name not in _SOLVERS:
        raise InvalidProblemError(f"solver is {name!r}; it must be one of {', '.join(map(repr, _SOLVERS))}")
    return _SOLVERS[name]
