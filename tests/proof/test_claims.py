"""A certificate's header and members are held to what a certificate can be before they cost memory."""

import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.bounded import add_bomb, read_bounded
from small_models import random_mdp
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.varint import unpacked
from spotree.errors import ReadError

NAN = float("nan")


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("sound") / "run.cert"
    certify(random_mdp(np.random.default_rng(0), 6, 2), 1, time_limit=10, certificate=path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, members: dict[str, bytes], **entries: Any) -> Path:
    """The members with some entries of the header replaced."""
    header = json.loads(members["header.json"])
    for place, value in entries.items():
        *way, last = place.split("__")
        (header[way[0]] if way else header)[last] = value
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (members | {"header.json": json.dumps(header).encode()}).items():
            archive.writestr(name, content)
    return path


# fmt: off
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"depth": 10**7}, "depth is 10000000; it must be a whole number from 0 to 64"),
    ({"depth": True}, "depth is True; it must be a whole number"),
    ({"depth": 0, "max_leaves": None}, "the certificate is about depth 0 and 1 leaves"),
    ({"max_leaves": 1}, "the certificate is about depth 1 and 1 leaves"),
    ({"max_leaves": -5}, "max_leaves is -5; it must be a whole number, 1 or more"),
    ({"value": NAN}, "value is nan; it must be a finite number"),
    ({"bound": NAN}, "bound is nan; it must be a number"),
    ({"margin": -1.0}, "margin is -1.0; it must be a finite number from 0"),
    ({"model": [[[1]]]}, "model is a list of 1; it must be a text"),
    ({"fingerprint": 7}, "fingerprint is 7; it must be a text"),
    ({"chunks": 10**12}, "chunks is 1000000000000; it must be a whole number from 0"),
    ({"chunks": 5}, "no member 'words-0001'"),
    ({"rule": "guess"}, "rule is 'guess'; it must be one of 'state', 'tree', 'level'"),
    ({"tree": {"feature": [-1]}}, "'threshold' is missing in tree"),
    ({"tree__left": [5, -1, -1]}, "every other node as the child of one parent"),
    ({"tree__action": [-1, 0, 9]}, "the tree takes action 9, but there are 2"),
    ({"group_state": [6]}, "group_state[0] is 6, but there are 6 states"),
    ({"group_state": [0] * 7}, "group_state has 7 groups of 6 states"),
    ({"split_threshold": []}, "split_feature, 0 split_threshold"),
    ({"feature_names": [], "action_names": ["a", "b"]}, "node 0 of the tree has feature 0, but there are 0"),
]
# fmt: on


@pytest.mark.parametrize(("entries", "words"), WRONG, ids=[str(entries)[:40] for entries, _ in WRONG])
def test_a_wrong_entry_is_named_with_its_value(
    tmp_path: Path, members: dict[str, bytes], entries: dict[str, Any], words: str
) -> None:
    with pytest.raises(ReadError) as caught:
        Certificate.load(packed(tmp_path / "run.cert", members, **entries))
    assert words in str(caught.value)
    assert f"{tmp_path / 'run.cert'}: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_sound_twin_is_read_whatever_stands_beside_its_entries(
    tmp_path: Path, members: dict[str, bytes]
) -> None:
    read = Certificate.load(packed(tmp_path / "run.cert", members, later=1))
    assert len(read.words) == len(unpacked(members["words-0000"]))


def test_bombs_and_deep_headers_are_refused_with_little_memory(tmp_path: Path, members: dict[str, bytes]) -> None:
    bomb, deep, twice = (tmp_path / f"{name}.cert" for name in ("bomb", "deep", "twice"))
    with zipfile.ZipFile(bomb, "w") as archive:
        for name, content in members.items():
            if name != "words-0000":
                archive.writestr(name, content)
        add_bomb(archive, "words-0000", b"", 60)
    with zipfile.ZipFile(deep, "w") as archive:
        archive.writestr("header.json", "[" * 100_000)
    packed(twice, members)
    with zipfile.ZipFile(twice, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("header.json", members["header.json"])
    said, peak = read_bounded([bomb, deep, twice])
    assert "refused as a zip bomb" in said[0]
    assert "lists or objects too deep inside each other" in said[1]
    assert "the member 'header.json' is there twice" in said[2]
    assert peak < 250
