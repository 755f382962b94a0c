"""A branch and bound on many machines: the driver keeps a pool of regions and the best tree, workers hold the rest."""

import math
import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from spotree.checkpoint import ArrayClaim, Checkpoint, Layout, load_checkpoint
from spotree.cluster.job_scheduler import Job, JobScheduler
from spotree.common.arrays import Ints
from spotree.common.signals import undivided
from spotree.common.untrusted import ClaimError, number, optional, record, whole
from spotree.errors import InvalidProblemError, ReadError
from spotree.improvement.engines.rsbb.config import Ground, packed
from spotree.improvement.engines.rsbb.distributed.worker import FULL, RsbbRequest, RsbbResponse, forget, search_part
from spotree.improvement.engines.rsbb.open_list import TIME, OpenSpace
from spotree.improvement.problem import TreeProblem, check_start
from spotree.trees.serialize import claimed_tree, tree_entry, tree_lists
from spotree.trees.tree import Tree

VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class SavedRegions:
    """What is open, and what is known of the rest.

    Attributes
    ----------
    tree
        The best tree; every tree outside of the open regions collects at most as much, up to the gap.
    discarded
        No tree outside of the open regions loses less.
    """

    regions: Ints
    tree: Tree
    discarded: float
    expanded: int = 0

    def checkpoint(self, ground: Ground) -> Checkpoint:
        """It as a file holds it."""
        return Checkpoint(
            kind="rsbb",
            version=VERSION,
            model=ground.digest,
            model_name="an improvement step",
            depth=ground.depth,
            max_leaves=ground.max_leaves,
            settings={"gap": ground.gap_tolerance},
            state={
                "tree": tree_lists(self.tree),
                "discarded": self.discarded if math.isfinite(self.discarded) else None,
                "expanded": self.expanded,
            },
            arrays={"regions": self.regions},
        )


def load_regions(path: str | os.PathLike[str], ground: Ground, problem: TreeProblem) -> SavedRegions:
    """What the checkpoint of that step says; losses are computed anew, that no region is missing is believed."""
    found = load_checkpoint(path, _LAYOUT)
    found.refuse_other(
        path,
        model=ground.digest,
        depth=ground.depth,
        max_leaves=ground.max_leaves,
        settings={"gap": ground.gap_tolerance},
    )
    state = found.state
    try:
        tree = claimed_tree(state["tree"])
        check_start(problem, tree)
    except (ClaimError, InvalidProblemError) as error:
        raise ReadError(f"{path}: not a checkpoint, or a damaged one ({error})") from error
    discarded = math.inf if state["discarded"] is None else float(state["discarded"])
    return SavedRegions(np.ascontiguousarray(found.arrays["regions"]), tree, discarded, state["expanded"])


_STATE = {"tree": tree_entry, "discarded": optional(number()), "expanded": whole(0)}
_LAYOUT = Layout("rsbb", VERSION, record({"gap": number(0)}), record(_STATE), {"regions": ArrayClaim("<i8", 2)})


FIRST_SECONDS = 0.5  # what is solved in less never leaves this machine
TASK_SECONDS, HURRY_SECONDS = 1.5, 0.5  # of one order; where others wait for regions
MIX = 256  # regions that a worker hands over for others after each order: all work on the best ones
MOST_BYTES = 4e6  # of regions that change hands at once: work for a few orders, sent in hundredths of a second
SHOW_RATE = 1e7  # bytes per second at most of what workers show, all together
PATIENCE = 30.0
EARLY = 0.1  # seconds: workers end earlier, so that their answers count


@dataclass(slots=True, eq=False)
class Part:
    """What the driver knows of the regions that one worker holds."""

    name: str
    worker: str
    orders: int = 0
    open: int = 0
    least: float = math.inf  # of what it holds
    ledger: list[Ints] = field(default_factory=list)  # all of it, and more: what is done again if it is lost
    shown_at: float = field(default_factory=time.monotonic)
    counts: dict[str, int] = field(default_factory=dict)
    job: Job | None = None


