"""When checkpoints are written, who may write them, and that a run outlives a file that cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint.samples import LAYOUT, a_checkpoint, saved
from spotree.checkpoint import Checkpoint, CheckpointWriter, load_checkpoint
from spotree.errors import InvalidProblemError, SpotreeError


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_first_is_due_at_once_and_the_next_a_period_later(tmp_path: Path) -> None:
    clock = Clock()
    with CheckpointWriter(tmp_path / "run.ckpt", every=30, clock=clock) as keeper:
        keeper.open()
        assert keeper.offer(a_checkpoint)
        clock.now += 29.9
        assert not keeper.offer(a_checkpoint)
        clock.now += 0.2
        assert keeper.offer(a_checkpoint)
        assert keeper.written == 2
    assert os.listdir(tmp_path) == ["run.ckpt"]


def test_writing_takes_a_twentieth_of_the_time_at_most(tmp_path: Path) -> None:
    clock = Clock()

    def slow() -> Checkpoint:
        clock.now += 6.0
        return a_checkpoint()

    with CheckpointWriter(tmp_path / "run.ckpt", every=30, clock=clock) as keeper:
        keeper.open()
        assert keeper.offer(slow)
        clock.now += 119  # 6 s are a twentieth of 120 s
        assert not keeper.due()
        clock.now += 1
        assert keeper.due()


def test_a_run_outlives_a_file_that_cannot_be_written_and_is_told_once(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    clock, told = Clock(), list[str]()
    with CheckpointWriter(folder / "run.ckpt", every=1, tell=told.append, clock=clock) as keeper:
        keeper.open()
        assert keeper.write(a_checkpoint)
        (folder / "run.ckpt").unlink()
        (folder / "run.ckpt.lock").unlink()
        folder.rmdir()
        for _ in range(3):
            clock.now += 2
            assert not keeper.offer(a_checkpoint)
        assert keeper.failure is not None
        assert len(told) == 1
        assert "cannot be written" in told[0]
        folder.mkdir()
        clock.now += 2
        assert keeper.offer(a_checkpoint)
        assert keeper.failure is None


def test_without_a_listener_the_failure_is_a_warning(tmp_path: Path) -> None:
    keeper = CheckpointWriter(tmp_path / "none" / "run.ckpt")
    with pytest.warns(UserWarning, match="no checkpoint: .*cannot be written"):
        assert not keeper.write(a_checkpoint)


@pytest.mark.parametrize("path", ["/dev/full", "/dev/null", "none/run.ckpt", "."])
def test_a_path_that_can_hold_no_checkpoint_is_refused_before_any_work(path: str) -> None:
    with pytest.raises(SpotreeError, match="cannot be written"):
        CheckpointWriter(path).open()


def test_a_file_that_is_there_is_replaced_only_by_the_run_that_goes_on_from_it(tmp_path: Path) -> None:
    path = saved(tmp_path / "run.ckpt")
    with pytest.raises(SpotreeError, match=r"a checkpoint \(search, a model, depth 3\); resume from it"):
        CheckpointWriter(path).open()
    with CheckpointWriter(path) as keeper:
        keeper.open(resumed=path)
        assert keeper.write(a_checkpoint)
    letter = tmp_path / "letter.txt"
    letter.write_text("dear reader")
    with pytest.raises(SpotreeError, match="no checkpoint; resume"):
        CheckpointWriter(letter).open(resumed=path)
    assert letter.read_text() == "dear reader"
    assert sorted(os.listdir(tmp_path)) == ["letter.txt", "run.ckpt"]


def test_a_second_process_is_refused_and_a_killed_one_is_not_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    code = (
        f"import sys, time; from spotree.checkpoint import CheckpointWriter; CheckpointWriter({str(path)!r}).open();"
        "print('open', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(SpotreeError, match="another process is writing it"):
            CheckpointWriter(path).open()
        other.kill()
    with CheckpointWriter(path) as keeper:
        keeper.open()
        assert keeper.write(a_checkpoint)
    assert load_checkpoint(path, LAYOUT).state["rounds"] == 7
    assert os.listdir(tmp_path) == ["run.ckpt"]


@pytest.mark.parametrize("every", [-1, float("nan"), float("inf"), "30"])
def test_a_period_that_makes_no_sense_is_refused(every: float) -> None:
    with pytest.raises(InvalidProblemError, match="every is"):
        CheckpointWriter("run.ckpt", every=every)
