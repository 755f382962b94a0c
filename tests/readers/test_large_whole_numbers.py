"""Valuations of files: a whole number that float64 cannot hold is refused by state and variable."""

import json
from pathlib import Path

import numpy as np
import pytest

from spotree.errors import InvalidModelError, ReadError
from spotree.mdp import build_mdp
from spotree.readers.drn import VALUATIONS, features_of_drn
from spotree.readers.npz import write_npz
from spotree.readers.read import read
from spotree.readers.umb.valuations import ValuationError, unpack

BIG = 2**53 + 1


def test_umb_valuations_name_the_state_and_the_variable() -> None:
    records = np.array([[3, BIG]], dtype="<u8").T.copy().view(np.uint8).reshape(2, 8)
    with pytest.raises(ValuationError, match="state 1, variable 'id': value is 9007199254740993, which float64"):
        unpack(records, [{"name": "id", "type": {"type": "uint", "size": 64}}])


def test_umb_offsets_are_added_before_anything_is_rounded() -> None:
    records = np.array([[3, 5]], dtype="<u8").T.copy().view(np.uint8).reshape(2, 8)
    entry = {"name": "id", "type": {"type": "int", "size": 64}, "offset": 2**53}
    with pytest.raises(ValuationError, match="state 0, variable 'id': value is 9007199254740995"):
        unpack(records, [entry])
    columns, _ = unpack(records, [entry | {"offset": -(2**52)}])
    assert columns["id"].tolist() == [3 - 2**52, 5 - 2**52]


@pytest.mark.parametrize("beside", [False, True])
def test_drn_valuations_name_the_state_and_the_variable(tmp_path: Path, beside: bool) -> None:
    drn = tmp_path / "model.drn"
    drn.write_text(
        "state 0 init\n//[x=1]\nstate 1\n" if beside else f"state 0 init\n//[x=1]\nstate 1\n//[x={BIG}]\n"
    )
    if beside:
        (tmp_path / VALUATIONS).write_text(json.dumps([[["x", 1]], [["x", BIG]]]))
    with pytest.raises(ReadError, match="state 1, variable 'x': value is 9007199254740993, which float64 cannot"):
        features_of_drn(drn, 2)


def test_npz_features_of_whole_numbers_are_looked_at(tmp_path: Path) -> None:
    write_npz(build_mdp([np.eye(2)], 0.0, 0.9), tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as archive:
        arrays = dict(archive)
    np.savez(tmp_path / "model.npz", **arrays | {"features": np.array([[0], [BIG]])})
    with pytest.raises(InvalidModelError, match="state 1, feature 'state': value is 9007199254740993"):
        read(tmp_path / "model.npz")
