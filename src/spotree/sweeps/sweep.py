"""Many runs, one table: the public call."""

import math
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spotree.common.signals import noticed_interrupts
from spotree.errors import ClusterError
from spotree.mdp.model import MDP
from spotree.methods.method import Method
from spotree.results.progress import Progress
from spotree.sweeps.cell import Cell, Models, Outcome, cell_of, check_names
from spotree.sweeps.plan import Key, Plan, agreed, make_plan
from spotree.sweeps.runner import elsewhere, here, threads_each
from spotree.sweeps.store import Folder
from spotree.sweeps.table import as_csv, as_markdown

if TYPE_CHECKING:
    from spotree.cluster.factory import Cluster


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Where a sweep stands: cells done, failed and in all, seconds of this call, and about how many are left."""

    done: int
    failed: int
    total: int
    seconds: float
    left: float
    cell: Key
    line: Progress | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """The cells of a sweep that are done, in the order of the plan.

    Attributes
    ----------
    interrupted
        Whether Ctrl-C ended it, or the loss of all workers.
    unwritten
        What could not be written, one error each.
    """

    plan: Plan
    cells: tuple[Cell, ...]
    interrupted: bool = False
    unwritten: tuple[Exception, ...] = ()

    @property
    def missing(self) -> list[Key]:
        """The cells that were not run."""
        done = {cell.key for cell in self.cells}
        return [key for key in self.plan.keys if key not in done]

    @property
    def failed(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.failed]

    def csv(self) -> str:
        """The table for a spreadsheet, with all digits."""
        return as_csv(self.cells)

    def markdown(self) -> str:
        """The table as a page."""
        return as_markdown(self.cells, len(self.missing))


def sweep(
    models: Iterable[str | Path | MDP] = (),
    depths: Iterable[int] | None = None,
    seeds: int | Iterable[int] | None = None,
    *,
    max_leaves: int | None = None,
    method: str | Method | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    retry: bool = False,
    cluster: "Cluster | None" = None,
    progress: Callable[[SweepProgress], Any] | None = None,
    tell: Callable[[str], Any] | None = None,
    reading: dict[str, Any] | None = None,
    **settings: Any,
) -> Sweep:
    """Run `solve` for every model, depth and seed, and put the answers into one table.

    Parameters
    ----------
    models
        Names of shipped models, files, or models.
    depths, max_leaves
        The sizes: each depth (1, 2 and 3 if neither is given), with at most so many leaves; leaves alone: any depth.
    seeds
        How many, from 0, or which; 1 if not given.
    method, time_limit, threads, settings
        As in `solve`, for every cell: the default method, and 60 seconds.
    out
        A folder, made if need be. After every cell it holds the table (`table.csv`, `table.md`), the solution of every
        cell (`runs/`) and what is done (`sweep.ckpt`). Without it nothing is kept.
    resume
        The folder of a sweep that was interrupted, by Ctrl-C or worse: the cells that are not done are run. What was
        asked then is known; what is given again must be the same. Models that were handed over must be again.
    retry
        Whether cells that failed are run again.
    cluster
        Several cells at a time: "local:2", "threads:2", the address of a dask scheduler or a dask `Client`. A cell then
        has one thread on other machines, or its share of this one's cores, unless `threads` says more.
    progress
        Called with a `SweepProgress` now and then.
    tell
        Called with a sentence when something cannot be written; a warning if not given.
    reading
        Options for `read`, for models in files.

    Returns
    -------
    Sweep
        What is done; Ctrl-C ends a sweep early, and the cell that was running is not part of it. A cell that fails is
        part of it, with its error.

    Examples
    --------
    >>> table = spotree.sweep(["xor", "frozenlake_4x4"], depths=[1, 2], seeds=2, time_limit=1)
    >>> len(table.cells)
    8
    """
    given = make_plan(
        models, depths, seeds, max_leaves, method, time_limit, threads, settings, reading, bool(resume)
    )
    if resume is None:
        check_names(given.plan.models, {mdp.name for mdp in given.handed}, given.plan.reading)
    folder = None if (out if resume is None else resume) is None else Folder(resume or out or "", tell)
    cells: list[Cell] = []
    seen: dict[str, str] = {}
    if folder is not None and resume is not None:
        plan, cells, seen = folder.resume()
    elif folder is not None:
        folder.begin()
    try:
        if resume is not None:
            given = agreed(given, plan, out, resume)
        kept = [cell for cell in cells if not (retry and cell.failed)]
        handed = {mdp.name: mdp for mdp in given.handed}
        check_names(given.plan.models, handed, given.plan.reading)
        course = _Course(given.plan, kept, Models(handed, given.plan.reading, seen), folder, progress)
        return course.run(given.method, threads, cluster)
    finally:
        if folder is not None:
            folder.close()


class _Course:
    """One call: what is done so far."""

    def __init__(
        self,
        plan: Plan,
        cells: list[Cell],
        models: Models,
        folder: Folder | None,
        progress: Callable[[SweepProgress], Any] | None,
    ) -> None:
        self.plan, self.models, self.folder, self.progress = plan, models, folder, progress
        self.cells = {cell.key: cell for cell in cells}
        self.todo = [key for key in plan.keys if key not in self.cells]
        self.began, self.finished, self.workers = time.perf_counter(), 0, 1

    def run(self, method: str | Method, threads: int | None, cluster: Any) -> Sweep:
        plan = self.plan
        if self.todo and not self.cells:
            self.models.open(self.todo[0].model)  # what cannot be read at the very start ends it
        self.keep(None, None)
        asked: dict[str, Any] = {
            "max_leaves": plan.max_leaves,
            "method": method,
            "time_limit": plan.time_limit,
            "threads": threads,
            **plan.settings,
        }

        def of(key: Key) -> dict[str, Any]:
            return asked | {"depth": key.depth, "seed": key.seed}

        interrupted = False
        try:
            if cluster is None:
                interrupted = self._collect(here(self.todo, self.models.of, of, self.show))
            else:
                from spotree.cluster.factory import opened

                with opened(cluster) as executor:
                    self.workers = max(1, len(executor.workers))
                    asked["threads"] = threads or threads_each(executor)
                    interrupted = self._collect(elsewhere(executor, self.todo, self.models.of, of, self.show))
        except KeyboardInterrupt:
            interrupted = True
        except ClusterError as error:  # what is done until then is here
            if not self.finished:
                raise
            warnings.warn(str(error), stacklevel=3)
            interrupted = True
        unwritten = () if self.folder is None else tuple(self.folder.failures)
        return Sweep(plan, tuple(self.in_order()), interrupted, unwritten)

    def _collect(self, outcomes: Any) -> bool:
        """Take what comes; True if Ctrl-C did."""
        with noticed_interrupts() as came:
            try:
                for key, outcome in outcomes:
                    if outcome.interrupted:
                        return True
                    self.finished += 1
                    self.cells[key] = cell_of(key, outcome)
                    self.keep(key, outcome)
                    if came:
                        return True
            finally:
                outcomes.close()
        return False

    def in_order(self) -> list[Cell]:
        return [self.cells[key] for key in self.plan.keys if key in self.cells]

    def keep(self, key: Key | None, outcome: Outcome | None) -> None:
        if self.folder is not None:
            found = None if outcome is None else outcome.solution
            self.folder.keep(self.plan, self.in_order(), self.models.seen, key, found)

    def show(self, key: Key, line: Progress | None) -> None:
        if self.progress is None:
            return
        seconds, left = time.perf_counter() - self.began, len(self.todo) - self.finished
        each = self.plan.time_limit if self.finished == 0 else seconds / self.finished * self.workers
        rest = math.inf if each is None else each * left / self.workers
        failed = sum(cell.failed for cell in self.cells.values())
        self.progress(SweepProgress(len(self.cells), failed, len(self.plan.keys), seconds, rest, key, line))
