"""A model with a bit of everything, its UMB file, and that file taken apart, changed and packed again."""

import io
import json
import tarfile
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from spotree.mdp import MDP, Missing, build_mdp
from spotree.readers.umb.writer import write_umb

Members = dict[str, bytes]


def some_mdp(missing: Missing = "random", ending: bool = True) -> MDP:
    """Twelve states, three actions, some missing; choices that end the episode, whole and broken features."""
    rng = np.random.default_rng(3)
    ends = np.where(rng.random((12, 3)) < 0.3, rng.random((12, 3)), 0.0) if ending else np.zeros((12, 3))
    transitions = rng.dirichlet(np.full(12, 0.2), (3, 12)) * (1 - ends.T[:, :, None])
    available = rng.random((12, 3)) < 0.6
    available[:, 1] = True
    features = np.column_stack(
        (rng.integers(-4, 4, 12), rng.normal(size=12), np.where(np.arange(12) < 6, -0.0, 1.0))
    )
    return build_mdp(
        transitions,
        np.where(rng.random((12, 3)) < 0.5, -0.0, rng.normal(size=(12, 3))),
        0.97,
        initial=rng.dirichlet(np.ones(12)),
        features=features,
        feature_names=["count", "Höhe", "a b"],
        action_names=["z", "↑", "a"],
        available=available,
        missing=missing,
        missing_reward=-1 / 3,
        ends=ends,
        state_number=rng.permutation(50)[:12],
        name="some",
        notes={"reward": "time"},
    )


@cache
def good_members() -> Members:
    with tempfile.TemporaryDirectory() as folder:
        write_umb(some_mdp(), Path(folder) / "model.umb")
        with tarfile.open(Path(folder) / "model.umb") as tar:
            return {entry.name: tar.extractfile(entry).read() for entry in tar}  # type: ignore[union-attr]


def rewritten(tmp_path: Path, change: Callable[[Members, dict[str, Any]], None]) -> Path:
    """A good file, taken apart, changed and packed again."""
    path, members = tmp_path / "model.umb", dict(good_members())
    index = json.loads(members["index.json"])
    change(members, index)
    if "index.json" in members and members["index.json"][:1] == b"{":
        members["index.json"] = json.dumps(index).encode()
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


def without_extension(members: Members, index: dict[str, Any]) -> None:
    del index["file-data"]["parameters"]
