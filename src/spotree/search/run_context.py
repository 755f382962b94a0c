"""Run context of a search: clock, optimum, random baseline, and the factory of Solutions."""

import hashlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from spotree import _core
from spotree.errors import InfeasibleError
from spotree.evaluation import Certified, Optimum, certified_return, optimum, return_at_sight, uniform
from spotree.evaluation.availability import lacking
from spotree.mdp.graph import reachable_states
from spotree.mdp.model import MDP
from spotree.results.progress import Progress
from spotree.results.solution import Solution, SolveStatus
from spotree.search.first_tree import ROUGH, first_tree
from spotree.search.request import asked_text, check_size
from spotree.trees.policy import TreePolicy
from spotree.trees.prune import prune
from spotree.trees.tree import Tree, leaf

TOLERANCE = 1e-9  # relative: a tree this close to a proven bound counts as reaching it
ROUNDING = 1e-12  # of the largest reward in reach: what returns of about 0 may be off
ERRORS = 4.0  # times the errors of two returns: so far apart they may be the same
GRACE = 1.0  # seconds that a run may take however small its time limit is
OPTIMUM_SHARE, RANDOM_SHARE, READY_SHARE = 0.4, 0.5, 0.8  # of the time, after which preparations are broken off
LARGE = 1_000_000  # transitions: from here on an evaluation takes so long that a search needs a good first tree


@dataclass(slots=True, eq=False)
class RunContext:
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
    _returns: dict[bytes, Certified[float]] = field(init=False, default_factory=dict)  # of trees, by their actions

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
        reduction = ROUGH if first.raised else 0.0
        self.random = certified_return(self.mdp, uniform(self.mdp), stop=second, reduction=reduction)
        self.reserve = self.seconds - before
        self.hurried = self.interrupted or first.raised or second.raised

    @property
    def random_value(self) -> float:
        return self.random.value

    @property
    def left(self) -> float:
        """Seconds until the time limit; a moment after Ctrl-C."""
        if self.interrupted:
            return GRACE / 2
        return math.inf if self.time_limit is None else max(self.time_limit - self.seconds, 0.0)

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

    @property
    def large(self) -> bool:
        """Whether an evaluation is long beside a round of a search."""
        return len(self.mdp.target) >= LARGE

    def evaluated(self, tree: Tree, stop: _core.Stop | None = None, reduction: float = 0.0) -> Certified[float]:
        """True return of a tree policy, with its error; roughly where a `reduction` of the residual is enough.

        -inf where it takes a forbidden action in a state that it reaches, or may go on for ever where it must not.
        The best that is known of a tree is kept, so that the same one is not evaluated twice.
        """
        actions = tree.actions(self.mdp.features)
        key = hashlib.blake2b(actions.tobytes(), digest_size=16).digest()
        known = self._returns.get(key)
        if known is not None and (reduction > 0 or self._sure(known) or self.left <= 0):
            return known
        before = self.seconds
        stop = stop or self.stop_at(1.0, least=GRACE / 2)
        try:
            found = certified_return(self.mdp, actions, stop=stop, reduction=reduction)
        except InfeasibleError:
            found = Certified(-math.inf, 0.0)
        if self.large and not reduction:
            self.reserve = max(self.reserve, self.seconds - before)
        if known is None or found.error <= known.error:
            self._returns[key] = known = found
        return known

    def _sure(self, found: Certified[float]) -> bool:
        return found.error <= self.tolerance(found.value, found.error)

    def return_of(self, tree: Tree) -> float:
        """The return of a tree, or what it surely is at least where there was no time to find out."""
        found = self.evaluated(tree)
        return found.value if self._sure(found) else found.value - found.error

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
        """The answer when there is no time for a search."""
        status = SolveStatus.INTERRUPTED if self.interrupted else SolveStatus.NO_ROUND
        return self.solution(first_tree(self, start), status)

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
        if found.error > self.tolerance(found.value, found.error):  # float64 cannot tell; no policy is worth more
            found = Certified(min(found.value, self.ceiling), found.error)
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
            policy=TreePolicy(pruned, self.mdp.feature_names, self.mdp.action_names).for_model(self.mdp),
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
            lacking=lacking(self.mdp, pruned, stop=self.stop_at(1.0, least=GRACE / 2)),
            notes=self.mdp.notes,
            source=self.mdp.source,
            history=tuple(history),
        )

    def trusting(
        self, solution: Solution, bound: float, path: str, within: float = 0.0, closed: bool = False
    ) -> Solution:
        """The solution with the bound that a file claims, if that is below what the run has shown; marked as trusted.

        `closed`: the file also leads to a complete proof.
        """
        bound = max(bound, solution.value)
        if solution.proved_optimal or bound >= solution.bound:
            return solution
        near = max(within, self.tolerance(bound))
        meets = closed or bound - solution.value + solution.error <= near
        status = SolveStatus.TRUSTED if meets and solution.error <= near else solution.status
        return replace(solution, bound=bound, status=status, trusted=path)
