"""A file is written whole or not at all."""

from pathlib import Path

import pytest

from spotree.errors import SpotreeError
from spotree.files import whole_file


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
