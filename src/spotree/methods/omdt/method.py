"""OMDT: the best tree of the whole MDP as one mixed-integer program, depth by depth."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.improvement.engines.milp.engine import Solver, SolverName, solver_named
from spotree.improvement.engines.milp.highs_process import End, News, Orders
from spotree.improvement.limits import at_least, left_of
from spotree.mdp.model import MDP
from spotree.methods.method import Method
from spotree.methods.omdt.milp import Grouping, decode, occupancy_program, reward_unit
from spotree.results.progress import Progress
from spotree.results.solution import Solution, SolveStatus
from spotree.search.request import Request
from spotree.search.run_context import RunContext
from spotree.trees.ranks import useful_depth
from spotree.trees.tree import Tree, leaf

DEEPEST = 10  # 1,023 splits
AGREEMENT = (
    1e-6  # of the range from random to optimum: a tree this near to the bound of a finished solver is optimal
)
_STATUS = {
    End.PROVED: SolveStatus.FINISHED,  # becomes "proved optimal" where value and bound meet
    End.ENOUGH: SolveStatus.FINISHED,
    End.TIME: SolveStatus.TIME_LIMIT,
    End.LOST: SolveStatus.FINISHED,  # nobody asked it to stop: what comes after may go on
    End.INTERRUPTED: SolveStatus.INTERRUPTED,
}


@dataclass(frozen=True, slots=True)
class Omdt(Method):
    """The best tree by OMDT's program (Vos and Verwer, 2023), with the solver's bound.

    Each depth starts from the best tree of the one before, the first from the best single action; a start that is
    given goes straight to the full depth. A smaller depth gets an equal share of the time that is left. Nothing is
    random here: the seed is not used. The discount must be below 1.

    Attributes
    ----------
    solver
        "highs", or "gurobi" with the extra of that name.
    tolerance
        How far the solver may be off in a row or a whole number.
    """

    solver: SolverName = "highs"
    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        solver_named(self.solver)
        at_least(0, "tolerance", self.tolerance)

    @property
    def name(self) -> str:
        return "omdt"

    def run(self, mdp: MDP, request: Request) -> Solution:
        given = request.start_tree(mdp)
        if mdp.discount >= 1:
            raise InvalidProblemError(
                f"omdt needs a discount below 1, {mdp.name} has {mdp.discount}; use another method"
            )
        limit = request.time_limit
        frame = RunContext(mdp, request.depth, request.max_leaves, self.name, request.seed, limit)
        run = _Run(frame, request.tell)
        if frame.hurried:
            return frame.at_once(given)
        orders = Orders(None, request.threads, None, self.tolerance)
        try:
            end = _climb(run, given, limit, orders, solver_named(self.solver))
        except KeyboardInterrupt:
            if run.tree is None:
                raise
            end = End.INTERRUPTED
        return run.solution(end)


def _climb(run: "_Run", given: Tree | None, time_limit: float | None, orders: Orders, solve: Solver) -> End:
    """Solve the program for each depth up to the full one, or, from a given tree, for that alone."""
    mdp, depth, max_leaves = run.frame.mdp, run.frame.depth, run.frame.max_leaves
    for tree in [*map(leaf, range(mdp.num_actions)), *([] if given is None else [given])]:
        run.consider(tree)
    grouping = Grouping.of(mdp)
    deepest = 0 if max_leaves == 1 or len(grouping.threshold) == 0 else useful_depth(depth, mdp.features)
    if deepest > DEEPEST:
        raise InvalidProblemError(
            f"depth is {depth}; the program has a variable for every node of the complete tree, so omdt takes at most"
            f" {DEEPEST}: use the default method"
        )
    end = End.PROVED
    run.bound = run.value if deepest == 0 else run.frame.ceiling
    run.deepest, run.slack = deepest, _slack(mdp, grouping, deepest, orders.tolerance)
    for level in range(1 if given is None else deepest, deepest + 1):
        if run.reached_optimum():
            return End.ENOUGH
        left = left_of(time_limit, run.frame.seconds)
        share = None if left is None else left / (deepest - level + 1)
        recipe = partial(occupancy_program, mdp, grouping, level, max_leaves, run.tree)
        end = solve(recipe, replace(orders, seconds=share), partial(run.listen, grouping, level))
        if end is End.INTERRUPTED:
            break
        if end is End.INFEASIBLE and level == deepest:
            raise InfeasibleError(
                f"{mdp.name}: every tree of depth {depth} takes a forbidden action where it matters"
            )
    return end


@dataclass(slots=True, eq=False)
class _Run:
    """What one call knows: the best tree, its return, and the lowest bound on trees of the full depth."""

    frame: RunContext
    tell: Callable[[Progress], None]
    tree: Tree | None = None
    value: float = -np.inf
    bound: float = np.inf
    deepest: int = 0  # the depth, or what the states can use of it
    slack: float = 0.0  # how far the solver's bound may be off
    history: list[Progress] = field(default_factory=list)

    def consider(self, tree: Tree) -> None:
        value = self.frame.return_of(tree)
        if value > self.value:
            self.tree, self.value = tree, value
            self.note()

    def listen(self, grouping: Grouping, level: int, news: News) -> bool:
        if news.solution is not None:
            self.consider(decode(news.solution, self.frame.mdp, grouping, level))
        bound = news.bound * reward_unit(self.frame.mdp) + self.slack
        if level == self.deepest and bound < self.bound:
            self.bound = bound
            self.note()
        return self.reached_optimum()

    def note(self) -> None:
        bound = min(self.bound, self.frame.ceiling)
        line = Progress(self.frame.seconds, len(self.history), self.value, max(bound, self.value))
        self.history.append(line)
        self.tell(line)

    def reached_optimum(self) -> bool:
        return self.frame.closes(self.value, self.frame.optimum.value)

    def solution(self, end: End) -> Solution:
        if self.tree is None:
            raise InfeasibleError(
                f"omdt found no tree of depth {self.frame.depth} that avoids forbidden actions for"
                f" {self.frame.mdp.name}; allow more time, or read the model with another rule for missing actions"
            )
        spread = abs(self.frame.optimum.value - self.frame.random_value)
        near = AGREEMENT * spread if end is End.PROVED else 0.0
        return self.frame.solution(self.tree, _STATUS[end], self.history, self.bound, near)


def _slack(mdp: MDP, grouping: Grouping, depth: int, tolerance: float) -> float:
    """What the solver's tolerance allows its bound to be off: reduced costs, each times the most of its variable."""
    nodes = int(2**depth) - 1
    switches = nodes * len(grouping.threshold) + (nodes + 1 + len(grouping.features)) * mdp.num_actions
    return tolerance * float(reward_unit(mdp)) * (1.0 / (1.0 - mdp.discount) + switches)
