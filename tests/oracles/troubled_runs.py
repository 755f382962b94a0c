"""Proofs on workers that cannot be relied on, stopped and resumed until they end, held against all trees."""

import re
import shutil
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from oracles.drawn_models import Drawn, drawn
from oracles.true_claims import CLOSED, best_by_floats_first, false_claims
from spotree.api import certify as certifying
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check
from spotree.checkpoint import CheckpointWriter
from spotree.cluster.executor import ThreadExecutor, ThreadTask, WorkerLost
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.proof.distributed.pool import Spreading
from spotree.proof.options import RULES, ProofOptions
from spotree.results.progress import Progress
from spotree.results.solution import Solution

MOST_RUNS = 12  # of one proof; the last of them has all the time that it wants, and workers that can be relied on
NAMED = re.compile(r"a tolerance of (\S+) or more")


class Unreliable(ThreadExecutor):
    """Threads that lose answers, before or after the work was done, and are slow at times; all by chance."""

    def __init__(self, count: int, rng: np.random.Generator, losses: float, slow: float) -> None:
        super().__init__(count)
        self.rng, self.losses, self.slow = rng, losses, slow
        self.tasks = 0

    def submit(self, worker: str, function: Callable[..., Any], *args: Any) -> ThreadTask:
        self.tasks += 1
        drawn = self.rng.random()
        if drawn < self.losses / 2:
            return super().submit(worker, _lost, *args)
        if drawn < self.losses:
            return super().submit(worker, partial(_done_in_vain, function), *args)
        if self.rng.random() < self.slow:
            return super().submit(worker, partial(_slowly, function), *args)
        return super().submit(worker, function, *args)


def _lost(*args: Any) -> None:
    raise WorkerLost("gone")


def _done_in_vain(function: Callable[..., Any], *args: Any) -> None:
    function(*args)
    raise WorkerLost("gone")


def _slowly(function: Callable[..., Any], *args: Any) -> Any:
    found = function(*args)
    time.sleep(0.03)
    return found


class Watched:
    """Counts calls; copies the checkpoint at one of them, as a kill would leave it, and may interrupt."""

    def __init__(self, file: Path, copy_at: int, interrupt_at: int) -> None:
        self.file, self.copy_at, self.interrupt_at, self.calls = file, copy_at, interrupt_at, 0

    @property
    def copy(self) -> Path:
        return self.file.with_suffix(".copy")

    def __call__(self, _: Progress) -> None:
        self.calls += 1
        if self.calls == self.copy_at and self.file.exists():
            shutil.copy(self.file, self.copy)
        if self.calls == self.interrupt_at:
            raise KeyboardInterrupt


@dataclass
class Told:
    """What came of one model: how it ended, in how many runs and tasks, and all that is wrong."""

    ending: str
    runs: int
    tasks: int
    wrong: list[str]


def troubled(rng: np.random.Generator, folder: Path) -> Told:
    """One random model, proved in trouble."""
    while (case := drawn(rng)) is None:
        pass
    case = replace(case, depth=int(rng.integers(1, 4)) if case.family == "discounted" else max(case.depth, 1))
    case = replace(case, max_leaves=None if case.max_leaves is None else int(rng.integers(1, 2**case.depth + 1)))
    try:
        return _proved(case, rng, folder, {})
    except InvalidProblemError as error:
        named = NAMED.search(str(error))
        if named is None:
            return Told("refused", 0, 0, [])
        return _proved(case, rng, folder, {"tolerance": 1.1 * float(named[1])})


def _use(rng: np.random.Generator) -> ProofOptions:
    names = ("regret", "floors", "filter", "solo", "symmetries", "levels")
    off = {name: False for name in names if rng.random() < 0.3}  # more regions
    rules = RULES if rng.random() < 0.5 else ("tree",)
    return ProofOptions(
        rules=rules, before_floors=float(rng.choice([0.0, 0.05])), listed=int(rng.choice([0, 10**6])), **off
    )


