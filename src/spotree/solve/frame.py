"""What stands around every search: the clock, the best and the random return, and how a tree becomes a Solution."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from spotree.errors import InfeasibleError
from spotree.mdp.model import MDP
from spotree.solve.history import Progress
from spotree.solve.request import check_size
from spotree.solve.solution import Solution, SolveStatus
from spotree.tree.policy import TreePolicy
from spotree.tree.prune import prune
from spotree.tree.tree import Tree
from spotree.values import Optimum, expected_return, optimum, random_return

TOLERANCE = 1e-9  # relative: a tree this close to a proven bound counts as reaching it


@dataclass(slots=True, eq=False)
class Frame:
    """One run of one method on one model."""

    mdp: MDP
    depth: int
    max_leaves: int | None
    method: str
    seed: int | None = None
    optimum: Optimum = field(init=False)
    random_value: float = field(init=False)
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        check_size(self.mdp, self.depth, self.max_leaves)
        self.optimum = optimum(self.mdp)
        self.random_value = random_return(self.mdp)

    @property
    def seconds(self) -> float:
        """Wall-clock seconds since the start."""
        return time.perf_counter() - self.started

    def return_of(self, tree: Tree) -> float:
        """True return of a tree policy.

        -inf where it takes a forbidden action in a state that it reaches, or may go on for ever where it must not.
        """
        try:
            return expected_return(self.mdp, tree.actions(self.mdp.features))
        except InfeasibleError:
            return float("-inf")

    def closes(self, value: float, bound: float) -> bool:
        """Whether a value reaches a bound up to rounding."""
        spread = self.optimum.value - self.random_value
        scale = max(abs(bound), spread if math.isfinite(spread) else 0.0)
        return bound - value <= TOLERANCE * scale

    @property
    def _feasible(self) -> str:
        return "avoids forbidden actions" if self.mdp.discount < 1 else "has a finite total reward"

    def solution(
        self, tree: Tree, status: SolveStatus, history: Sequence[Progress] = (), bound: float | None = None
    ) -> Solution:
        """The answer for the best tree: pruned, evaluated once more, with the bound that is known."""
        pruned = prune(tree, self.mdp.features)
        if pruned.depth > self.depth or pruned.num_leaves > (self.max_leaves or pruned.num_leaves):
            raise AssertionError(
                f"{self.method}: depth {pruned.depth}, {pruned.num_leaves} leaves: more than asked"
            )
        value = self.return_of(pruned)
        if value == float("-inf"):
            raise InfeasibleError(
                f"no tree of depth {self.depth} that {self._feasible} was found for {self.mdp.name};"
                " allow more depth or time, or read the model with another rule for missing actions"
            )
        proven = min(bound, self.optimum.value) if bound is not None else self.optimum.value
        proven = max(proven, value)
        return Solution(
            policy=TreePolicy(pruned, self.mdp.feature_names, self.mdp.action_names),
            value=value,
            bound=proven,
            optimum=self.optimum.value,
            random_value=self.random_value,
            depth=self.depth,
            max_leaves=self.max_leaves,
            status=SolveStatus.OPTIMAL if self.closes(value, proven) else status,
            method=self.method,
            seconds=self.seconds,
            model=self.mdp.name,
            missing=self.mdp.missing,
            discount=self.mdp.discount,
            seed=self.seed,
            history=tuple(history),
        )
