"""One job that writes checkpoints, with kills of its driver or its workers."""

import itertools
import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

import spotree
from spotree.proof.checkpoint.format import load_proof
from spotree.proof.problem import TOLERANCE
from spotree.search.saved_search import load_search

ENDS_WITHIN = 5.0  # seconds after its driver is gone: a worker


class Failed(Exception):  # noqa: N818
    """A job that ended with an error, or with no proof."""


@dataclass(frozen=True)
class Search:
    """`spotree solve` on one model; `more` are further options of the command line."""

    model: str = "tiger_vs_antelope"
    depth: int = 3
    threads: int = 2
    more: tuple[str, ...] = ("--no-prove",)  # a proof that closes would end the job early
    max_leaves: int | None = None

    verb = "solve"

    def command(self, seconds: float, every: float, file: Path) -> list[str]:
        """What a batch system would start, for the first time or again."""
        size = ["--depth", str(self.depth)]
        size += ["--max-leaves", str(self.max_leaves)] if self.max_leaves is not None else []
        limits = ["--threads", str(self.threads), "--time", f"{max(seconds, 0.1):.2f}"]
        keep = ["--checkpoint", str(file), "--checkpoint-every", str(every)]
        resumed = ["--resume", str(file)] * file.exists()
        return [
            sys.executable,
            "-m",
            "spotree",
            self.verb,
            self.model,
            *size,
            *limits,
            *keep,
            *resumed,
            *self.more,
            "--json",
        ]

    def saved(self, file: Path) -> tuple[float, float]:
        """Seconds and value in the checkpoint."""
        there = load_search(file, spotree.load(self.model), self.depth, self.max_leaves)
        return there.seconds, there.value

    def judged(self, said: str, file: Path) -> float:
        """The value that the job printed."""
        return float(json.loads(said)["value"])


@dataclass(frozen=True)
class Proof(Search):
    """`spotree certify` on one model: it ends when the proof does, and `spotree check` must accept its certificate."""

    model: str = "system_administrator_tree"
    depth: int = 2
    more: tuple[str, ...] = ()

    verb = "certify"

    def command(self, seconds: float, every: float, file: Path) -> list[str]:
        known = super().command(max(seconds, 600.0), every, file)  # a proof is not cut short
        return [*known, "--certificate", str(file.with_suffix(".cert"))]

    def saved(self, file: Path) -> tuple[float, float]:
        mdp = spotree.load(self.model)
        there = load_proof(file, mdp, self.depth, self.max_leaves, TOLERANCE)
        return there.seconds, spotree.evaluate(mdp, there.tree) if there.found else float("-inf")

    def judged(self, said: str, file: Path) -> float:
        if json.loads(said)["status"] not in ("OPTIMAL", "TRUSTED"):
            raise Failed("ended without a proof")
        certificate = str(file.with_suffix(".cert"))
        checked = [sys.executable, "-m", "spotree", "check", certificate, self.model, "--depth", str(self.depth)]
        verdict = subprocess.run(checked, capture_output=True, text=True, check=False)
        if verdict.returncode != 0:
            raise Failed(f"the certificate is rejected: {verdict.stdout} {verdict.stderr}")
        return super().judged(said, file)


@dataclass(frozen=True)
class Kill:
    """One kill.

    Attributes
    ----------
    who
        "driver" or "worker".
    at
        Seconds since the job was first started.
    lost
        Seconds of work to repeat: since the last checkpoint, or since the start if that is later. For a worker 0:
        the driver holds all of its results except the last task.
    starting
        Whether the driver had not yet written anything since it was started.
    seconds, value
        In the checkpoint; 0 and -inf where there was none yet.
    left_behind
        Workers of a killed driver that did not end.
    """

    who: str
    at: float
    lost: float
    starting: bool
    seconds: float
    value: float
    left_behind: int


@dataclass
class Story:
    """A job from its first start to its end; `value` is what it printed, after so many seconds."""

    kills: list[Kill] = field(default_factory=list)
    value: float = float("-inf")
    seconds: float = 0.0

    @property
    def kept(self) -> bool:
        """Whether no checkpoint, and not the end, is worse than a checkpoint before it."""
        values = [*(kill.value for kill in self.kills), self.value]
        slack = 1e-9 * max(1.0, abs(self.value))
        return all(after >= before - slack for before, after in itertools.pairwise(values))


def workers_of(driver: int) -> list[psutil.Process]:
    """The workers that a driver has started on this machine."""
    found = []
    for child in psutil.Process(driver).children():
        try:
            if any("dask_worker" in word for word in child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue  # it has just ended
    return found


def run_through(
    job: Search, seconds: float, every: float, pauses: Sequence[float], chance: random.Random, file: Path
) -> Story:
    """Start the job, kill after each pause its driver or one of its workers, and start it again where that ends it."""
    story, began = Story(), time.time()
    waiting = list(pauses)
    while True:
        left = seconds - (job.saved(file)[0] if file.exists() else 0.0)
        started = time.time()
        with subprocess.Popen(
            job.command(left, every, file), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as driver:
            while waiting:
                try:
                    driver.wait(waiting[0])
                    break  # before it could be killed
                except subprocess.TimeoutExpired:
                    waiting.pop(0)
                workers = workers_of(driver.pid)
                victim = chance.choice(["driver", "worker"]) if workers else "driver"
                if victim == "driver":
                    driver.kill()
                    driver.wait()
                    story.kills.append(_told(job, file, began, started, workers))
                    break
                chance.choice(workers).kill()
                at = time.time() - began
                story.kills.append(Kill("worker", at, 0.0, False, *_saved(job, file), 0))
            said, complaint = driver.communicate()
        if driver.returncode == -9:
            continue
        if driver.returncode != 0:
            raise Failed(f"exit code {driver.returncode}: {complaint}")
        story.value, story.seconds = job.judged(said, file), time.time() - began
        return story


def _told(job: Search, file: Path, began: float, started: float, workers: list[psutil.Process]) -> Kill:
    """What a kill of the driver that was started then has cost."""
    now = time.time()
    written = file.stat().st_mtime if file.exists() else 0.0
    _, alive = psutil.wait_procs(workers, timeout=ENDS_WITHIN)
    return Kill(
        "driver", now - began, now - max(written, started), written < started, *_saved(job, file), len(alive)
    )


def _saved(job: Search, file: Path) -> tuple[float, float]:
    return job.saved(file) if file.exists() else (0.0, float("-inf"))
