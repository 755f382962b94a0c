"""The file of a run that is not finished: written whole or not at all, checked as a claim when it is read.

A checkpoint is a zip archive of stored members: `header.json` (kind, version, the model's fingerprint, the size asked
for, settings, state, and type and shape of each array) and one member of raw bytes for each array, `arrays/NAME`."""

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from spotree.common.atomic_file import whole_file
from spotree.common.json_format import document, finite
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.common.untrusted import (
    DAMAGED,
    Check,
    ClaimError,
    Zip,
    anything,
    in_short,
    json_bytes,
    list_of,
    named,
    one_of,
    optional,
    record,
    text,
    whole,
)
from spotree.errors import ReadError

Kind: TypeAlias = Literal["search", "proof", "rsbb", "sweep"]
Dtype: TypeAlias = Literal["|u1", "|b1", "<i4", "<i8", "<f8"]
DTYPES: tuple[Dtype, ...] = ("|u1", "|b1", "<i4", "<i8", "<f8")
MOST_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class ArrayClaim:
    """An array that must be there: its type, how many dimensions, and whether its numbers may be infinite."""

    dtype: Dtype
    dimensions: int = 1
    infinite: bool = False

    def check(self, name: str, dtype: str, shape: list[int]) -> None:
        """Refuse another type or number of dimensions, before any memory is spent."""
        if dtype != self.dtype or len(shape) != self.dimensions:
            raise ClaimError(
                f"the array {name!r} is of type {dtype} with {len(shape)} dimensions; it must be {self.dtype}"
                f" with {self.dimensions}"
            )

    def check_content(self, name: str, array: npt.NDArray[Any]) -> None:
        """Refuse numbers that it may not hold."""
        if array.dtype.kind != "f":
            if array.dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1:
                raise ClaimError(f"the array {name!r} holds bytes that are neither true nor false")
            return
        bad = np.isnan(array) if self.infinite else ~np.isfinite(array)
        if bad.any():
            raise ClaimError(f"the array {name!r} holds {in_short(float(array[bad][0]))}")


@dataclass(frozen=True, slots=True)
class Layout:
    """One kind of checkpoint: the checks of its settings and its state, and its arrays; arrays beyond are ignored.

    Attributes
    ----------
    version
        Grows when a reader of the version before would go wrong.
    settings
        What was asked for, beside model and size; a run goes on only where these are the same.
    state
        Small facts about where the run stands.
    """

    kind: Kind
    version: int
    settings: Check
    state: Check
    arrays: Mapping[str, ArrayClaim] = field(default_factory=dict)


def array_entry(name: str, value: Any) -> None:
    """The check of what a header says about one array."""
    record(
        {
            "dtype": one_of(*DTYPES),
            "shape": list_of(whole(0, 2**48), most=MOST_DIMENSIONS),
        }
    )(name, value)


