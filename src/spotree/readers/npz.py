"""Models as `.npz` files of our own schema: plain arrays, no pickles, nothing lost.

A file holds the arguments of `build_mdp` for choice rows (docs/adding-a-reader.md lists them): the choices that the
model offers, by state and then by action. Rewards are as inside, more is better: with `sense` "min" negated costs.
What missing actions do is stored as a rule, not as rows.
"""

import json
import math
import os
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from spotree.common.atomic_file import whole_file
from spotree.common.untrusted import ClaimError, Zip, in_short, json_bytes, refuse_large_table
from spotree.errors import ReadError
from spotree.mdp import MDP, ChoiceRows, Missing, build_mdp
from spotree.mdp.check import negated
from spotree.mdp.model import Sense
from spotree.readers.options import ReadOptions

FORMAT = "spotree mdp"
VERSION = 1

_ROWS = ("state", "action", "row_start", "target", "probability")
_SINGLE = ("discount", "undiscounted", "must_end", "missing_reward", "missing", "name", "notes")
_TEXTS = ("feature_names", "action_names", "missing", "name", "notes", "sense")
SCHEMA = (
    *_ROWS,
    "reward",
    "ends",
    "initial",
    "features",
    "state_number",
    "forbidden",
    "feature_names",
    "action_names",
    *_SINGLE,
)


def write_npz(mdp: MDP, path: str | os.PathLike[str]) -> None:
    """Write the model; the same model always gives the same bytes."""
    real = mdp.choice_action >= 0
    length = np.diff(mdp.row_start)
    arrays: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "state": mdp.state_of_choice[real].astype(np.int32),
        "action": mdp.choice_action[real],
        "row_start": np.concatenate(([0], np.cumsum(length[real]))),
        "target": mdp.target[np.repeat(real, length)],
        "probability": mdp.probability[np.repeat(real, length)],
        "reward": mdp.reward_of_choice[real],
        "ends": np.maximum(0.0, 1.0 - mdp.rows.sum(axis=1).A1[real]),
        "initial": mdp.initial,
        "features": mdp.features,
        "state_number": mdp.state_number,
        "discount": mdp.discount,
        "undiscounted": mdp.discount == 1,
        "must_end": mdp.must_end,
        "sense": mdp.sense,
        "forbidden": np.flatnonzero(mdp.forbidden),
        "missing": mdp.missing,
        "missing_reward": mdp.missing_reward,
        "feature_names": np.array(mdp.feature_names, dtype=str),
        "action_names": np.array(mdp.action_names, dtype=str),
        "name": mdp.name,
        "notes": json.dumps(dict(mdp.notes)),
    }
    with whole_file(path) as stream:
        np.savez_compressed(stream, **arrays)


def read_npz(path: str | os.PathLike[str], options: ReadOptions) -> MDP:
    """The model in the file; options given by the caller replace the discount, the missing rule and the name."""
    options.refuse("an .npz file", "constants", "reward", "sense", "goal", "avoid", "actions", "drop_actions")
    stored = _arrays(path)
    rows = ChoiceRows(*(stored[key] for key in _ROWS))
    sense, reward = cast(Sense, str(stored["sense"])), stored["reward"]
    return build_mdp(
        rows,
        negated(reward) if sense == "min" else reward,
        options.discount_or(float(stored["discount"])),
        initial=stored["initial"],
        features=stored["features"],
        feature_names=stored["feature_names"].tolist(),
        action_names=stored["action_names"].tolist(),
        missing=options.missing_or(cast(Missing, str(stored["missing"]))),
        missing_reward=options.missing_reward_or(float(stored["missing_reward"])),
        ends=stored["ends"],
        forbidden=_forbidden(path, stored),
        must_end=bool(stored["must_end"]),
        sense=sense,
        state_number=stored["state_number"],
        name=options.name or str(stored["name"]),
        notes=_notes(path, stored),
    )


def _arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Every array of the file that the schema names, of the right kind."""
    key = "format"
    try:
        with Zip(path) as archive:
            if str(_array(archive, key)) != FORMAT:
                raise ReadError(f"{path}: not a model of spotree; write one with write_npz, or use build_mdp")
            key = "version"
            version = _array(archive, key).tolist()
            if version != VERSION:
                raise ReadError(
                    f"{path}: version {in_short(version)} of the schema; this spotree reads version {VERSION}"
                )
            stored = {}
            for key in SCHEMA:
                stored[key] = _array(archive, key)
            key = "sense"  # absent in files of older versions
            stored |= {key: _array(archive, key)} if f"{key}.npy" in archive else {key: np.array("max")}
    except KeyError as error:
        raise ReadError(f"{path}: the array {key!r} is missing; write such files with write_npz") from error
    except ReadError:
        raise
    except Exception as error:  # whatever a damaged archive makes zipfile and numpy stumble over
        reason = str(error).splitlines()[0][:100] if str(error) else type(error).__name__
        raise ReadError(
            f"{path}: cannot read the array {key!r} ({reason}); the file is damaged or no .npz"
        ) from error
    for key, array in stored.items():
        kinds, kind = ("U", "text") if key in _TEXTS else ("biuf", "numbers")
        if array.dtype.kind not in kinds:
            raise ReadError(f"{path}: the array {key!r} holds {array.dtype}, not {kind}")
        axes = 0 if key in (*_SINGLE, "sense") else 2 if key == "features" else 1
        if array.ndim != axes:
            raise ReadError(f"{path}: the array {key!r} has shape {array.shape}; it needs {axes} axes")
    return stored


def _array(archive: Zip, key: str) -> NDArray[Any]:
    """One array, once its shape agrees with the bytes of its member."""
    name = f"{key}.npy"
    with archive.open(name) as stream:
        version = np.lib.format.read_magic(stream)
        headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in headers:
            raise ValueError(f"version {version} of the .npy format")
        shape, _, dtype = headers[version](stream)
        count, room = math.prod(shape), archive.claimed(name) - stream.tell()
        if not dtype.hasobject and (count * dtype.itemsize != room or max(shape, default=1) > max(room, 1)):
            raise ValueError(f"shape {shape} of {dtype} does not fit into {room} bytes")
    with archive.open(name) as stream:
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    if array.dtype.kind == "U":
        letters = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="))).reshape(-1).view(np.uint32)
        if ((letters > 0x10FFFF) | ((letters >= 0xD800) & (letters < 0xE000))).any():
            raise ValueError("letters that are none")
    return array


def _forbidden(path: str | os.PathLike[str], stored: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """[state, action] from the numbers of such pairs, state by state."""
    shape = len(stored["initial"]), len(stored["action_names"])
    refuse_large_table(path, *shape)
    mask, pairs = np.zeros(shape[0] * shape[1], dtype=bool), stored["forbidden"]
    if pairs.size and not (pairs.dtype.kind in "iu" and pairs.min() >= 0 and pairs.max() < mask.size):
        raise ReadError(f"{path}: the array 'forbidden' does not hold numbers from 0 to {mask.size - 1}")
    mask[pairs.astype(np.int64)] = True
    return mask.reshape(shape)


def _notes(path: str | os.PathLike[str], stored: dict[str, NDArray[Any]]) -> dict[str, str]:
    try:
        notes = json_bytes(str(stored["notes"]).encode(errors="replace"))
    except ClaimError as error:
        raise ReadError(f"{path}: the array 'notes' is no JSON ({error})") from error
    if not isinstance(notes, dict):
        raise ReadError(f"{path}: the array 'notes' holds {type(notes).__name__}; it is a JSON object of texts")
    return {str(key): str(value) for key, value in notes.items()}
