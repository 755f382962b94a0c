"""The paper's reduced-space branch and bound (Algorithm 2) as an engine."""

import os
import time
import warnings
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from spotree.checkpoint import CheckpointWriter
from spotree.cluster.factory import Cluster, check_cluster, crewed
from spotree.common.atomic_file import utf8_name
from spotree.common.sanitize import shown
from spotree.errors import ClusterError, InvalidProblemError, ReadError
from spotree.improvement.engine import Engine
from spotree.improvement.engines.rsbb.config import Ground, ground_of
from spotree.improvement.engines.rsbb.distributed.driver import DistributedRsbb, SavedRegions, load_regions
from spotree.improvement.engines.rsbb.open_list import OpenSpace, search_alone, whole_space
from spotree.improvement.engines.rsbb.ranked_problem import Step, as_step, collected, decode
from spotree.improvement.limits import Limits, left_of, started_threads
from spotree.improvement.problem import TreeProblem, too_few_leaves
from spotree.improvement.result import REASONS, Status, StepResult
from spotree.trees.tree import Tree

DEEPEST = 16  # 65,535 splits
AGREEMENT = 1e-9  # of the summed spreads: a bound this close to the value proves it


@dataclass(frozen=True, slots=True)
class Rsbb(Engine):
    """Branch and bound over boxes of trees: split flags, features, threshold intervals, actions (d, a, b, c).

    The switches change the time, never the answer.

    Attributes
    ----------
    seed
        Of the branching rule's random numbers; the same seed gives the same run on one thread.
    parallel
        Use the threads of the limits; otherwise one.
    settled
        Hand the loss of states whose action is settled ("pre-determined") down to descendant regions.
    grouped
        States certain of the same leaf take one action together in the bound ("scenario grouping").
    snapped
        Shrink threshold intervals to the candidate thresholds that they hold.
    primal
        Look for trees inside regions, with at most as much work as bounding takes.
    actions
        Branch on the leaves' actions where the appendix says so; turned off the search is often several times
        faster, because actions decouple as soon as the shape of the tree is known.
    cluster
        Many machines (docs/scale.md): "local:4", the address of a dask scheduler, or a dask `Client`. Each worker then
        searches on the threads of the limits, 1 if not given, with the memory of the limits.
    checkpoint
        Where to keep the open regions, every 30 seconds and at the end, for `resume`; a `CheckpointWriter`
        says another period.
    resume
        The checkpoint of a run on the same step, size and gap, to go on from. That no region is missing in it is taken
        on trust: the result names the file as `trusted`, and its status is TRUSTED where the search is complete.
    """

    seed: int = 0
    parallel: bool = True
    settled: bool = True
    grouped: bool = True
    snapped: bool = True
    primal: bool = True
    actions: bool = True
    cluster: Cluster | None = None
    checkpoint: str | os.PathLike[str] | CheckpointWriter | None = None
    resume: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        check_cluster(self.cluster)

    @property
    def name(self) -> str:
        return "rsbb"

    def search(self, problem: TreeProblem, limits: Limits, start: Tree | None) -> StepResult:
        if problem.depth > DEEPEST:
            raise InvalidProblemError(
                f"depth is {problem.depth}; rsbb keeps every node of the complete tree in each region and takes at most"
                f" {DEEPEST}: use the engine 'exact'"
            )
        began = time.perf_counter()
        given = self.checkpoint
        keeper = given if given is None or isinstance(given, CheckpointWriter) else CheckpointWriter(given)
        with nullcontext() if keeper is None else keeper.opened(self.resume):
            run = _Run(self, problem, limits, start, keeper, began)
            return run.result()

    def threads(self, limits: Limits) -> int:
        """Of one process."""
        if not self.parallel:
            return 1
        return 1 if self.cluster is not None and limits.threads is None else started_threads(limits.threads)


