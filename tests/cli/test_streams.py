"""A result is never lost on its way out: other encodings, closed pipes, full disks, files that cannot be written."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from command_line import spotree as in_process
from spotree.common.sanitize import shown

SOLVE = ("solve", "frozenlake_4x4", "--depth", "1", "--time", "0.2", "--method", "spot", "--threads", "1")
CERTIFY = ("certify", "frozenlake_4x4", "--depth", "2", "--time", "20", "--threads", "1")


def run(*arguments: object, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spotree", *map(str, arguments)]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120, "env": buffered} | more
    return subprocess.run(command, text=True, cwd=cwd, check=False, **given)


def limited(size: int) -> Any:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def closed_pipe() -> int:
    """The end for writing of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def test_an_encoding_without_lines_gets_the_tree_in_ascii(tmp_path: Path) -> None:
    done = run(*SOLVE, cwd=tmp_path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "\n+- yes: " in done.stdout
    assert "\n+- no:  " in done.stdout
    assert "return " in done.stdout


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_closed_pipe_ends_quietly_with_the_file_saved(form: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*SOLVE, "--out", "run.json", *form, cwd=tmp_path, stdout=closed_pipe())
    assert done.stderr == ""
    assert done.returncode == 1
    assert json.loads((tmp_path / "run.json").read_text())["depth"] == 1


def test_a_closed_pipe_for_both_streams_leaves_the_file(tmp_path: Path) -> None:
    pipe = closed_pipe()
    assert run(*SOLVE, "--out", "run.json", cwd=tmp_path, stdout=pipe, stderr=pipe).returncode == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_full_output_is_said_and_not_taken_for_done(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = run(*SOLVE, cwd=tmp_path, stdout=full)
    assert done.returncode == 3
    assert done.stderr == "spotree: the output cannot be written (No space left on device)\n"


def test_closed_standard_streams_are_seen_before_the_search(tmp_path: Path) -> None:
    done = run(*SOLVE, cwd=tmp_path, stdout=None, preexec_fn=lambda: os.close(1))
    assert done.returncode == 2
    assert "standard output is closed" in done.stderr
    done = run(*SOLVE, cwd=tmp_path, stderr=None, preexec_fn=lambda: os.close(2))
    assert done.returncode == 0
    assert "return " in done.stdout


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_solution_that_cannot_be_saved_is_printed(form: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("old")
    done = run(*SOLVE, "--out", "run.json", *form, cwd=tmp_path, preexec_fn=limited(100))
    assert done.returncode == 3
    assert "threshold" in done.stdout if form else "return  " in done.stdout
    assert "saved to" not in done.stdout
    assert done.stderr == "spotree: run.json: cannot be written (File too large)\n"
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_proof_whose_certificate_finds_no_room_is_printed(tmp_path: Path) -> None:
    (tmp_path / "run.cert").write_text("old")
    done = run(*CERTIFY, "--certificate", "run.cert", cwd=tmp_path, preexec_fn=limited(300))
    assert done.returncode == 3
    assert "proved optimal" in done.stdout
    assert "certificate in" not in done.stdout
    assert done.stderr == "spotree: run.cert: cannot be written (File too large)\n"
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_what_stands_on_standard_output_is_not_replaced_under_it(tmp_path: Path) -> None:
    path, screen = tmp_path / "all.txt", tmp_path / "screen"
    screen.symlink_to("/proc/self/fd/1")  # as /dev/stdout is, which a writer that replaces links must not meet
    with path.open("w") as both:
        assert run(*SOLVE, "--out", screen, cwd=tmp_path, stdout=both).returncode == 0
    text = path.read_text()
    assert text.startswith('{\n "format"')
    assert text.endswith(f"saved to {shown(str(screen))}\n")
    assert screen.is_symlink()


def test_a_certificate_can_go_into_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    done = in_process(*CERTIFY, "--certificate", "pipe", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "run.cert").write_bytes(os.read(reader, 10**6))
    os.close(reader)
    assert "accepted" in in_process("check", "run.cert", "frozenlake_4x4", cwd=tmp_path).stdout


@pytest.mark.parametrize("content", [None, "", "[[[", "[" * 10**5, "9" * 10**4, "\xff"])
def test_a_start_that_is_no_solution_is_one_line(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "start"
    path.mkdir() if content is None else path.write_text(content, encoding="latin-1")
    done = in_process(*SOLVE, "--start", "start", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("spotree: start: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [("none/run", "there is no directory"), (".", "it is a directory"), ("file/run", "Not a dir")],
)
@pytest.mark.parametrize("option", ["--out", "--certificate"])
def test_a_file_that_cannot_be_there_is_refused_before_the_search(
    option: str, name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    done = in_process(*CERTIFY, option, name, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"spotree: {option} {name}: cannot be written ({reason}")


def test_the_solution_never_replaces_the_certificate(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("run")
    done = in_process(*CERTIFY, "--certificate", "run", "--out", "link", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "spotree: --out and --certificate are the same file, link; give each its own\n"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("ctrl_c", [signal.SIG_DFL, signal.SIG_IGN])  # a shell's background jobs ignore it
def test_a_request_to_end_leaves_the_result_and_no_rest(name: str, ctrl_c: signal.Handlers, tmp_path: Path) -> None:
    command = (
        "certify",
        "tiger_vs_antelope",
        "-d",
        "4",
        "-t",
        "60",
        "--threads",
        "1",
        "-c",
        "proof",
        "-o",
        "run.json",
    )

    def begin() -> None:
        signal.signal(signal.SIGINT, ctrl_c)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup ignores

    child = subprocess.Popen(
        [sys.executable, "-m", "spotree", *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=begin,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:  # the proof has begun
        time.sleep(0.1)
    child.send_signal(getattr(signal, name))
    output, complaint = child.communicate(timeout=60)
    assert child.returncode == 130, complaint
    assert "interrupted; the tree is the best found" in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["proof", "run.json"]
