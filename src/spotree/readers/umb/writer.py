"""An MDP written as UMB: other tools read the model, spotree reads everything back bit for bit."""

import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spotree.common.arrays import Floats
from spotree.common.atomic_file import whole_file
from spotree.errors import ReadError
from spotree.mdp import MDP

COMPRESSION = {"": "w", "gz": "w:gz", "xz": "w:xz"}


def write_umb(mdp: MDP, path: str | os.PathLike[str], compression: str = "") -> None:
    """Write the choices the model offers, its reward, features and names.

    The rule for missing actions and the discount have no place in UMB; they go into the file's parameters, which
    other tools ignore. Rows that end the episode lead to one extra absorbing state, the last.
    """
    real = mdp.choice_action >= 0
    rows = mdp.rows[np.flatnonzero(real)]
    total = np.asarray(rows.sum(axis=1)).ravel()
    sink = bool((total < 1 - 1e-9).any())
    choices = np.bincount(mdp.state_of_choice[real], minlength=mdp.num_states)
    action, reward = mdp.choice_action[real], mdp.reward_of_choice[real]
    features, initial, number = mdp.features, mdp.initial, mdp.state_number
    if sink:
        rows = _to_sink(rows, np.where(total < 1 - 1e-9, 1 - total, 0.0))
        choices, action, reward = np.append(choices, 1), np.append(action, 0), np.append(reward, 0.0)
        features = np.vstack((features, np.zeros(mdp.num_features)))
        initial, number = np.append(initial, 0.0), np.append(number, -1)
    text = [name.encode() for name in mdp.action_names]
    members: dict[str, bytes] = {
        "state-to-choices.bin": _starts(choices),
        "state-is-initial.bin": _bits(initial > 0),
        "choice-to-branches.bin": rows.indptr.astype("<u8").tobytes(),
        "branch-to-target.bin": rows.indices.astype("<u8").tobytes(),
        "branch-to-probability.bin": rows.data.astype("<f8").tobytes(),
        "actions/choices/values.bin": action.astype("<u4").tobytes(),
        "actions/choices/string-mapping.bin": _starts(np.array([len(name) for name in text])),
        "actions/choices/strings.bin": b"".join(text),
        "annotations/rewards/reward/choices/values.bin": reward.astype("<f8").tobytes(),
        "annotations/spotree/initial/states/values.bin": initial.astype("<f8").tobytes(),
        "annotations/spotree/state-number/states/values.bin": number.astype("<i8").tobytes(),
    }
    variables, members["valuations/states/valuations.bin"] = _valuations(mdp.feature_names, features)
    index = _index(mdp, len(initial), int((initial > 0).sum()), rows.shape[0], rows.nnz, variables, sink)
    _write(Path(path), {"index.json": json.dumps(index, indent=1).encode(), **members}, compression)


def _index(
    mdp: MDP, states: int, initial: int, choices: int, branches: int, variables: list[dict[str, Any]], sink: bool
) -> dict[str, Any]:
    double = {"type": "double", "size": 64}
    return {
        "format-version": 1,
        "format-revision": 0,
        "model-data": {"name": mdp.name},
        "file-data": {
            "tool": "spotree",
            "parameters": {
                "spotree": {
                    "name": mdp.name,
                    "discount": mdp.discount,
                    "missing": mdp.missing,
                    "missing_reward": mdp.missing_reward,
                    "must_end": mdp.must_end,
                    "sense": mdp.sense,
                    "forbidden": np.flatnonzero(mdp.forbidden).tolist(),
                    "notes": dict(mdp.notes),
                    "sink": sink,
                }
            },
        },
        "transition-system": {
            "time": "discrete",
            "#players": 1,
            "#states": states,
            "#initial-states": initial,
            "#choices": choices,
            "#choice-actions": mdp.num_actions,
            "#branches": branches,
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": double,
        },
        "annotations": {
            "rewards": {"reward": {"alias": "reward", "applies-to": ["choices"], "type": double}},
            "spotree": {
                "initial": {"applies-to": ["states"], "type": double},
                "state-number": {"applies-to": ["states"], "type": {"type": "int", "size": 64}},
            },
        },
        "valuations": {"states": {"unique": False, "classes": [{"variables": variables}]}},
    }


def _valuations(names: tuple[str, ...], features: Floats) -> tuple[list[dict[str, Any]], bytes]:
    """64 bits a feature: whole numbers as integers, so that other tools show them as such, the rest as doubles."""
    described, columns = [], []
    for name, column in zip(names, features.T, strict=True):
        whole = (np.abs(column) < 2**53).all() and (column == np.rint(column)).all()
        if whole and not np.signbit(column[column == 0]).any():
            columns.append(column.astype("<i8"))
            bounds = {"lower": int(column.min()), "upper": int(column.max())}
            described.append({"name": name, "type": {"type": "int", "size": 64}, **bounds})
        else:
            columns.append(column.astype("<f8").view("<i8"))
            described.append({"name": name, "type": {"type": "double", "size": 64}})
    return described, np.column_stack(columns).tobytes()


def _to_sink(rows: Any, rest: Floats) -> Any:
    """The rows with what is missing to 1 as a last branch to a new last state, which stays where it is."""
    column = sp.csr_matrix(rest[:, None])
    stay = sp.csr_matrix(([1.0], ([0], [rows.shape[1]])), shape=(1, rows.shape[1] + 1))
    return sp.csr_matrix(sp.vstack((sp.hstack((rows, column)), stay)))


def _starts(lengths: NDArray[Any]) -> bytes:
    return np.concatenate(([0], np.cumsum(lengths))).astype("<u8").tobytes()


def _bits(members: NDArray[np.bool_]) -> bytes:
    padded = np.zeros(-(-len(members) // 64) * 64, dtype=bool)
    padded[: len(members)] = members
    return np.packbits(padded, bitorder="little").tobytes()


def _write(path: Path, members: dict[str, bytes], compression: str) -> None:
    if compression not in COMPRESSION:
        raise ReadError(
            f"compression={compression!r} is unknown; choose one of {', '.join(map(repr, COMPRESSION))}"
        )
    mode: Any = COMPRESSION[compression]
    with whole_file(path) as stream, tarfile.open(None, mode, stream, format=tarfile.USTAR_FORMAT) as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
