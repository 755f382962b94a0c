"""A search on many machines: each worker is an island that searches by itself; they exchange their best tree."""

import copy
import uuid
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from spotree.cluster.job_scheduler import Job, JobScheduler
from spotree.mdp.model import fingerprint
from spotree.search.depth_search import Pace
from spotree.search.islands.worker import IslandRequest, IslandResponse, explore, forget, plain
from spotree.search.run_context import RunContext
from spotree.trees.tree import Tree

EARLY, EARLY_SHARE = (
    0.25,
    0.05,
)  # seconds, or of those left if less: islands end earlier, so that their answers count
PATIENCE, SLOWER = 60.0, 10.0  # an island hangs after so many seconds, if that is so many times what others took
FIRST_PATIENCE = 300.0  # before anybody has answered
LOOK = 0.5  # seconds between two looks for workers that have come


@dataclass(slots=True, eq=False)
class Island:
    """What the driver knows of one island."""

    number: int
    worker: str
    rounds: int = 0
    value: float = -np.inf  # of its own best tree
    job: Job | None = None  # what it does now


class Islands:
    """The driver of the islands, a search like those that run on one machine.

    `counted` makes all islands wait for each other, so that the same seed and workers give the same answer; otherwise
    an island goes on with the best tree that is known when it comes back.
    """

    complete = False  # whether an island has tried every tree

    def __init__(
        self, frame: RunContext, scheduler: JobScheduler, threads: int, pace: Pace, limit: float, counted: bool
    ) -> None:
        self.frame, self.scheduler, self.threads, self.limit, self.counted = (
            frame,
            scheduler,
            threads,
            limit,
            counted,
        )
        self.pace = plain(pace)
        self.run = uuid.uuid4().hex
        self.tree = frame.usual
        self.value = frame.return_of(self.tree)
        self._others: tuple[Tree, ...] = ()
        self._slowest = 0.0
        self.islands: list[Island] = []
        scheduler.assemble()
        model = fingerprint(frame.mdp)
        bare = copy.copy(frame)
        bare.mdp = cast("Any", None)  # sent by itself: other runs have it too
        known = (frame.depth, frame.max_leaves, frame.optimum.value, frame.optimum.error, frame.random.value)
        self._model = scheduler.share(frame.mdp, f"model {model}")
        self._bare = scheduler.share(bare, f"frame {model} {known!r} {self.run}")

    def offer(self, tree: Tree) -> None:
        """A tree of the asked size from outside."""
        value = self.frame.return_of(tree)
        if value >= self.value:
            self.tree, self.value = tree, value

    def recall(self, tree: Tree) -> None:
        """One of the `others` of a run before."""
        self._others = (*self._others, tree)

    @property
    def heard(self) -> bool:
        """Whether an island has answered."""
        return any(island.rounds for island in self.islands)

    def best(self) -> Tree:
        return self.tree

    def others(self) -> list[Tree]:
        """Further good trees, of the island that answered last."""
        return list(self._others)

    def round(self, number: int, seconds: float) -> None:
        """One exchange: every island's rounds where they are counted, else until one of them has something to say."""
        end = self.frame.seconds + seconds
        answered: list[Job] = []
        self._send(seconds)
        if not any(island.job is not None for island in self.islands):  # all workers have just gone
            self.scheduler.assemble(seconds)
            self._send(end - self.frame.seconds)
        while any(island.job is not None for island in self.islands):
            answered = self.scheduler.wait(min(max(end - self.frame.seconds, 0.0), LOOK))
            self._collect(answered)
            if self.frame.seconds >= end or self.complete:
                return
            if not self.counted:
                self._send(end - self.frame.seconds)  # to those that have answered, and to workers that have come
                if answered:
                    return

    def meanwhile(self) -> None:
        """Somebody else has work of his own: the islands go on."""
        if not self.counted and not self.complete:
            self._collect(self.scheduler.wait(0.0))
            self._send(max(self.limit - self.frame.seconds, 0.0))

    def drop(self) -> None:
        """Let go of the islands."""
        self.scheduler.drop()
        self.scheduler.tell_all(forget, self.run)

    def _send(self, seconds: float) -> None:
        """The next order for every island that has none; one more island for each worker without."""
        if seconds <= 0 and any(island.rounds for island in self.islands):
            return
        there = self.scheduler.workers
        homeless = [island for island in self.islands if island.worker not in there and island.job is None]
        homes = {island.worker for island in self.islands}
        for worker in there:
            if worker in homes:
                continue
            if homeless:
                homeless.pop(0).worker = worker
            else:
                self.islands.append(Island(len(self.islands), worker))
        for island in self.islands:
            if island.job is None and island.worker in there:
                island.job = self._order(island, seconds)

    def _order(self, island: Island, seconds: float) -> Job:
        stream = self.frame.stream
        if island.number:  # the first is the search without a cluster
            stream = int(np.random.SeedSequence([stream, island.number]).generate_state(1, np.uint64)[0])
        order = IslandRequest(
            run=self.run,
            island=island.number,
            stream=stream,
            pace=self.pace,
            threads=self.threads,
            first=island.rounds,
            elapsed=self.frame.seconds,
            seconds=seconds - min(EARLY, EARLY_SHARE * seconds) if np.isfinite(seconds) else seconds,
            limit=self.limit,
            best=self.tree if self.value > island.value else None,
            others=() if island.rounds else self._others,
        )
        patience = max(PATIENCE, SLOWER * self._slowest) if self._slowest else FIRST_PATIENCE
        return self.scheduler.add(
            explore, self._model, self._bare, order, about=island, worker=island.worker, patience=patience
        )

    def _collect(self, jobs: list[Job]) -> None:
        for job in sorted(jobs, key=lambda job: job.about.number):
            island, report = cast("Island", job.about), cast("IslandResponse", job.answer)
            island.job = None
            island.rounds += report.rounds
            island.value = report.value
            self.complete = self.complete or report.complete
            self._slowest = max(self._slowest, job.seconds)
            self.scheduler.count(job, report.rounds, "rounds")
            if job.done_by is not None:
                island.worker = job.done_by
            if report.value > self.value:
                self.tree, self.value, self._others = report.tree, report.value, report.others
