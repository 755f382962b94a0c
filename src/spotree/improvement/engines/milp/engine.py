"""The paper's program as an engine: a foreign solver finds the tree, we say what it is worth."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from spotree.errors import InvalidProblemError
from spotree.improvement.engine import Engine
from spotree.improvement.engines.milp import highs_process as child
from spotree.improvement.engines.milp.complete_tree import fits, lay_out, read_off, simplest
from spotree.improvement.engines.milp.formulation import Scale, decode, paper_program
from spotree.improvement.engines.milp.gurobi import gurobi
from spotree.improvement.engines.milp.highs_process import End, Listener, News, Orders
from spotree.improvement.engines.milp.linear_program import LinearProgram
from spotree.improvement.limits import Limits, left_of
from spotree.improvement.problem import Frozen, TreeProblem, too_few_leaves
from spotree.improvement.result import Status, StepResult
from spotree.trees.tree import Tree

SolverName: TypeAlias = Literal["highs", "gurobi"]
Solver: TypeAlias = Callable[[Callable[[], LinearProgram], Orders, Listener], End]

_SOLVERS: dict[str, Solver] = {"highs": child.run, "gurobi": gurobi}


def solver_named(name: str) -> Solver:
    """The function that solves the program of a recipe within orders, telling its news to a listener."""
    if name not in _SOLVERS:
        raise InvalidProblemError(f"solver is {name!r}; it must be one of {', '.join(map(repr, _SOLVERS))}")
    return _SOLVERS[name]


_STATUS = {
    End.TIME: Status.TIME_LIMIT,
    End.LOST: Status.INTERRUPTED,
    End.INTERRUPTED: Status.INTERRUPTED,
}

DEEPEST = 10  # 1,023 splits
ROUNDING = 1e-15  # of the sum of largest gains: what adding them up may be off


@dataclass(frozen=True, slots=True)
class Milp(Engine):
    """Solve eq:MILP1 by HiGHS or Gurobi.

    The solver's claims are checked where they can be: each of its trees is routed and valued here, and "optimal" is
    said only when that value meets the solver's bound. The bound itself is the solver's, in floating point.

    Attributes
    ----------
    solver
        "highs", or "gurobi" with the extra of that name.
    tolerance
        How far the solver may be off in a row or a whole number.
    agreement
        How near value and bound must be to count as equal, relative to the spread of the gains.
    """

    solver: SolverName = "highs"
    tolerance: float = 1e-9
    agreement: float = 1e-9

    def __post_init__(self) -> None:
        solver_named(self.solver)

    @property
    def name(self) -> str:
        return "milp"

    def search(self, problem: TreeProblem, limits: Limits, start: Tree | None) -> StepResult:
        began = time.perf_counter()
        if problem.depth > DEEPEST:
            raise InvalidProblemError(
                f"depth is {problem.depth}; the program has a variable for every node of the complete tree, so milp"
                f" takes at most {DEEPEST}: use the engine 'exact'"
            )
        run = _Run(problem, limits, self.agreement)
        first = _first_layout(problem, start)
        run.consider(read_off(first))
        if start is not None:
            run.consider(start)  # its layout may differ from what is frozen in places that no row reaches
        recipe = partial(paper_program, problem, first)
        left = left_of(limits.time, time.perf_counter() - began)
        orders = Orders(left, limits.threads, limits.memory, self.tolerance)
        end = End.ENOUGH if run.enough() else solver_named(self.solver)(recipe, orders, run.listen)
        status = run.status(end, limits)
        bound = run.value if status is Status.OPTIMAL else max(run.bound, run.value)
        counts = {"nodes": run.nodes, "solutions": run.solutions}
        return StepResult(run.tree, run.value, bound, status, time.perf_counter() - began, self.name, counts)


def _first_layout(problem: TreeProblem, start: Tree | None) -> Frozen:
    """The start where its layout obeys what is frozen, else the simplest tree that does."""
    if start is not None:
        layout = lay_out(start, problem.depth)
        if fits(layout, problem):
            return layout
    layout = simplest(problem)
    if not fits(layout, problem):
        raise too_few_leaves(problem)
    return layout


class _Run:
    """What one call knows: the best tree, its value, and the lowest bound."""

    def __init__(self, problem: TreeProblem, limits: Limits, agreement: float) -> None:
        self.problem = problem
        self.limits = limits
        self.scale = Scale.of(problem)
        self.value = -np.inf
        self.bound = self.scale.best
        self.nodes = 0
        self.solutions = 0
        spread = np.ptp(problem.gain, axis=1).sum() if problem.gain.size else 0.0
        rounding = ROUNDING * np.abs(problem.gain).max(axis=1, initial=0.0).sum()
        self.close = agreement * float(spread) + float(rounding)

    def consider(self, tree: Tree) -> None:
        value = self.problem.collected(tree)
        if value > self.value:
            self.tree, self.value = tree, value
            self.bound = max(self.bound, value)

    def listen(self, news: News) -> bool:
        self.nodes = max(self.nodes, news.nodes)
        if news.solution is not None:
            self.solutions += 1
            self.consider(read_off(decode(news.solution, self.problem, self.scale)))
        self.bound = max(min(self.bound, self.scale.best + news.bound * self.scale.unit), self.value)
        return self.limits.gap_tolerance > 0 and self.enough()  # without tolerance the solver sees the end itself

    def enough(self) -> bool:
        gap = self.limits.gap_tolerance * max(abs(self.bound), abs(self.value))
        return self.bound - self.value <= gap

    def status(self, end: End, limits: Limits) -> Status:
        if self.bound - self.value <= self.close:
            return Status.OPTIMAL
        if self.enough():
            return Status.GAP
        if end is End.LOST and limits.memory is not None:
            return Status.MEMORY_LIMIT
        return _STATUS.get(end, Status.INTERRUPTED)  # a "proof" that our own value does not bear out is none
