"""The features of a DRN file: in its comments, or in a state-valuations.json beside it (dtPAYNT's convention)."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from spotree.common.arrays import WHOLE, Floats, first_inexact
from spotree.common.untrusted import ClaimError, anything, json_bytes, list_of, number, regular_bytes, text
from spotree.errors import ReadError

VALUATIONS = "state-valuations.json"
_STATE = re.compile(r"^state \d+[^\n]*\n(?://[ \t]*\[([^\n]*)\])?", re.MULTILINE)


def features_of_drn(path: Path, num_states: int) -> tuple[dict[str, Floats], str]:
    """[state] columns by name, and where they were found.

    A sink that a tool has added carries no comment. Then the file beside counts; without it, 0 stands for every
    variable of such a state.
    """
    comments = [match[1] for match in _STATE.finditer(regular_bytes(path).decode(errors="replace"))]
    silent, beside = comments.count(None), path.with_name(VALUATIONS)
    if silent and beside.is_file():
        where, records = VALUATIONS, _load(beside)
    elif silent == len(comments):
        raise ReadError(
            f"{path}: no state valuations, neither as comments //[x=0 & ...] nor in {VALUATIONS} beside it"
        )
    else:
        records = _parsed(path, comments)
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


def refuse_false_counts(path: Path) -> None:
    """Complain if the file claims more states or choices than it lists: Storm makes room for what is claimed."""
    content = regular_bytes(path)
    states = len(re.findall(rb"^[ \t]*state\b", content, re.MULTILINE))
    there = {
        "@nr_states": states,
        "@nr_choices": max(states, len(re.findall(rb"^[ \t]*action\b", content, re.MULTILINE))),
    }
    for claim in re.finditer(rb"^(@nr_states|@nr_choices)\s+(\d+)", content, re.MULTILINE):
        name, said = claim[1].decode(), claim[2].decode()
        if len(said) > 18 or int(said) > there[name]:
            raise ReadError(f"{path}: {name} is {said[:40]}, but the file lists {there[name]}; cut off or corrupt?")


def _parsed(path: Path, comments: list[str | None]) -> list[dict[str, float]]:
    """One record per state; Storm spells `!busy` and says nothing where busy is true, so place tells the name."""
    known = [None if comment is None else comment.split("&") for comment in comments]
    spoken = [parts for parts in known if parts is not None]
    name_at = dict(enumerate(_name(part) for part in spoken[0]))
    for named in spoken if "" in name_at.values() else []:
        name_at |= {at: _name(part) for at, part in enumerate(named) if name_at.get(at) == ""}
    nothing = {name: 0.0 for name in name_at.values() if name}  # without a name: true in every state
    return [nothing if parts is None else _record(path, parts, name_at) for parts in known]


def _record(path: Path, parts: list[str], name_at: dict[int, str]) -> dict[str, float]:
    record: dict[str, float] = {}
    for at, part in enumerate(parts):
        name = _name(part) or name_at.get(at, "")
        if name in record:
            raise ReadError(f"{path}: the state valuation {'&'.join(parts).strip()!r} has {name!r} twice")
        if name:
            record[name] = _number(path, part)
    return record


def _name(part: str) -> str:
    return part.strip().partition("=")[0].lstrip("!").strip()


def _number(path: Path, part: str) -> float:
    """`!busy` is 0, `busy` and nothing are 1, `x=3` is 3."""
    name, equals, value = part.strip().partition("=")
    try:
        return _exact(value) if equals else float(not name.startswith("!"))
    except ValueError:
        raise ReadError(f"{path}: state valuation {part.strip()!r} is no number") from None


def _exact(value: Any) -> float:
    """The value as a float, or as the whole number that it is where a float might change it."""
    try:
        whole = int(value) if isinstance(value, int | str) else 0
    except ValueError:
        whole = 0
    return float(value) if abs(whole) <= WHOLE else whole


def _load(path: Path) -> list[dict[str, float]]:
    try:
        states = json_bytes(regular_bytes(path))
        list_of(list_of(_pair))("the file", states)
        return [{name: _exact(value) for name, value in state} for state in states]
    except ClaimError as error:
        raise ReadError(f"{path}: not a list of [name, number] pairs per state: {error}") from None


def _pair(where: str, value: Any) -> None:
    list_of(anything, least=2, most=2)(where, value)
    text()(f"{where}[0]", value[0])
    if not isinstance(value[1], bool):
        number()(f"{where}[1]", value[1])