def _proved(case: Drawn, rng: np.random.Generator, folder: Path, more: dict[str, Any]) -> Told:
    """Run after run until the model is proved; what each of them claims is judged."""
    best = best_by_floats_first(case.mdp, case.depth, case.max_leaves)
    file, certificate, use, tasks = folder / "run.ckpt", folder / "run.cert", _use(rng), 0
    wrong: list[str] = []
    for run in range(MOST_RUNS):
        last = run == MOST_RUNS - 1
        executor = Unreliable(
            int(rng.integers(1, 4)), rng, 0.0 if last else float(rng.choice([0, 0.1, 0.5])), 0.0 if last else 0.1
        )
        watched = Watched(file, int(rng.integers(1, 6)), int(rng.integers(1, 20)) if rng.random() < 0.2 else -1)
        given = {
            "time_limit": 20.0 if last or rng.random() < 0.4 else 10.0 ** rng.uniform(-2.5, -0.5),
            "cluster": executor if last or rng.random() < 0.85 else None,
            "threads": int(rng.integers(1, 3)),
            "search": 0.05 * (rng.random() < 0.2),
            "progress": None if last else watched,
            "checkpoint": CheckpointWriter(file, every=0.001),
            "resume": file if file.exists() else None,
            "ingredients": use,
        }
        how = partial(
            Spreading,
            alone=float(rng.choice([0.0, 0.01])),
            short=0.5 if last else float(rng.choice([1e-3, 0.5])),
            regions=int(rng.choice([1, 2, 3, 5, 20])),
            patience=60.0 if last else float(rng.choice([0.01, 60.0])),
        )
        try:
            with patch.object(certifying, "Spreading", how), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of workers that are lost
                found = certify(
                    case.mdp, case.depth, max_leaves=case.max_leaves, certificate=certificate, **given, **more
                )  # type: ignore[arg-type]
        except InfeasibleError:
            if best > -np.inf and last:
                wrong.append(f"infeasible, but the best returns {float(best)}")
            if last or best == -np.inf:
                return Told("infeasible", run + 1, tasks, wrong)
            continue
        finally:
            executor.close()
            tasks += executor.tasks
        wrong += _wrong(case, found, certificate, best)
        if found.status in CLOSED:
            return Told("proved", run + 1, tasks, wrong)
        if watched.copy.exists():
            shutil.move(watched.copy, file)
    alone = certify(case.mdp, case.depth, max_leaves=case.max_leaves, time_limit=20.0, ingredients=use, **more)
    stalled = ["not proved although there was time"] if alone.proved_optimal else []  # else rounding forbids it
    return Told("open", MOST_RUNS, tasks, [*wrong, *stalled])


def _wrong(case: Drawn, found: Solution, certificate: Path, best: Any) -> list[str]:
    """All that is false of what one run says, its certificate included."""
    wrong, verdicts = [], []
    if certificate.exists():
        written = Certificate.load(certificate)
        verdicts = [check(case.mdp, written, threads=1)]
        verdicts += [check(case.mdp, written, plain=True)]
        certificate.unlink()
        if not any(verdict.accepted for verdict in verdicts):
            wrong.append(f"rejected ({found.status}): {[verdict.reason for verdict in verdicts]}")
        elif case.mdp.discount <= 0.99:  # nearer to 1 one of them may give up
            wrong += [f"one rejects ({found.status}): {v.reason}" for v in verdicts if not v.accepted]
    elif found.status in CLOSED:
        wrong.append("proved without a certificate")
    return wrong + false_claims(case.mdp, found, [v for v in verdicts if v.accepted], best)


def counts(told: list[Told]) -> str:
    """How it went, in a line."""
    endings = ", ".join(f"{count:,} {ending}" for ending, count in Counter(each.ending for each in told).items())
    runs, tasks = sum(each.runs for each in told), sum(each.tasks for each in told)
    return f"{len(told):,} models ({endings}), {runs:,} runs, {tasks:,} tasks"
