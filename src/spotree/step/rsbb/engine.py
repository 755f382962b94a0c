"""The paper's reduced-space branch and bound (Algorithm 2) as an engine."""

import os
import time
from dataclasses import dataclass

import numpy as np

from spotree import _core
from spotree.step.engine import Engine
from spotree.step.limits import Limits
from spotree.step.problem import TreeProblem, too_few_leaves
from spotree.step.result import REASONS, Status, StepResult
from spotree.step.rsbb.grown import collected, decode
from spotree.step.rsbb.step import as_step
from spotree.tree.tree import Tree

MEMORY = 2 * 2**30  # bytes for the frontier where no limit is given: it grows as long as the search lasts
AGREEMENT = 1e-9  # of the summed spreads: a bound this close to the value proves it
RESOLUTION = 1e-12  # of the summed spreads: losses that differ by less count as equal


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
    """

    seed: int = 0
    parallel: bool = True
    settled: bool = True
    grouped: bool = True
    snapped: bool = True
    primal: bool = True
    actions: bool = True

    @property
    def name(self) -> str:
        return "rsbb"

    def search(self, problem: TreeProblem, limits: Limits, start: Tree | None) -> StepResult:
        began = time.perf_counter()
        step = as_step(problem)
        spread = float(step.loss.max(axis=1, initial=0.0).sum())
        arrays = _core.RsbbStep(
            rank=step.rank,
            loss=step.loss,
            values=step.values,
            scaled=step.scaled,
            position=step.position,
            frozen_feature=step.frozen_feature,
            frozen_cut=step.frozen_cut,
            frozen_action=step.frozen_action,
            depth=problem.depth,
            max_leaves=min(problem.max_leaves or 2**problem.depth, 2**problem.depth),
        )
        settings = _core.RsbbSettings(
            settled=self.settled,
            group=self.grouped,
            snap=self.snapped,
            primal=self.primal,
            actions=self.actions,
            seed=self.seed % 2**64,
            threads=(limits.threads or os.cpu_count() or 1) if self.parallel else 1,
            seconds=-1.0 if limits.time is None else max(0.0, limits.time - (time.perf_counter() - began)),
            bytes=MEMORY if limits.memory is None else limits.memory,
            best_gain=step.best_gain,
            gap_tolerance=limits.gap_tolerance,
            resolution=RESOLUTION * spread,
            start_loss=np.inf if start is None else step.best_gain - collected(start, problem),
        )
        found = _core.rsbb(arrays, settings)
        if not found.feasible:
            raise too_few_leaves(problem)
        kept = start if len(found.action) == 0 else None  # nothing better than the start was found
        tree = decode(problem, step, found.feature, found.cut, found.action) if kept is None else kept
        value = collected(tree, problem)
        bound = max(value, step.best_gain - found.least_loss)
        status = REASONS[found.reason]
        if status is Status.OPTIMAL and bound - value > AGREEMENT * spread:
            status = Status.GAP
        return StepResult(tree, value, bound, status, time.perf_counter() - began, self.name, _counts(found))


def _counts(found: _core.RsbbOutcome) -> dict[str, int]:
    return {
        "regions expanded": found.expanded,
        "regions bounded": found.bounded,
        "regions discarded": found.discarded,
        "largest frontier": found.largest_frontier,
        "candidate trees": found.candidates,
    }
