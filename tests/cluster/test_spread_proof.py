"""The proof on many machines: the same answer, whoever is lost, hangs or comes late."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spotree
from cluster.machines import Machines
from spotree.api import certify as certifying
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check
from spotree.cluster.job_scheduler import JobScheduler
from spotree.proof.distributed.pool import Spreading
from spotree.proof.options import ProofOptions

MODEL, DEPTH, BEST = "frozenlake_12x12", 2, 0.117670
USE = ProofOptions(rules=("tree",), before_floors=0.0, levels=False)  # some seconds of pieces


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Short tasks from the first moment on."""

    def spread(**more: Any) -> None:
        def made(scheduler: JobScheduler) -> Spreading:
            return Spreading(scheduler, **{"alone": 0.0, "short": 0.2, "long": 0.4} | more)

        monkeypatch.setattr(certifying, "Spreading", made)

    spread()
    return spread


def proved(scheduler: JobScheduler, folder: Path) -> None:
    """The whole proof, and its certificate holds."""
    mdp, file = spotree.load(MODEL), folder / "run.cert"
    found = certify(
        mdp, DEPTH, search=0.0, threads=1, time_limit=120, cluster=scheduler, certificate=file, ingredients=USE
    )
    assert found.proved_optimal
    assert found.value == pytest.approx(BEST, abs=1e-6)
    verdict = check(mdp, Certificate.load(file))
    assert verdict.accepted, verdict.reason


@pytest.mark.usefixtures("at_once")
def test_a_killed_worker_and_a_late_one_change_nothing(machines: Callable[[int], Machines], tmp_path: Path) -> None:
    there = machines(1)
    scheduler = JobScheduler(there.executor(1))
    late = threading.Timer(0.5, there.add_worker)
    kill = threading.Timer(5.0, there.workers[0].kill)
    late.start(), kill.start()
    proved(scheduler, tmp_path)
    kill.join()
    assert (
        len([share for share in scheduler.shares.values() if share.work]) == 2
    )  # the late one has proved something
    scheduler.executor.close()


def test_a_worker_that_hangs_is_given_up(
    machines: Callable[[int], Machines], tmp_path: Path, at_once: Callable[..., None]
) -> None:
    at_once(patience=2.0)
    there = machines(2)
    scheduler = JobScheduler(there.executor(2))
    threading.Timer(1.5, lambda: os.kill(there.workers[0].pid, signal.SIGSTOP)).start()
    proved(scheduler, tmp_path)
    assert sum(share.lost for share in scheduler.shares.values()) >= 1
    scheduler.executor.close()


@pytest.mark.usefixtures("at_once")
def test_a_scheduler_that_restarts_with_its_workers_is_taken_up_again(
    machines: Callable[[int], Machines], tmp_path: Path
) -> None:
    there = machines(1)
    scheduler = JobScheduler(there.executor(1, return_seconds=30.0))
    threading.Timer(1.5, there.restart).start()
    proved(scheduler, tmp_path)
    assert len(scheduler.shares) == 2  # the old worker, and the new one
    scheduler.executor.close()


@pytest.mark.usefixtures("at_once")
def test_when_the_scheduler_vanishes_the_bound_still_holds(
    machines: Callable[[int], Machines], tmp_path: Path
) -> None:
    there = machines(1)
    scheduler = JobScheduler(there.executor(1, return_seconds=0.5))
    mdp, file = spotree.load(MODEL), tmp_path / "run.cert"
    threading.Timer(1.5, there.scheduler.kill).start()
    with pytest.warns(UserWarning, match="is gone"):
        found = certify(
            mdp, DEPTH, search=0.0, threads=1, time_limit=3, cluster=scheduler, certificate=file, ingredients=USE
        )
    assert found.bound >= BEST - 1e-6
    verdict = check(mdp, Certificate.load(file))
    assert verdict.accepted, verdict.reason
    scheduler.executor.close()
