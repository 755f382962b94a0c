"""The features of a DRN file: in its comments, or in a state-valuations.json beside it (dtPAYNT's convention)."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from spotree.axes import WHOLE, Floats, first_inexact
from spotree.errors import ReadError

VALUATIONS = "state-valuations.json"
_STATE = re.compile(r"^state \d+[^\n]*\n(?://\s*\[([^\n]*)\])?", re.MULTILINE)


def features_of_drn(path: Path, num_states: int) -> tuple[dict[str, Floats], str]:
    """[state] columns by name, and where they were found.

    A sink that a tool has added carries no comment. Then the file beside counts; without it, 0 stands for every
    variable of such a state.
    """
    comments = [match[1] for match in _STATE.finditer(path.read_text())]
    silent, beside = comments.count(None), path.with_name(VALUATIONS)
    if silent and beside.is_file():
        where, records = VALUATIONS, _load(beside)
    elif silent == len(comments):
        raise ReadError(
            f"{path}: no state valuations, neither as comments //[x=0 & ...] nor in {VALUATIONS} beside it"
        )
    else:
        known = [_parse(path, comment) for comment in comments if comment is not None]
        spoken, nothing = iter(known), dict.fromkeys(known[0], 0.0)
        records = [nothing if comment is None else next(spoken) for comment in comments]
        where = "the comments of the states" + (f" ({silent} states without one count as 0)" if silent else "")
    if len(records) != num_states:
        raise ReadError(f"{path}: {len(records)} state valuations in {where}, but {num_states} states")
    names = list(records[0])
    for state, record in enumerate(records):
        if list(record) != names:
            raise ReadError(f"{path}: state {state} has the variables {', '.join(record)}, not {', '.join(names)}")
    rows = [list(record.values()) for record in records]
    if (found := first_inexact(rows)) is not None:
        (state, column), value = found
        raise ReadError(
            f"{path}: state {state}, variable {names[column]!r}: value is {value}, which float64 cannot hold; "
            "subtract an offset from it, or split it into two"
        )
    table = np.array(rows, dtype=np.float64)
    return {name: table[:, column] for column, name in enumerate(names)}, where


def _parse(path: Path, comment: str) -> dict[str, float]:
    """`!busy & x=3` -> {"busy": 0, "x": 3}."""
    record = {}
    for part in comment.split("&"):
        name, equals, value = part.strip().partition("=")
        try:
            record[name.lstrip("!").strip()] = _number(value) if equals else float(not name.startswith("!"))
        except ValueError:
            raise ReadError(f"{path}: state valuation {part.strip()!r} is no number") from None
    return record


def _number(value: Any) -> float:
    """The value as a float, or as the whole number that it is where a float might change it."""
    try:
        whole = int(value) if isinstance(value, int | str) else 0
    except ValueError:
        whole = 0
    return float(value) if abs(whole) <= WHOLE else whole


def _load(path: Path) -> list[dict[str, float]]:
    try:
        states = json.loads(path.read_text())
        return [{str(name): _number(value) for name, value in state} for state in states]
    except (ValueError, TypeError) as error:
        raise ReadError(f"{path}: not a list of [name, number] pairs per state: {error}") from None