class _Run:
    """One call of the engine."""

    def __init__(
        self,
        engine: Rsbb,
        problem: TreeProblem,
        limits: Limits,
        start: Tree | None,
        keeper: CheckpointWriter | None,
        began: float,
    ) -> None:
        self.engine, self.problem, self.limits, self.keeper, self.began = engine, problem, limits, keeper, began
        self.step = as_step(problem)
        self.start = start
        self.ground = self._ground(self.step)
        self.saved = None if engine.resume is None else load_regions(engine.resume, self.ground, problem)
        if self.saved is not None and (start is None or self._loss(self.saved.tree) <= self._loss(start)):
            self.start = self.saved.tree
            self.ground = self._ground(self.step)
        self.space = self._space()
        self.spread: DistributedRsbb | None = None

    def _loss(self, tree: Tree | None) -> float:
        return np.inf if tree is None else self.step.best_gain - collected(tree, self.problem)

    def _ground(self, step: Step) -> Ground:
        engine = self.engine
        return ground_of(
            self.problem,
            step,
            self.limits,
            self._loss(self.start),
            settled=engine.settled,
            group=engine.grouped,
            snap=engine.snapped,
            primal=engine.primal,
            actions=engine.actions,
            seed=engine.seed % 2**64,
            threads=engine.threads(self.limits),
        )

    def _space(self) -> OpenSpace:
        if self.saved is None:
            return whole_space(self.ground)
        space = OpenSpace(self.ground.search(), discarded=self.saved.discarded)
        try:
            space.pool.take(self.saved.regions)
        except ValueError as error:
            name = shown(os.fspath(self.engine.resume or ""))
            raise ReadError(f"{name}: not a checkpoint, or a damaged one ({error})") from error
        space.counts = {"regions expanded": self.saved.expanded}
        return space

    def result(self) -> StepResult:
        if not self.space.feasible:
            raise too_few_leaves(self.problem)
        status = self._searched()
        self.space.look()
        if self.keeper is not None:
            self.keeper.write(lambda: self._saved().checkpoint(self.ground))
        elsewhere = np.inf if self.spread is None else self.spread.least_elsewhere
        least = self.space.least_loss(elsewhere)
        tree = self._tree()
        value = collected(tree, self.problem)
        bound = max(value, self.step.best_gain - least)
        if status is Status.OPTIMAL and bound - value > AGREEMENT * float(
            self.step.loss.max(axis=1, initial=0.0).sum()
        ):
            status = Status.GAP
        counts = self.space.all_counts() if self.spread is None else self.spread.counts()
        trusted = None if self.engine.resume is None else utf8_name(self.engine.resume)
        if trusted is not None and status in (Status.OPTIMAL, Status.GAP):
            status = Status.TRUSTED
        seconds = time.perf_counter() - self.began
        return StepResult(tree, value, bound, status, seconds, self.engine.name, counts, trusted=trusted)

    def _searched(self) -> Status:
        """Search, alone or with others, and say how that ended."""
        try:
            if self.engine.cluster is None:
                return REASONS[search_alone(self.space, self._left(), self._keep)]
            with crewed(self.engine.cluster) as scheduler:
                self.spread = DistributedRsbb(self.ground, self.space, scheduler, self.ground.threads)
                try:
                    return REASONS[self.spread.search(self._left(), self._keep)]
                finally:
                    self.spread.drop()
        except KeyboardInterrupt:
            return Status.INTERRUPTED
        except ClusterError as error:
            if self.spread is None:
                raise
            warnings.warn(str(error), stacklevel=2)
            return Status.LOST

    def _left(self) -> float | None:
        return left_of(self.limits.time, time.perf_counter() - self.began)

    def _keep(self) -> float | None:
        """Write a checkpoint, if it is time; how long until the next."""
        if self.keeper is None:
            return None
        self.space.look()
        self.keeper.offer(lambda: self._saved().checkpoint(self.ground))
        return max(self.keeper.every, 0.1)

    def _tree(self) -> Tree:
        found = self.space.tree
        if found is None or found.loss >= self.ground.start_loss:
            assert self.start is not None
            return self.start
        return decode(self.problem, self.step, found.feature, found.cut, found.action)

    def _saved(self) -> SavedRegions:
        space, spread = self.space, self.spread
        return SavedRegions(
            space.regions() if spread is None else spread.regions(),
            self._tree(),
            min(space.discarded, space.pool.discarded_least),
            space.all_counts()["regions expanded"],
        )
