"""A checkpoint comes back as it was written, and every other file is refused in one line."""

import json
import os
import resource
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checkpoint.samples import LAYOUT, a_checkpoint, saved
from spotree.checkpoint import load_checkpoint
from spotree.common.atomic_file import UnwrittenError
from spotree.errors import ReadError


def rewritten(path: Path, change: Any) -> Path:
    """The file with its header and members changed in place."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["header.json"])
    change(header, members)
    members["header.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    found = load_checkpoint(saved(tmp_path / "run.ckpt"), LAYOUT)
    assert found.settings == {"method": "neighbourhood"}
    assert found.state == {"rounds": 7, "bound": None}  # JSON has no infinite numbers
    assert found.arrays["words"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found.arrays["losses"].tolist() == [0.5, 2.0]
    assert found.arrays["open"].tolist() == [True, False]
    assert set(found.arrays) == set(LAYOUT.arrays)
    assert list(tmp_path.iterdir()) == [tmp_path / "run.ckpt"]


def test_the_next_one_takes_the_place_of_the_last(tmp_path: Path) -> None:
    path = saved(tmp_path / "run.ckpt")
    partial = tmp_path / "run.ckpt.partial"
    partial.write_bytes(b"left by a process that was killed")
    a_checkpoint(state={"rounds": 8, "bound": 1.5}).save(path, partial)
    assert load_checkpoint(path, LAYOUT).state == {"rounds": 8, "bound": 1.5}
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    whole_one = saved(tmp_path / "run.ckpt").read_bytes()
    torn = tmp_path / "torn.ckpt"
    for length in range(0, len(whole_one), 7):
        torn.write_bytes(whole_one[:length])
        with pytest.raises(ReadError, match="not a checkpoint, or a damaged one"):
            load_checkpoint(torn, LAYOUT)


def test_a_flipped_bit_never_passes_for_another_state(tmp_path: Path) -> None:
    path = saved(tmp_path / "run.ckpt")
    good, truth = path.read_bytes(), load_checkpoint(path, LAYOUT)
    for place in range(0, len(good), 5):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        try:
            found = load_checkpoint(path, LAYOUT)
        except ReadError:
            continue
        assert (found.state, found.settings, found.model) == (truth.state, truth.settings, truth.model)
        for name, array in truth.arrays.items():
            assert np.array_equal(array, found.arrays[name])


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="there is no such file"):
        load_checkpoint(tmp_path / "none.ckpt", LAYOUT)
    with pytest.raises(ReadError, match="is a directory"):
        load_checkpoint(tmp_path, LAYOUT)
    with pytest.raises(ReadError, match="device or a pipe"):
        load_checkpoint("/dev/zero", LAYOUT)
    path = tmp_path / "foreign"
    path.write_text("hello")
    with pytest.raises(ReadError, match="not a checkpoint"):
        load_checkpoint(path, LAYOUT)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", '{"format": "spotree-certificate"}')
    with pytest.raises(ReadError, match="no format 'spotree-checkpoint'"):
        load_checkpoint(path, LAYOUT)


def test_another_kind_and_another_version_are_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="of kind 'proof'; this command goes on with 'search'"):
        load_checkpoint(saved(tmp_path / "a", kind="proof"), LAYOUT)
    with pytest.raises(ReadError, match="of version 3; this spotree reads 2"):
        load_checkpoint(saved(tmp_path / "b", version=3), LAYOUT)


@pytest.mark.parametrize("entry", ["model", "model_name", "depth", "max_leaves", "settings", "state", "arrays"])
@pytest.mark.parametrize("wrong", [[], "x" * 2_000_000, -1.5, True, {"words": None}, "missing"])
def test_a_wrong_type_in_any_entry_of_the_header_is_refused(tmp_path: Path, entry: str, wrong: Any) -> None:
    def change(header: dict[str, Any], _: dict[str, bytes]) -> None:
        if wrong == "missing":
            del header[entry]
        else:
            header[entry] = wrong

    if (entry, wrong) == ("model_name", "missing"):
        return
    with pytest.raises(ReadError, match="not a checkpoint, or a damaged one") as caught:
        load_checkpoint(rewritten(saved(tmp_path / "run.ckpt"), change), LAYOUT)
    assert len(str(caught.value)) < 2500


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda h, m: h["arrays"]["words"].update(dtype="<i8"), "must be <i4"),
        (lambda h, m: h["arrays"]["words"].update(dtype="|O"), "must be one of"),
        (lambda h, m: h["arrays"]["words"].update(shape=[2, 3, 1]), "3 dimensions"),
        (lambda h, m: h["arrays"]["words"].update(shape=[2**40, 2**40]), "another size"),
        (lambda h, m: h["arrays"].pop("words"), "'words' is missing"),
        (lambda h, m: m.pop("arrays/words"), "arrays/words"),
        (lambda h, m: m.update({"arrays/words": bytes(20)}), "another size"),
        (lambda h, m: m.update({"arrays/losses": np.array([1, np.nan]).tobytes()}), "'losses' holds nan"),
        (lambda h, m: m.update({"arrays/losses": np.array([1, np.inf]).tobytes()}), "'losses' holds inf"),
        (lambda h, m: m.update({"arrays/open": b"\x00\x07"}), "neither true nor false"),
        (lambda h, m: h["state"].update(rounds=-1), "state/rounds is -1"),
        (lambda h, m: h["settings"].update(method=3), "settings/method is 3"),
    ],
)
def test_arrays_and_states_that_cannot_be_are_refused(tmp_path: Path, change: Any, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        load_checkpoint(rewritten(saved(tmp_path / "run.ckpt"), change), LAYOUT)


def test_only_the_same_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    found = load_checkpoint(saved(path), LAYOUT)
    same: dict[str, Any] = {"model": "ab" * 32, "depth": 3, "max_leaves": None}
    found.refuse_other(path, **same, settings={"method": "neighbourhood"})
    with pytest.raises(ReadError, match=r"of another model \(a model\)"):
        found.refuse_other(path, **same | {"model": "cd" * 32})
    with pytest.raises(ReadError, match="for depth 3, not depth 4"):
        found.refuse_other(path, **same | {"depth": 4})
    with pytest.raises(ReadError, match="for depth 3, not depth 3 and 5 leaves"):
        found.refuse_other(path, **same | {"max_leaves": 5})
    with pytest.raises(ReadError, match="for depth 3, not 6 leaves;"):
        found.refuse_other(path, **same | {"depth": 5, "max_leaves": 6})
    with pytest.raises(ReadError, match="with method 'neighbourhood', not 'spot'"):
        found.refuse_other(path, **same, settings={"method": "spot"})


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path) -> None:
    path = saved(tmp_path / "run.ckpt")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(UnwrittenError, match="cannot be written"):
            saved(path, arrays={"words": np.zeros((100, 100), np.int32)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert load_checkpoint(path, LAYOUT).state["rounds"] == 7
    assert os.listdir(tmp_path) == ["run.ckpt"]


def test_types_that_a_file_cannot_hold_are_a_mistake_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="float32"):
        saved(tmp_path / "run.ckpt", arrays={"words": np.zeros(1, np.float32)})
    assert os.listdir(tmp_path) == []
