"""Configuration of a branch and bound: problem and settings, the same on every machine."""

import hashlib
from dataclasses import dataclass, fields, replace

import numpy as np

from spotree import _core
from spotree.common.arrays import Floats, Ints, SmallInts
from spotree.improvement.engines.rsbb.ranked_problem import Step
from spotree.improvement.limits import Limits
from spotree.improvement.problem import TreeProblem

MEMORY = 2 * 2**30  # bytes for the frontier where no limit is given: it grows as long as the search lasts
RESOLUTION = 1e-12  # of the summed spreads: losses that differ by less count as equal


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The arguments of a search in the core, but for what changes while it lasts; pickled as it is."""

    rank: SmallInts
    loss: Floats
    values: SmallInts
    scaled: Floats
    position: Floats
    frozen_feature: SmallInts
    frozen_cut: SmallInts
    frozen_action: SmallInts
    depth: int
    max_leaves: int
    settled: bool
    group: bool
    snap: bool
    primal: bool
    actions: bool
    seed: int
    threads: int
    bytes: float
    best_gain: float
    gap_tolerance: float
    resolution: float
    start_loss: float

    def search(self) -> _core.RsbbSearch:
        """A search without a region."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays = ("rank", "loss", "values", "scaled", "position", "frozen_feature", "frozen_cut", "frozen_action")
        step = {name: given.pop(name) for name in (*arrays, "depth", "max_leaves")}
        return _core.RsbbSearch(step=_core.RsbbStep(**step), settings=_core.RsbbSettings(**given))

    def on(self, threads: int) -> "Ground":
        """The same on so many cores."""
        return replace(self, threads=threads)

    @property
    def digest(self) -> str:
        """Tells one step from another: what a checkpoint is tied to; switches, which change the time alone, aside."""
        told = hashlib.sha256()
        for name in ("rank", "loss", "values", "position", "frozen_feature", "frozen_cut", "frozen_action"):
            array = getattr(self, name)
            told.update(f"{name} {array.shape} {array.dtype.str}".encode() + array.tobytes())
        told.update(repr((self.depth, self.max_leaves, self.best_gain)).encode())
        return told.hexdigest()


def packed(words: Ints, width: int) -> Ints:
    """Regions as the core gives them, one a row."""
    return np.asarray(words).reshape(-1, width)


def ground_of(problem: TreeProblem, step: Step, limits: Limits, start_loss: float, **switches: int) -> Ground:
    """The ground of a problem."""
    return Ground(
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
        bytes=MEMORY if limits.memory is None else limits.memory,
        best_gain=step.best_gain,
        gap_tolerance=limits.gap_tolerance,
        resolution=RESOLUTION * float(step.loss.max(axis=1, initial=0.0).sum()),
        start_loss=start_loss,
        **switches,  # type: ignore[arg-type]
    )
