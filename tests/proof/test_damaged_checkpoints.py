"""A damaged checkpoint of a proof, field by field: one line that names the file, never another kind of error."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spotree
from spotree.errors import ReadError
from spotree.proof.attempt import Attempt
from spotree.proof.checkpoint.format import load_proof
from spotree.proof.feature_classes import find_groups
from spotree.results.progress import Progress

MDP, DEPTH = spotree.load("traffic_intersection"), 2
ARRAYS = {
    "state_words": "|u1",
    "state_numbers": "<f8",
    "tree_words": "|u1",
    "tree_numbers": "<f8",
    "left_words": "<i4",
    "left_numbers": "<f8",
    "proof_words": "|u1",
    "proof_numbers": "<f8",
}
Members = dict[str, bytes]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Members:
    """The members of a checkpoint that was stopped halfway, with something in each of its arrays."""
    path: Path = tmp_path_factory.mktemp("proof") / "run.ckpt"
    for regions in range(20, 400, 20):

        def stop(line: Progress, most: int = regions) -> None:
            if line.round > most:
                raise KeyboardInterrupt

        path.unlink(missing_ok=True)
        keeper = spotree.CheckpointWriter(path, every=0)
        spotree.certify(MDP, DEPTH, time_limit=60, threads=1, search=0.0, checkpoint=keeper, progress=stop)
        if len(load_proof(path, MDP, DEPTH, None, 1e-7).left[0]):
            break
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["header.json"])
    for kind in ("words", "numbers"):  # as if that attempt had ended and the next one were running
        members[f"arrays/proof_{kind}"] = members[f"arrays/state_{kind}"]
        header["arrays"][f"proof_{kind}"] = header["arrays"][f"state_{kind}"]
    header["state"] |= {"proved": header["state"]["bound"], "rule": "state"}
    assert all(header["arrays"][name]["shape"][0] > 0 for name in ARRAYS), header["arrays"]
    return members | {"header.json": json.dumps(header).encode()}


def written(path: Path, members: Members, **changed: Any) -> Path:
    """A checkpoint whose header agrees with its arrays, up to what is said."""
    header = json.loads(members["header.json"])
    arrays = {name: changed.get(name, members[f"arrays/{name}"]) for name in ARRAYS}
    for name, raw in arrays.items():
        header["arrays"][name] = {"dtype": ARRAYS[name], "shape": [len(raw) // np.dtype(ARRAYS[name]).itemsize]}
        header["arrays"][name] |= changed.get("entries", {}).get(name, {})
    header["state"] |= changed.get("state", {})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        for name, raw in arrays.items():
            archive.writestr(f"arrays/{name}", raw)
    return path


def resumed(path: Path) -> str:
    """What is said of the file; nothing where the run goes on."""
    said = ""
    certificate = path.with_suffix(".cert")
    try:
        spotree.certify(MDP, DEPTH, time_limit=0.1, threads=1, search=0.0, resume=path, certificate=certificate)
    except ReadError as error:
        said = str(error)
    assert "\n" not in said
    assert not said or path.name in said
    return said


def flipped(raw: bytes, bit: int) -> bytes:
    made = bytearray(raw)
    made[bit // 8 % len(raw)] ^= 1 << bit % 8
    return bytes(made)


ITEM = {name: np.dtype(kind).itemsize for name, kind in ARRAYS.items()}


def length(name: str, raw: bytes) -> int:
    return len(raw) // ITEM[name]


STRUCTURE: dict[str, Callable[[str, bytes], dict[str, Any]]] = {
    "a byte more, unsaid": lambda name, raw: {name: raw + b"\1", "entries": {name: {"shape": [length(name, raw)]}}},
    "a byte less, unsaid": lambda name, raw: {name: raw[:-1], "entries": {name: {"shape": [length(name, raw)]}}},
    "another type": lambda name, raw: {name: raw, "entries": {name: {"dtype": "<i8", "shape": [len(raw) // 8]}}},
    "an unknown type": lambda name, raw: {name: raw, "entries": {name: {"dtype": "|O"}}},
    "two dimensions": lambda name, raw: {name: raw, "entries": {name: {"shape": [1, length(name, raw)]}}},
    "a negative length": lambda name, raw: {name: raw, "entries": {name: {"shape": [-1]}}},
    "not there": lambda name, raw: {name: raw, "entries": {name: {"shape": None}}},
}


@pytest.mark.parametrize("damage", STRUCTURE)
@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_that_is_not_what_the_header_says_is_refused(
    name: str, damage: str, stopped: Members, tmp_path: Path
) -> None:
    change = STRUCTURE[damage](name, stopped[f"arrays/{name}"])
    assert "bad.ckpt" in resumed(written(tmp_path / "bad.ckpt", stopped, **change))


@pytest.mark.parametrize("name", ["state_words", "tree_words", "proof_words"])
def test_a_byte_that_begins_another_word_is_refused(name: str, stopped: Members, tmp_path: Path) -> None:
    said = resumed(written(tmp_path / "bad.ckpt", stopped, **{name: stopped[f"arrays/{name}"] + b"\x80"}))
    assert "the words end within a number" in said


@pytest.mark.parametrize("name", ["left_words", "left_numbers"])
def test_more_than_the_pieces_take_is_refused(name: str, stopped: Members, tmp_path: Path) -> None:
    said = resumed(written(tmp_path / "bad.ckpt", stopped, **{name: stopped[f"arrays/{name}"] + bytes(8)}))
    assert "there is more than the pieces take" in said


CONTENT: dict[str, Callable[[bytes, int], bytes]] = {
    "an item more": lambda raw, size: raw + bytes(size),
    "the last item twice": lambda raw, size: raw + raw[-size:],
    "an item less": lambda raw, size: raw[:-size],
    "half": lambda raw, size: raw[: len(raw) // 2 // size * size],
    "nothing": lambda raw, size: b"",
    "all ones": lambda raw, size: b"\xff" * len(raw),
    "all zeros": lambda raw, size: bytes(len(raw)),
    "the first bit": lambda raw, size: flipped(raw, 0),
    "the first item's sign": lambda raw, size: flipped(raw, 8 * size - 1),
    "a bit in the middle": lambda raw, size: flipped(raw, 4 * len(raw) + 6),
    "the last bit": lambda raw, size: flipped(raw, 8 * len(raw) - 1),
}


@pytest.mark.parametrize("damage", CONTENT)
@pytest.mark.parametrize("name", ARRAYS)
def test_content_that_nobody_wrote_is_refused_by_the_name_of_the_file_or_harmless(
    name: str, damage: str, stopped: Members, tmp_path: Path
) -> None:
    raw = CONTENT[damage](stopped[f"arrays/{name}"], ITEM[name])
    resumed(written(tmp_path / "bad.ckpt", stopped, **{name: raw}))


def test_bits_that_flip_anywhere_end_in_no_other_error(stopped: Members, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    refused = 0
    for name in [*ARRAYS] * 2:
        raw = stopped[f"arrays/{name}"]
        bad = flipped(raw, int(rng.integers(8 * len(raw))))
        refused += resumed(written(tmp_path / "bad.ckpt", stopped, **{name: bad})) != ""
    assert refused > 1


@pytest.mark.parametrize("following", [2**31 - 1, 2**30 + 1, -1, 0])
def test_a_number_of_the_next_region_that_cannot_be_is_refused(
    following: int, stopped: Members, tmp_path: Path
) -> None:
    path = written(tmp_path / "bad.ckpt", stopped, state={"following": following})
    assert "following" in resumed(path)


def test_the_undamaged_checkpoint_goes_on(stopped: Members, tmp_path: Path) -> None:
    assert resumed(written(tmp_path / "good.ckpt", stopped)) == ""


@pytest.mark.parametrize("moment", ["wait", "stop"])
def test_what_the_core_says_of_a_file_whenever_it_does_is_about_the_file(
    moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The core reads pieces in the background: its complaint comes out of the next call, whichever that is."""

    class Complaining:
        def offer(self, *_: Any, **__: Any) -> None: ...

        def wait(self, _: float) -> bool:
            raise ValueError("there is more than the pieces take")

        def stop(self) -> None:
            raise IndexError("there is more than the pieces take")

    attempt = Attempt(Complaining(), find_groups(MDP))  # type: ignore[arg-type]
    attempt.source, attempt.kind = "run\n.ckpt", "checkpoint"
    with pytest.raises(
        ReadError, match=r"^run\\n\.ckpt: not a checkpoint that can be resumed \(there is more than"
    ):
        attempt.wait(0.0) if moment == "wait" else attempt.stop()
