"""What stands around every search: the clock, the best and the random return, and how a tree becomes a Solution."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from spotree import _core
from spotree.errors import InfeasibleError
from spotree.mdp.model import MDP
from spotree.mdp.reachable import reachable_states
from spotree.methods.history import Progress
from spotree.methods.request import asked_text, check_size
from spotree.methods.solution import Solution, SolveStatus
from spotree.tree.policy import TreePolicy
from spotree.tree.prune import prune
from spotree.tree.tree import Tree, leaf
from spotree.values import Certified, Optimum, certified_return, optimum, return_at_sight, uniform

TOLERANCE = 1e-9  # relative: a tree this close to a proven bound counts as reaching it
ROUNDING = 1e-12  # of the largest reward in reach: what returns of about 0 may be off
ERRORS = 4.0  # times the errors of two returns: so far apart they may be the same
GRACE = 1.0  # seconds that a run may take however small its time limit is
OPTIMUM_SHARE, RANDOM_SHARE, READY_SHARE = 0.5, 0.65, 0.8  # of the time, after which preparations are broken off


@dataclass(slots=True, eq=False)
class Frame:
    """One run of one method on one model.

    The best and the random return come with the error of their computation, which is large where the time limit
    broke it off: `hurried`. No bound and no status claims more than these errors allow.
    """

    mdp: MDP
    depth: int
    max_leaves: int | None
    method: str
    seed: int | None = None
    time_limit: float | None = None
    optimum: Optimum = field(init=False)
    random: Certified[float] = field(init=False)
    largest_reward: float = field(init=False)  # in size, of what some policy comes to
    reserve: float = field(init=False)  # seconds that the evaluation of a policy takes, about
    hurried: bool = field(init=False)
    stream: int = field(init=False)  # what chance draws from: the seed, or another where a run goes on
    interrupted: bool = False  # Ctrl-C came before there was anything to search from
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        check_size(self.mdp, self.depth, self.max_leaves)
        self.stream = self.seed or 0
        reward = self.mdp.reward_of_choice[reachable_states(self.mdp)[self.mdp.state_of_choice]]
        self.largest_reward = float(np.abs(reward).max(initial=0.0))
        try:
            self._look(self.stop_at(OPTIMUM_SHARE), self.stop_at(RANDOM_SHARE))
        except KeyboardInterrupt:
            self.interrupted = True
            self._look(_core.Stop(0.0), _core.Stop(0.0))

    def _look(self, first: _core.Stop, second: _core.Stop) -> None:
        """The best and the random return, as well as they can be had before these stops."""
        self.optimum = optimum(self.mdp, stop=first)
        before = self.seconds
        self.random = certified_return(self.mdp, uniform(self.mdp), stop=second)
        self.reserve = self.seconds - before
        self.hurried = self.interrupted or first.raised or second.raised

    @property
    def random_value(self) -> float:
        return self.random.value

    def stop_at(self, share: float, least: float = 0.0) -> _core.Stop:
        """Ends at a share of the time limit, or in `least` seconds if that is later."""
        if self.interrupted:
            return _core.Stop(least)
        if self.time_limit is None or self.time_limit == math.inf:
            return _core.Stop()
        return _core.Stop(max(share * max(self.time_limit, GRACE) - self.seconds, least))

    @property
    def seconds(self) -> float:
        """Wall-clock seconds since the start."""
        return time.perf_counter() - self.started

    def evaluated(self, tree: Tree) -> Certified[float]:
        """True return of a tree policy, with its error.

        -inf where it takes a forbidden action in a state that it reaches, or may go on for ever where it must not.
        """
        try:
            stop = self.stop_at(1.0, least=GRACE / 2)
            return certified_return(self.mdp, tree.actions(self.mdp.features), stop=stop)
        except InfeasibleError:
            return Certified(-math.inf, 0.0)

    def return_of(self, tree: Tree) -> float:
        """The return of a tree, or what it surely is at least where there was no time to find out."""
        found = self.evaluated(tree)
        sure = found.error <= self.tolerance(found.value, found.error)
        return found.value if sure else found.value - found.error

    def tolerance(self, bound: float, error: float = 0.0) -> float:
        """What counts as nothing beside this bound, in units of return, for a return with such an error.

        Where returns are about 0, as much as the errors explain.
        """
        # Undiscounted, a random policy may take so long that its return says nothing about others.
        spread = self.optimum.value - self.random_value if self.mdp.discount < 1 else 0.0
        size = abs(bound) if math.isfinite(bound) else 0.0
        relative = TOLERANCE * max(size, spread if math.isfinite(spread) else 0.0)
        return max(relative, min(ROUNDING * self.largest_reward, ERRORS * (self.optimum.error + error)))

    @property
    def ceiling(self) -> float:
        """No policy returns more, up to the tolerance: the optimum, and its error where that is more."""
        best = self.optimum
        if best.error <= self.tolerance(best.value):
            return best.value
        sight = return_at_sight(self.mdp)
        return min(best.value + best.error, sight.value + sight.error)

    def closes(self, value: float, bound: float) -> bool:
        """Whether a value reaches a bound up to rounding."""
        return bound - value + self.optimum.error <= self.tolerance(bound)

    @property
    def _feasible(self) -> str:
        return "avoids forbidden actions" if self.mdp.discount < 1 else "has a finite total reward"

    @property
    def usual(self) -> Tree:
        """A single leaf: what the best policy known does most."""
        return leaf(int(np.bincount(self.optimum.actions).argmax()))

    def at_once(self, start: Tree | None) -> Solution:
        """The answer when there is no time for a search: the start, or what the best policy known does most."""
        status = SolveStatus.INTERRUPTED if self.interrupted else SolveStatus.TIME_LIMIT
        return self.solution(self.usual if start is None else start, status)

    def solution(
        self,
        tree: Tree,
        status: SolveStatus,
        history: Sequence[Progress] = (),
        bound: float | None = None,
        within: float = 0.0,
    ) -> Solution:
        """The answer for the best tree: pruned, evaluated once more, with the bound that is known.

        A bound counts only if rounding cannot reach its tolerance: `within`, or that of `closes` if larger.
        """
        pruned = prune(tree, self.mdp.features)
        if pruned.depth > self.depth or pruned.num_leaves > (self.max_leaves or pruned.num_leaves):
            raise AssertionError(
                f"{self.method}: depth {pruned.depth}, {pruned.num_leaves} leaves: more than asked"
            )
        found = self.evaluated(pruned)
        if found.value == -math.inf:
            raise InfeasibleError(
                f"no tree of {asked_text(self.depth, self.max_leaves)} that {self._feasible} was found for"
                f" {self.mdp.name}; allow a larger tree or more time, or read the model with another rule for missing"
                " actions"
            )
        tolerance = max(self.tolerance(self.optimum.value, found.error), within)
        error = found.error + self.optimum.error
        sure = error <= tolerance
        proven = min(bound, self.ceiling) if bound is not None and sure else self.ceiling
        proven = max(proven, found.value)
        if sure and proven - found.value + error <= tolerance:
            status = SolveStatus.OPTIMAL
        elif not sure and status is SolveStatus.OPTIMAL:
            status = SolveStatus.FINISHED
        return Solution(
            policy=TreePolicy(pruned, self.mdp.feature_names, self.mdp.action_names),
            value=found.value,
            bound=proven,
            optimum=self.optimum.value,
            random_value=self.random_value,
            error=max(found.error, self.optimum.error, self.random.error),
            depth=self.depth,
            max_leaves=self.max_leaves,
            status=status,
            method=self.method,
            seconds=self.seconds,
            model=self.mdp.name,
            missing=self.mdp.missing,
            discount=self.mdp.discount,
            seed=self.seed,
            sense=self.mdp.sense,
            notes=self.mdp.notes,
            history=tuple(history),
        )
