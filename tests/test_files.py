"""A file is written whole or not at all."""

import io
import os
import resource
import socket
import stat
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spotree.common.atomic_file import UnwrittenError, check_target, whole_file
from spotree.errors import SpotreeError


def test_the_bytes_appear_under_the_name_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    with whole_file(path) as stream:
        stream.write(b"all of it")
        assert not path.exists()
    assert path.read_bytes() == b"all of it"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with whole_file(path) as stream:
            stream.write(b"half of the ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    with whole_file(path) as first, whole_file(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_bytes() == b"first"  # the outer one finished last
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["no/such/folder/run.json", "folder"])
def test_what_cannot_be_written_is_said_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SpotreeError, match="cannot be written") as caught, whole_file(tmp_path / name) as stream:
        stream.write(b"x")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file can grow beyond a size: a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_said_by_name_and_the_earlier_file_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"old")
    with (
        room_for(1000),
        pytest.raises(UnwrittenError, match="cannot be written") as caught,
        whole_file(path) as file,
    ):
        file.write(b"x" * 5000)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_symbolic_links_stay_and_their_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, near, far = tmp_path / "folder" / "run.json", tmp_path / "near", tmp_path / "far"
    near.symlink_to("folder/run.json")
    far.symlink_to("near")
    for text in (b"first", b"second"):  # first the link dangles, then it leads to a file
        with whole_file(far) as stream:
            stream.write(text)
        assert target.read_bytes() == text
    assert far.readlink() == Path("near")
    assert near.readlink() == Path("folder/run.json")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far", "folder", "near", "run.json"]


def test_links_in_a_circle_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(UnwrittenError, match="one: cannot be written"), whole_file(tmp_path / "one"):
        pass
    assert (tmp_path / "one").is_symlink()


def test_a_pipe_is_written_through_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(pipe) as stream, zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("entry", "all of it")
    got = os.read(reader, 10**5)
    os.close(reader)
    assert zipfile.ZipFile(io.BytesIO(got)).read("entry") == b"all of it"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_nothing_of_a_broken_write_reaches_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def broken() -> None:
        with whole_file(pipe) as stream:
            stream.write(b"half of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert os.read(reader, 100) == b""
    os.close(reader)


def test_a_device_is_written_through_and_a_full_one_is_said_by_name(tmp_path: Path) -> None:
    full = tmp_path / "full"  # a node of its own: a writer that replaces devices must not meet the real one
    try:
        os.mknod(full, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        full.open("wb").close()
    except OSError:
        pytest.skip("only root may make devices, and not everywhere")
    with pytest.raises(UnwrittenError, match=r"full: cannot be written .No space left"), whole_file(full) as stream:
        stream.write(b"x")
    assert full.is_char_device()
    assert list(tmp_path.iterdir()) == [full]


def test_a_socket_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(UnwrittenError, match="it is a socket"):
            check_target("socket")


def test_permission_bits_stay(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with whole_file(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    with whole_file(path) as stream:
        stream.write(b"x")
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_that_nobody_reads_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_target(pipe)  # its reader may still come
    with (
        pytest.raises(UnwrittenError, match="nobody reads this pipe; start its reader first"),
        whole_file(pipe) as s,
    ):
        s.write(b"all of it")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_with_a_reader_gets_more_than_it_holds_at_once(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    time.sleep(0.2)
    with whole_file(pipe) as stream:
        stream.write(bytes(10**6))
    reader.join(30)
    assert got == [bytes(10**6)]
