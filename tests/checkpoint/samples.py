"""A small checkpoint and its layout."""

from pathlib import Path
from typing import Any

import numpy as np

from spotree.checkpoint import ArrayClaim, Checkpoint, Layout
from spotree.common.untrusted import number, optional, record, text, whole

LAYOUT = Layout(
    kind="search",
    version=2,
    settings=record({"method": text()}),
    state=record({"rounds": whole(0), "bound": optional(number())}),
    arrays={"words": ArrayClaim("<i4", 2), "losses": ArrayClaim("<f8"), "open": ArrayClaim("|b1")},
)


def a_checkpoint(**changes: Any) -> Checkpoint:
    entries: dict[str, Any] = {
        "kind": "search",
        "version": 2,
        "model": "ab" * 32,
        "model_name": "a model",
        "depth": 3,
        "max_leaves": None,
        "settings": {"method": "neighbourhood"},
        "state": {"rounds": 7, "bound": float("inf")},
        "arrays": {
            "words": np.arange(6, dtype=np.int32).reshape(2, 3),
            "losses": np.array([0.5, 2.0]),
            "open": np.array([True, False]),
            "beyond": np.zeros(0, np.uint8),
        },
    }
    return Checkpoint(**entries | changes)


def saved(path: Path, **changes: Any) -> Path:
    a_checkpoint(**changes).save(path)
    return path