class DistributedRsbb:
    """One run; `space` holds what it comes to."""

    def __init__(self, ground: Ground, space: OpenSpace, scheduler: JobScheduler, threads: int) -> None:
        self.space, self.scheduler = space, scheduler
        self.run = uuid.uuid4().hex
        self.parts: list[Part] = []
        self.most = max(1, int(MOST_BYTES / (8 * space.pool.width)))
        self.kept = False  # whether somebody writes down what is open
        self.asked_at = -math.inf  # when everybody was last asked to show what he holds
        ground = ground.on(threads)
        self.ground = scheduler.share(ground, f"rsbb {ground.digest} {self.run}")

    def search(self, seconds: float | None, keep: Callable[[], float | None]) -> int:
        """Until nothing is open or the time is up; see `search_alone`."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        reason = self.space.pool.go_on(min(FIRST_SECONDS, math.inf if seconds is None else seconds))
        self.space.look()
        if reason != TIME:
            return reason
        next_keep = -math.inf
        while time.monotonic() < end:
            if end - time.monotonic() > EARLY or not any(part.orders for part in self.parts):
                self._hand_out(end - time.monotonic())
            if not any(part.job for part in self.parts):
                return TIME if self.space.pool.open or self._held() else 0
            for job in self.scheduler.wait(min(end - time.monotonic(), 0.5)):
                if self._collect(job):
                    return FULL
            self._say(end)
            if time.monotonic() >= next_keep and self._all_shown():
                pause = keep()
                self.kept = pause is not None
                next_keep = math.inf if pause is None else time.monotonic() + pause
                self.asked_at = next_keep
        return TIME

    def drop(self) -> None:
        """Let go of the workers."""
        self.scheduler.drop()
        self.scheduler.tell_all(forget, self.run)

    @property
    def least_elsewhere(self) -> float:
        """No tree in the regions that workers hold loses less."""
        return min((part.least for part in self.parts), default=math.inf)

    def regions(self) -> Ints:
        """All that is open, here and elsewhere; some of it may be done already."""
        return np.concatenate([self.space.regions(), *(held for part in self.parts for held in part.ledger)])

    def _hand_out(self, left: float) -> None:
        """An order for every worker that has none, as far as there are regions."""
        pool = self.space.pool
        self._forget_closed()
        if not any(part.job for part in self.parts):  # else its answers are waited for
            self.scheduler.assemble(left)
        there = self.scheduler.workers
        for part in [part for part in self.parts if part.job is None and part.worker not in there]:
            self._redo(part)
        busy = {part.worker for part in self.parts if part.job}
        idle = [worker for worker in there if worker not in busy]
        hungry = sum(not any(part.worker == worker and part.open for part in self.parts) for worker in idle)
        for waiting, worker in enumerate(idle):
            part = self._part_of(worker)
            with undivided():  # a region is in the pool or in a ledger
                take = self._deal(last=waiting == len(there) - 1)
                if len(take):
                    part.ledger.append(take)
                    part.least = min(part.least, float(take[:, 0].view(np.float64).min()))
            if not len(take) and not part.open:
                continue
            give = 0 if len(there) == 1 else MIX if not hungry else max(MIX, (part.open + len(take)) // 4)
            seconds = HURRY_SECONDS if hungry else TASK_SECONDS
            order = RsbbRequest(
                part=part.name,
                number=part.orders,
                take=take,
                loss=pool.incumbent,
                seconds=max(min(seconds, left - EARLY), 0.0),
                give=min(give, self.most),
                show=math.inf if self.kept and left - EARLY <= 2 * seconds else self._may_show(part, seconds),
            )
            part.job = self.scheduler.add(
                search_part, self.ground, order, about=part, worker=worker, patience=PATIENCE
            )

    def _deal(self, last: bool) -> Ints:
        """Every second region of the pool, the best first, so that all workers have regions alike; all for the last."""
        pool = self.space.pool
        return packed(pool.give(self.most, last), pool.width)

    def _part_of(self, worker: str) -> Part:
        """The part that this worker goes on with: one that has something to show, or its best one, or a new one."""
        own = [part for part in self.parts if part.worker == worker]
        if not own:
            own = [Part(f"{self.run} {uuid.uuid4().hex}", worker)]
            self.parts += own
        return min(own, key=lambda part: (part.shown_at >= self.asked_at or not part.open, part.least))

    def _may_show(self, part: Part, seconds: float) -> float:
        """How many bytes are little after an order: what was handed on since would be done twice if the part is lost.

        All that it holds where somebody waits for it, or where its ledger holds much more than it does.
        """
        now = time.monotonic()
        held = sum(regions.nbytes for regions in part.ledger)
        if part.shown_at < self.asked_at <= now or held > 4 * (8.0 * self.space.pool.width * part.open) + 1e7:
            return math.inf
        return (now + seconds - part.shown_at) * SHOW_RATE / len(self.parts)

    def _all_shown(self) -> bool:
        return all(part.shown_at >= self.asked_at or not part.open for part in self.parts)

    def _held(self) -> bool:
        """Whether a worker holds regions that are open."""
        return any(part.open for part in self.parts)

    def _forget_closed(self) -> None:
        """Parts whose regions all lose more than the best tree are done."""
        for part in self.parts:
            if part.job is None and part.least < math.inf and self.space.pool.closed(part.least):
                self.space.discarded = min(self.space.discarded, part.least)
                part.open, part.least, part.ledger = 0, math.inf, []

    def _redo(self, part: Part) -> None:
        """What a lost worker held is open again."""
        with undivided():
            self.parts.remove(part)
            for name, count in part.counts.items():
                self.space.counts[name] = self.space.counts.get(name, 0) + count
            for regions in part.ledger:
                self.space.pool.take(regions)

    def _collect(self, job: Job) -> bool:
        """What a worker answered; True if its memory is full."""
        part, report = cast("Part", job.about), cast("RsbbResponse | None", job.answer)
        part.job = None
        if report is None:
            self._redo(part)
            return False
        before = part.counts.get("regions expanded", 0)
        self.scheduler.count(job, report.counts["regions expanded"] - before, "regions")
        with undivided():
            part.worker = job.done_by or part.worker
            part.orders += 1
            part.open, part.least, part.counts = report.open, report.open_least, report.counts
            self.space.meet(report.tree)
            self.space.discarded = min(self.space.discarded, report.discarded_least)
            self.space.pool.take(report.given)
            if report.shown is not None:
                part.ledger, part.shown_at = [report.shown], time.monotonic()
        return report.full

    def counts(self) -> dict[str, int]:
        """What was done here and elsewhere."""
        for part in self.parts:
            for name, count in part.counts.items():
                self.space.counts[name] = self.space.counts.get(name, 0) + count
        self.parts = []
        return self.space.all_counts()

    def _say(self, end: float) -> None:
        if self.scheduler.listener is not None:
            left = "" if math.isinf(end) else f"  {max(end - time.monotonic(), 0.0):.0f} s left"
            gap = self.space.pool.incumbent - self.space.least_loss(self.least_elsewhere)
            workers, rate = len(self.scheduler.known_workers), self.scheduler.rate
            self.scheduler.listener(f"{workers} workers  gap {gap:.6g}  {rate:,.0f} subproblems/s{left}")
