"""Files that claim more than they hold are refused in a sentence, with little memory."""

import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.bounded import add_bomb, read_bounded
from oracles.umb import good_members, rewritten, some_mdp
from spotree.errors import ReadError
from spotree.mdp import ChoiceRows, build_mdp
from spotree.readers.npz import write_npz
from spotree.readers.read import read

LITTLE = 350  # megabytes, of which Python and its packages take about 100
MANY = 300_000_000


def tar_of(path: Path, *members: tuple[str, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


def sparse_tar(path: Path) -> Path:
    """A pax sparse member: 3 GB of nothing in 1.5 kB."""
    entry = tarfile.TarInfo("index.json")
    entry.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "3000000000"}
    body = b"1\n2999999999\n1\n".ljust(512, b"\0") + b"x".ljust(512, b"\0")
    entry.size = len(body)
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(entry, io.BytesIO(body))
    return path


def many_states(path: Path) -> Path:
    def change(members: dict[str, bytes], index: dict[str, Any]) -> None:
        index["transition-system"] |= {"#states": MANY, "#choices": MANY, "#branches": MANY}
        index["transition-system"].pop("branch-probability-type")
        for name in ("state-to-choices.bin", "choice-to-branches.bin"):
            members.pop(name)

    rewritten(path.parent, change).rename(path)
    return path


def many_actions(path: Path) -> Path:
    def change(members: dict[str, bytes], index: dict[str, Any]) -> None:
        index["transition-system"]["#choice-actions"] = MANY
        members.pop("actions/choices/strings.bin")

    rewritten(path.parent, change).rename(path)
    return path


def long_pax_header(path: Path) -> Path:
    tar_of(path, ("index.json", b"{}"))
    header = tarfile.TarInfo("huge")
    header.type, header.size = tarfile.XHDTYPE, 8**10
    path.write_bytes(header.tobuf() + path.read_bytes())
    return path


def npz_with(path: Path, change: Callable[[dict[str, bytes]], Any]) -> Path:
    write_npz(build_mdp([np.eye(2)] * 2, 0.0, 0.9), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def header_of(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return stream.getvalue()


def npz_bomb(path: Path) -> Path:
    """An honest header and 400 MB of zeros behind it."""
    npz_with(path, lambda members: members.pop("probability.npy"))
    with zipfile.ZipFile(path, "a") as archive:
        add_bomb(archive, "probability.npy", header_of((50_000_000,)), 40)
    return path


def twice(path: Path) -> Path:
    npz_with(path, lambda members: None)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("reward.npy", archive.read("reward.npy"))
    return path


def bomb(pack: Callable[[bytes], bytes]) -> Callable[[Path], Path]:
    """A member of 400 MB of zeros behind good ones, packed as streams of 10 MB."""

    def make(path: Path) -> Path:
        start = b""
        for name, size in [
            *((name, len(content)) for name, content in good_members().items()),
            ("more", 400_000_000),
        ]:
            entry = tarfile.TarInfo(name)
            entry.size = size
            start += entry.tobuf()
            if name != "more":
                start += good_members()[name].ljust(-(-size // 512) * 512, b"\0")
        path.write_bytes(pack(start) + 41 * pack(bytes(10_000_000)))
        return path

    return make


def deep(path: Path) -> Path:
    return tar_of(path, ("index.json", b"[" * 200_000))


HOSTILE: dict[str, tuple[str, Callable[[Path], Path], str]] = {
    "sparse member": ("umb", sparse_tar, "'index.json' is a link, a device or sparse; refused"),
    "states that are not there": ("umb", many_states, "branch-to-target.bin has 2776 bytes, not 300000000 x 8"),
    "actions that are not there": ("umb", many_actions, "300000000 actions without names for"),
    "pax header that is not there": ("umb", long_pax_header, "not a complete tar archive"),
    "gz bomb": ("umb", bomb(gzip.compress), "unpack to"),
    "xz bomb": ("umb", bomb(lzma.compress), "over 200 times as many"),
    "deep JSON": ("umb", deep, "index.json is not JSON that can be read: lists or objects too deep inside"),
    "array that is not there": (
        "npz",
        lambda path: npz_with(path, lambda members: members.update({"reward.npy": header_of((MANY,))})),
        "cannot read the array 'reward' (shape (300000000,) of float64 does not fit into 0 bytes)",
    ),
    "zip bomb": ("npz", npz_bomb, "refused as a zip bomb"),
    "array there twice": ("npz", twice, "the member 'reward.npy' is there twice"),
}


def test_claims_without_bytes_are_refused_with_little_memory(tmp_path: Path) -> None:
    paths = [make(tmp_path / f"{at}.{suffix}") for at, (suffix, make, _) in enumerate(HOSTILE.values())]
    said, peak = read_bounded(paths)
    for message, (_, _, words), path in zip(said, HOSTILE.values(), paths, strict=True):
        assert words in message
        assert message.startswith(f"{path}: ")
        assert len(message) < 300 + len(str(path))
    assert peak < LITTLE


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_an_archive_are_refused(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "model.umb", "w") as tar:
        entry = tarfile.TarInfo("index.json")
        entry.type, entry.linkname = kind, "/etc/passwd"
        tar.addfile(entry)
    with pytest.raises(ReadError, match=r"'index\.json' is a link, a device or sparse; refused"):
        read(tmp_path / "model.umb")


def test_a_member_that_is_there_twice_does_not_win_silently(tmp_path: Path) -> None:
    path = tar_of(tmp_path / "model.umb", *good_members().items(), ("./index.json", b"{}"))
    with pytest.raises(ReadError, match=r"'\./index\.json' is there twice"):
        read(path)


def test_names_that_are_there_twice_are_refused(tmp_path: Path) -> None:
    def reward(members: dict[str, bytes], index: dict[str, Any]) -> None:
        index["annotations"]["rewards"]["other"] = index["annotations"]["rewards"]["reward"]
        members["annotations/rewards/other/choices/values.bin"] = members[
            "annotations/rewards/reward/choices/values.bin"
        ]

    def variable(members: dict[str, bytes], index: dict[str, Any]) -> None:
        for entry in index["valuations"]["states"]["classes"][0]["variables"]:
            entry["name"] = "same"

    def key(members: dict[str, bytes], index: dict[str, Any]) -> None:
        members["index.json"] = b' {"a": 1, "a": 2}'

    for change, words in (
        (reward, "two annotations are called 'reward'"),
        (variable, "the state variable 'same' is there twice"),
        (key, "index.json is not JSON: the key 'a' stands twice"),
    ):
        with pytest.raises(ReadError) as caught:
            read(rewritten(tmp_path, change))
        assert words in str(caught.value)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "zero.umb").symlink_to("/dev/zero")
    (tmp_path / "folder.prism").mkdir()
    os.mkfifo(tmp_path / "pipe.cert")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    names = ["pipe.npz", "zero.umb", "folder.prism", "pipe.cert", "zero.json"]
    said, _ = read_bounded([tmp_path / name for name in names], seconds=10)
    device = "is a device or a pipe, not a file; copy its content into one"
    assert said == [
        f"{tmp_path / name}: {'is a directory' if name == 'folder.prism' else device}" for name in names
    ]


def test_a_large_model_that_compresses_well_is_still_read(tmp_path: Path) -> None:
    states = 50_000
    onward = np.minimum(np.arange(states) + 1, states - 1)
    rows = ChoiceRows(np.arange(states), np.zeros(states, int), np.arange(states + 1), onward, np.ones(states))
    chain = build_mdp(rows, np.zeros(states), 0.9, features=np.arange(states)[:, None], initial=0)
    write_npz(chain, tmp_path / "chain.npz")
    with zipfile.ZipFile(tmp_path / "chain.npz") as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    assert 5 < unpacked / (tmp_path / "chain.npz").stat().st_size < 50 / 2
    assert read(tmp_path / "chain.npz").num_states == states


def test_a_table_that_no_machine_holds_is_refused(tmp_path: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        for name, count in (("initial", 30_000_000), ("action_names", 1_000_000)):
            stream = io.BytesIO()
            content = np.zeros(count, "u1") if name == "initial" else np.zeros(count, "<U1")
            np.lib.format.write_array(stream, content)
            members[f"{name}.npy"] = stream.getvalue()

    path = npz_with(tmp_path / "model.npz", change)
    with pytest.raises(ReadError, match="30,000,000 states and 1,000,000 actions does not fit into the"):
        read(path)


def test_no_number_in_an_action_name_is_too_long(tmp_path: Path) -> None:
    from spotree.readers.umb.writer import write_umb

    write_umb(some_mdp(), tmp_path / "model.umb")

    def change(members: dict[str, bytes], index: dict[str, Any]) -> None:
        names = ["9" * 5000, "²", "a10"]
        members["actions/choices/strings.bin"] = "".join(names).encode()
        lengths = np.cumsum([0, *(len(name.encode()) for name in names)])
        members["actions/choices/string-mapping.bin"] = lengths.astype("<u8").tobytes()
        del index["file-data"]

    assert read(rewritten(tmp_path, change)).num_actions == 3


def test_json_of_the_index_is_held_to_its_schema(tmp_path: Path) -> None:
    for place, value, words in (
        ("#states", 12.0, "transition-system/#states is 12.0; it must be a whole number"),
        ("#states", True, "transition-system/#states is True; it must be a whole number"),
        ("#branches", -1, "transition-system/#branches is -1; it must be a whole number from 0"),
        ("time", ["discrete"], "transition-system/time is a list of 1; it must be a text"),
    ):

        def change(
            members: dict[str, bytes], index: dict[str, Any], place: str = place, value: Any = value
        ) -> None:
            index["transition-system"][place] = value

        with pytest.raises(ReadError) as caught:
            read(rewritten(tmp_path, change))
        assert f"index.json is incomplete or malformed: {words}" in str(caught.value)
    assert json.loads(good_members()["index.json"])["transition-system"]["#states"] == 13