FORMAT = "spotree-checkpoint"
LONGEST_HEADER = 2**26  # bytes


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """Where a run stands.

    Attributes
    ----------
    model, model_name
        The fingerprint of what the run is about, and its name for a person.
    depth, max_leaves
        The size asked for.
    settings, state
        As its `Layout` says; plain values. Numbers that JSON cannot say become null.
    arrays
        Named arrays of the types in `layout.DTYPES`.
    """

    kind: Kind
    version: int
    model: str
    model_name: str
    depth: int
    max_leaves: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    def save(self, path: str | os.PathLike[str], partial: Path | None = None) -> None:
        """Write it; a reader sees the file that was there before or all of this one."""
        arrays = {name: _plain(name, array) for name, array in self.arrays.items()}
        entries = {
            "kind": self.kind,
            "model": self.model,
            "model_name": self.model_name,
            "depth": self.depth,
            "max_leaves": self.max_leaves,
            "settings": dict(self.settings),
            "state": dict(self.state),
            "arrays": {name: {"dtype": a.dtype.str, "shape": list(a.shape)} for name, a in arrays.items()},
        }
        with whole_file(path, partial) as stream, zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("header.json", json.dumps(document("checkpoint", entries, self.version)))
            for name, array in arrays.items():
                with archive.open(f"arrays/{name}", "w", force_zip64=True) as member:
                    member.write(array.reshape(-1).view(np.uint8).data)

    def refuse_other(
        self,
        path: str | os.PathLike[str],
        *,
        model: str,
        depth: int,
        max_leaves: int | None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Complain unless the run that is to go on is the one that was left: same model, size and settings."""
        where = _where(path)
        if self.model != model:
            raise ReadError(
                f"{where}: a checkpoint of another model ({shown(self.model_name)}), or of the same read in another"
                " way; resume it with its own model and options"
            )
        if (self.depth, self.max_leaves) != (depth, max_leaves):
            raise ReadError(
                f"{where}: a checkpoint for {_size(self.depth, self.max_leaves)}, not"
                f" {_size(depth, max_leaves)}; ask for the same size"
            )
        for name, value in (settings or {}).items():
            if (there := self.settings.get(name)) != finite(value):
                raise ReadError(
                    f"{where}: a checkpoint of a run with {name} {in_short(there)}, not {in_short(value)};"
                    " ask for the same"
                )


def load_checkpoint(path: str | os.PathLike[str], layout: Layout) -> Checkpoint:
    """The checkpoint of that kind in a file; says in one line what is wrong with any other."""
    where = _where(path)
    try:
        with Zip(path) as archive:
            header = _header(where, archive, layout)
            arrays = {name: _array(archive, name, header, layout) for name in layout.arrays}
    except MemoryError as error:
        raise ReadError(f"{where}: the checkpoint does not fit into this machine's memory") from error
    except (KeyError, *DAMAGED) as error:  # a ClaimError is a ValueError, too
        raise ReadError(
            f"{where}: not a checkpoint, or a damaged one ({shown(str(error), LONGEST_LINE)})"
        ) from error
    return Checkpoint(
        kind=layout.kind,
        version=layout.version,
        model=header["model"],
        model_name=header["model_name"],
        depth=header["depth"],
        max_leaves=header["max_leaves"],
        settings=header["settings"],
        state=header["state"],
        arrays=arrays,
    )


def described(path: str | os.PathLike[str]) -> str:
    """What kind of file stands under a name, for a complaint."""
    try:
        with Zip(path) as archive:
            header = _head(archive)
        return f"a checkpoint ({header['kind']}, {shown(str(header['model_name']))}, depth {in_short(header['depth'])})"
    except (ReadError, KeyError, MemoryError, *DAMAGED):
        return "no checkpoint"


def _where(path: str | os.PathLike[str]) -> str:
    return shown(os.fspath(path), LONGEST_LINE)


def _size(depth: int, max_leaves: int | None) -> str:
    if max_leaves is not None and depth == max_leaves - 1:  # trees of any shape: the depth was not asked for
        return f"{max_leaves} leaves"
    return f"depth {depth}" + ("" if max_leaves is None else f" and {max_leaves} leaves")


def _plain(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as it is written: little-endian, in one piece."""
    plain = np.ascontiguousarray(array)
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype.str not in DTYPES:
        raise TypeError(f"array {name!r} is of type {plain.dtype}; a checkpoint holds {', '.join(DTYPES)}")
    return plain


def _head(archive: Zip) -> dict[str, Any]:
    header = json_bytes(archive.read("header.json", LONGEST_HEADER))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ClaimError(f"no format {FORMAT!r} in it")
    return header


def _header(where: str, archive: Zip, layout: Layout) -> dict[str, Any]:
    header = _head(archive)
    if header.get("kind") != layout.kind:
        raise ReadError(
            f"{where}: a checkpoint of kind {in_short(header.get('kind'))}; this command goes on with {layout.kind!r}"
        )
    version = header.get("version")
    if type(version) is not int or version != layout.version:
        raise ReadError(
            f"{where}: a checkpoint of version {in_short(version)}; this spotree reads {layout.version}:"
            " go on with the spotree that wrote it, or start afresh"
        )
    _HEADER("", header)
    layout.settings("settings", header["settings"])
    layout.state("state", header["state"])
    return header


def _array(archive: Zip, name: str, header: dict[str, Any], layout: Layout) -> npt.NDArray[Any]:
    claim, entry = layout.arrays[name], header["arrays"].get(name)
    if entry is None:
        raise ClaimError(f"the array {name!r} is missing")
    claim.check(name, entry["dtype"], entry["shape"])
    dtype, member = np.dtype(entry["dtype"]), f"arrays/{name}"
    if archive.claimed(member) != prod(entry["shape"]) * dtype.itemsize:
        raise ClaimError(f"the array {name!r} has another size than its header says")
    raw = archive.read(member)
    array: npt.NDArray[Any] = np.frombuffer(raw, dtype).reshape(entry["shape"])
    claim.check_content(name, array)
    return array


_HEADER = record(
    {
        "model": text(64),
        "model_name": text(),
        "depth": whole(0),
        "max_leaves": optional(whole(1)),
        "settings": named(anything),
        "state": named(anything),
        "arrays": named(array_entry),
    }
)
