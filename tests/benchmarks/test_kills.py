"""The benchmark of kills, with a few short ones."""

import random
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "stress"))
kills: Any = import_module("kills")
jobs: Any = import_module("killed_job")

BUSY = 4.0  # seconds: room for a busy machine


class Always(random.Random):
    """A chance that always chooses the same kind of victim."""

    def __init__(self, who: str) -> None:
        super().__init__(0)
        self.who = who

    def choice(self, seq: Any) -> Any:
        return self.who if self.who in seq else seq[0]


@pytest.mark.slow
def test_a_search_that_is_killed_three_times_is_resumed_no_worse_and_loses_a_period_at_most(tmp_path: Path) -> None:
    job = jobs.Search("frozenlake_8x8", 3, threads=1)
    story = jobs.run_through(job, 3.0, 0.2, [1.5, 0.1, 2.5], Always("driver"), tmp_path / "run.ckpt")
    assert [kill.who for kill in story.kills] == ["driver"] * 3
    assert story.kills[1].starting  # Python itself takes longer
    assert story.kept
    assert not any(kills.late(kill, 0.2 + BUSY) for kill in story.kills)


@pytest.mark.slow
def test_a_search_goes_on_by_itself_when_a_worker_is_killed(tmp_path: Path) -> None:
    job = jobs.Search("frozenlake_8x8", 3, 1, ("--no-prove", "--cluster", "local:2"))
    story = jobs.run_through(job, 12.0, 1.0, [7.0], Always("worker"), tmp_path / "run.ckpt")
    assert [kill.who for kill in story.kills] == ["worker"]
    assert story.kept
    assert story.seconds < 12.0 + 5.0 + BUSY


@pytest.mark.slow
def test_a_proof_whose_driver_is_killed_ends_with_an_accepted_certificate_and_nobody_is_left_behind(
    tmp_path: Path,
) -> None:
    job = jobs.Proof("system_administrator_1", 2, 1, ("--cluster", "local:2"))
    story = jobs.run_through(job, 60.0, 0.5, [6.0], Always("driver"), tmp_path / "run.ckpt")
    assert story.value == pytest.approx(209.948752, abs=1e-5)
    assert all(kill.left_behind == 0 for kill in story.kills)


def test_kills_lie_within_the_job() -> None:
    drawn = kills.pauses(random.Random(1), 5, 60.0)
    assert len(drawn) == 5
    assert min(drawn) >= 0
    assert sum(drawn) <= 60.0


def test_a_kill_that_costs_more_than_a_period_is_late_unless_the_job_was_starting() -> None:
    def kill(lost: float, starting: bool) -> Any:
        return jobs.Kill("driver", 30.0, lost, starting, 20.0, 1.0, 0)

    assert kills.late(kill(9.0, False), 5.0)
    assert not kills.late(kill(9.0, True), 5.0)
    assert not kills.late(kill(6.0, False), 5.0)


def test_a_story_whose_value_falls_is_not_kept() -> None:
    first, second = (jobs.Kill("driver", 1.0, 0.0, False, 1.0, value, 0) for value in (2.0, 1.0))
    assert not jobs.Story([first, second], 2.0).kept
    assert kills.worse(jobs.Story([second, first], 2.0), 2.5)
    assert not kills.worse(jobs.Story([second, first], 2.0), 2.0)
