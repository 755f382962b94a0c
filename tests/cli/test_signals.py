"""The first wish to end gives the best tree, the second ends; a full disk and kill -9 lose no result."""

import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from command_line import spotree as in_process
from spotree import Solution, cli
from spotree.common.signals import GRACE
from spotree.sweeps.store import Folder

LONG = ("-t", "60", "--threads", "1")
COMMANDS = {
    "solve": ("solve", "tiger_vs_antelope", "-d", "4", *LONG),
    "certify": ("certify", "tiger_vs_antelope", "-d", "4", *LONG),
    "smallest": ("smallest", "tiger_vs_antelope", *LONG),
    "frontier": ("frontier", "tiger_vs_antelope", *LONG),
    "improve": ("improve", "tictactoe_vs_random", "-d", "4", "-e", "rsbb", *LONG, "--checkpoint", "run.ckpt"),
    "compare": ("compare", "tiger_vs_antelope", "-d", "4", *LONG),
    "sweep": ("sweep", "tiger_vs_antelope", "-d", "4", *LONG),
}
SHOWN = {"sweep": b"seed 0  0."}  # how a search that is under way shows itself


def begun(*arguments: str, cwd: Path, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "spotree", *arguments]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=cwd, text=True, **streams | more)


def wait_for(path: Path, process: "subprocess.Popen[str]") -> None:
    end = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


