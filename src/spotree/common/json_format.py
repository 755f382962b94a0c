"""Envelope of every JSON document, in files and from `--json`: format, version, writer."""

import math
from collections.abc import Mapping
from typing import Any


def document(kind: str, entries: Mapping[str, Any], version: int = 1) -> dict[str, Any]:
    """The entries behind a head; numbers that JSON cannot say (infinite ones, nan) become null."""
    import spotree

    head = {"format": f"spotree-{kind}", "version": version, "spotree": spotree.__version__}
    return head | {key: finite(entry) for key, entry in entries.items() if key not in head}


def finite(entry: Any) -> Any:
    """The entry with null for every number that JSON cannot say."""
    if isinstance(entry, Mapping):
        return {key: finite(value) for key, value in entry.items()}
    if isinstance(entry, list | tuple):
        return [finite(value) for value in entry]
    return None if isinstance(entry, float) and not math.isfinite(entry) else entry