class Terminal:
    """A terminal for standard error, on which a command shows that its search is under way."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()

    def shows(self, word: bytes) -> None:
        """Wait until this word stands there."""
        seen = b""
        while word not in seen:
            assert select.select([self.master], [], [], 60)[0], seen
            seen += os.read(self.master, 4096)

    def rest(self) -> bytes:
        """What came since; the terminal is closed."""
        os.close(self.slave)
        seen = b""
        with suppress(OSError):  # where nobody holds the other end any more, Linux raises
            while more := os.read(self.master, 4096):
                seen += more
        os.close(self.master)
        return seen


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_request_to_end_is_answered_with_what_there_is(name: str, tmp_path: Path) -> None:
    number = signal.SIGTERM if name in ("solve", "frontier", "sweep", "improve") else signal.SIGINT
    terminal = Terminal()
    with begun(*COMMANDS[name], cwd=tmp_path, stderr=terminal.slave) as process:
        if name == "improve":  # one step tells nothing before its end but its checkpoint
            wait_for(tmp_path / "run.ckpt", process)
        else:
            terminal.shows(SHOWN.get(name, b" round "))
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"spotree:" not in terminal.rest()  # no complaint: there was a result to show
    assert "0 of 1 cells" in out if name == "sweep" else "interrupted" in out
    assert len(out.splitlines()) > 3 or name == "sweep"


@pytest.mark.parametrize(
    ("module", "said"), [("typer", ""), ("spotree.cli.stdio", ""), ("numpy", "spotree: interrupted\n")]
)
def test_ctrl_c_while_modules_are_imported_ends_without_a_traceback(module: str, said: str) -> None:
    code = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *rest):\n"
        f"        if name == {module!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "sys.argv = ['spotree', 'info', 'xor']\n"
        "from spotree.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


def test_too_small_an_address_space_is_one_line() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (300 * 10**6, 300 * 10**6))

    command = [sys.executable, "-m", "spotree", "info", "xor"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "spotree: the address space is limited to 300 MB, too little to load NumPy and SciPy; allow 400 MB or more"
        " (ulimit -v 400000)\n"
    )


@pytest.mark.slow
def test_the_second_one_ends_at_once_even_where_nobody_listens(tmp_path: Path) -> None:
    code = (
        "import signal, time; from spotree.common.signals import end_at_the_second; end_at_the_second();"
        "signal.signal(signal.SIGINT, lambda *_: None); print('ready', flush=True);"
        "[time.sleep(0.1) for _ in range(600)]"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)  # at the same time: one wish
        time.sleep(GRACE + 1.0)
        assert process.poll() is None
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - began < GRACE + 10
    assert error == b"spotree: interrupted again; ended without the result\n"


@pytest.mark.slow
def test_a_sweep_killed_again_and_again_runs_each_cell_once(tmp_path: Path) -> None:
    asked = ("xor", "frozenlake_4x4", "tiger_vs_antelope", "-d", "1-2", "--seeds", "2", "-t", "0.4", "--out", "out")
    table = tmp_path / "out" / "table.csv"
    seen: dict[str, int] = {}
    for kill, more in enumerate([asked, ("--resume", "out"), ("--resume", "out")]):
        with begun("sweep", *more, "--threads", "1", cwd=tmp_path) as process:
            wait_for(table, process)
            time.sleep(1.0)
            process.send_signal(signal.SIGKILL if kill != 1 else signal.SIGTERM)
            process.communicate(timeout=60)
        done = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "out" / "runs").iterdir()}
        assert {name: done.get(name) for name in seen} == seen  # what was done was not run again
        seen = recorded(tmp_path / "out", done)
    with begun("sweep", "--resume", "out", "--threads", "1", cwd=tmp_path) as process:
        out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    cells = [tuple(line.split(",")[:3]) for line in table.read_text().splitlines()[1:]]
    assert len(cells) == len(set(cells)) == 12
    assert "12 of 12 cells" in out


def recorded(folder: Path, files: dict[str, int]) -> dict[str, int]:
    """The files of cells that the sweep knows to be done."""
    there = Folder(folder)
    plan, cells, _ = there.resume()
    there.close()
    return {name: files[name] for name in (there.run_file(plan, cell.key).name for cell in cells)}


def test_two_processes_on_one_sweep_are_one_too_many(tmp_path: Path) -> None:
    asked = ("sweep", "tiger_vs_antelope", "-d", "4", "-t", "30", "--threads", "1", "--out", "out")
    with begun(*asked, cwd=tmp_path) as first:
        wait_for(tmp_path / "out" / "table.csv", first)
        with begun("sweep", "--resume", "out", cwd=tmp_path) as second:
            _, error = second.communicate(timeout=60)
        first.kill()
    assert second.returncode == 2
    assert "another process is writing it" in error


def test_a_full_disk_costs_the_checkpoint_and_not_the_result(tmp_path: Path) -> None:
    asked = ("solve", "frozenlake_4x4", "-d", "2", "-t", "5", "--threads", "1", "--checkpoint", "run.ckpt")

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    with begun(*asked, "--out", "run.json", cwd=tmp_path, preexec_fn=small) as process:
        out, error = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "return " in out
    assert len(re.findall("no checkpoint: run.ckpt: cannot be written", error)) == 1
    assert error.count("run.ckpt: cannot be written") == 2  # when it happened, and at the end
    assert "run.json: cannot be written" in error
    assert [file.name for file in tmp_path.iterdir()] == []


def test_a_sweep_on_a_full_disk_still_shows_its_table(tmp_path: Path) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    asked = ("sweep", "xor", "-d", "1", "-t", "0.3", "--threads", "1", "--out", "out")
    with begun(*asked, cwd=tmp_path, preexec_fn=small) as process:
        out, error = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "1 of 1 cells" in out
    assert "cannot be written" in error


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unwritable for root")
def test_an_unwritable_folder_is_refused_before_the_search(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with begun("solve", "xor", "-d", "1", "--checkpoint", "run.ckpt", cwd=tmp_path) as process:
        _, error = process.communicate(timeout=60)
    assert process.returncode == 2
    assert error.startswith("spotree: --checkpoint run.ckpt: cannot be written (no permission to write")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--resume", "none.ckpt"), "none.ckpt: there is no such file"),
        (("--checkpoint", "/dev/full"), "/dev/full: cannot be written (a checkpoint needs a regular file)"),
        (("--checkpoint", "none/run.ckpt"), "--checkpoint none/run.ckpt: cannot be written"),
        (("--checkpoint", "a", "--out", "a"), "--checkpoint and another option name the same file, a"),
        (("--checkpoint", "a", "-m", "spot"), "method 'spot' keeps no checkpoints"),
        (("--resume", "a", "-m", "viper"), "method 'viper' keeps no checkpoints"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_line(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = in_process("solve", "xor", "-d", "1", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_an_interrupted_run_is_whole(tmp_path: Path) -> None:
    asked = (*COMMANDS["solve"], "--out", "run.json", "--checkpoint", "run.ckpt", "--checkpoint-every", "0.2")
    with begun(*asked, cwd=tmp_path) as process:
        wait_for(tmp_path / "run.ckpt", process)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert Solution.load(tmp_path / "run.json").status.name == "INTERRUPTED"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.ckpt", "run.json"]


def test_a_wish_to_end_before_there_is_an_answer_is_answered_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spotree.models.names", interrupted)
    monkeypatch.setattr(sys, "argv", ["spotree", "models"])
    assert cli._run() == 130
    assert capsys.readouterr().err == "spotree: interrupted\n"
