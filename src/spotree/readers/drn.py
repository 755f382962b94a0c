"""The DRN format: reader and writer."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from spotree.common.arrays import WHOLE, Features, Floats, first_inexact, frozen_array
from spotree.common.atomic_file import whole_file
from spotree.common.untrusted import ClaimError, anything, json_bytes, list_of, number, regular_bytes, text
from spotree.errors import InvalidModelError, ReadError
from spotree.mdp import MDP

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


MODEL = "model.drn"
PROPERTY = "discounted.props"
Lines: TypeAlias = Iterator[str]


@dataclass(frozen=True, slots=True, eq=False)
class WrittenDrn:
    """Where the files are, and what leads from them back to the MDP.

    Attributes
    ----------
    scale
        A return in the file is `scale` times the return of the MDP: 1, or the discount where a fresh initial state
        costs one step.
    action_names, feature_names
        Their names in the file: single words, what else they hold is an underscore there.
    values
        [feature] None where the file has the feature as it is, else the ascending values whose ranks it has.
    """

    folder: Path
    scale: float
    action_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    values: tuple[Floats | None, ...]

    def threshold(self, feature: int, largest_below: float) -> float:
        """Where to split the MDP's feature so that just the file's values up to `largest_below` are below it."""
        values = self.values[feature]
        if values is None:
            return largest_below + 0.5
        last = int(np.floor(largest_below))
        if last < 0:
            return float(values[0])
        if last >= len(values) - 1:
            return float(np.nextafter(values[-1], np.inf))
        low, high = float(values[last]), float(values[last + 1])
        middle = low / 2 + high / 2  # the sum of both may be too large
        return middle if middle > low else high


def write_drn(mdp: MDP, folder: str | os.PathLike[str]) -> WrittenDrn:
    """Write `model.drn`, `state-valuations.json` and `discounted.props` into a folder, which is made if needed.

    What the format lacks is spelled out. Missing actions get the row that stands in for them (a forbidden one gets
    none). Rows that end the episode lead to an extra absorbing state. An initial distribution becomes a state
    that leads to it in one step, whatever the action, so returns shrink by the discount (`WrittenDrn.scale`). The
    extra states carry the features of the likeliest initial state. Features that are no integers become ranks.
    """
    starts = np.flatnonzero(mdp.initial)
    if len(starts) > 1 and mdp.discount == 0:
        raise InvalidModelError(
            f"discount 0 and {len(starts)} initial states: the step to them would leave nothing; start in one state"
        )
    there = Path(folder)
    there.mkdir(parents=True, exist_ok=True)
    names, columns = _plain(mdp.action_names), _plain(mdp.feature_names)
    features, values = _integers(mdp.features)
    sink = bool((np.asarray(mdp.rows.sum(axis=1)).ravel() < 1 - 1e-9)[mdp.choice_of[mdp.choice_of >= 0]].any())
    extra = int(len(starts) > 1) + int(sink)
    table = np.vstack((features, np.repeat(features[[int(np.argmax(mdp.initial))]], extra, axis=0))).tolist()

    _write(there / MODEL, _model(mdp, names, starts.tolist(), sink))
    pairs = ([[name, value] for name, value in zip(columns, row, strict=True)] for row in table)
    _write(there / VALUATIONS, iter(["[", ",\n".join(map(json.dumps, pairs)), "]\n"]))
    total = "C" if mdp.discount == 1 else f"Cdiscount={mdp.discount!r}"
    _write(there / PROPERTY, iter([f'R{{"reward"}}max=? [{total}]\n']))
    return WrittenDrn(there, mdp.discount if len(starts) > 1 else 1.0, names, columns, values)


def _model(mdp: MDP, names: tuple[str, ...], starts: list[int], sink: bool) -> Lines:
    """The DRN file, state by state."""
    fresh = len(starts) > 1
    states = mdp.num_states + sink + fresh
    choices = int(np.count_nonzero(mdp.choice_of >= 0)) + (sink + fresh) * len(names)
    yield "// Written by spotree\n@type: MDP\n@parameters\n\n@reward_models\nreward\n"
    yield f"@nr_states\n{states}\n@nr_choices\n{choices}\n@model\n"
    entry, target, probability = (array.tolist() for array in (mdp.row_start, mdp.target, mdp.probability))
    reward = mdp.reward_of_choice.tolist()
    rest = (1.0 - np.asarray(mdp.rows.sum(axis=1)).ravel()).tolist()
    for state, row_of in enumerate(mdp.choice_of.tolist()):
        yield f"state {state} [0]{' init' if starts == [state] else ''}\n"
        for name, row in zip(names, row_of, strict=True):
            if row < 0:
                continue
            yield f"\taction {name} [{reward[row]!r}]\n"
            for index in range(entry[row], entry[row + 1]):
                yield f"\t\t{target[index]} : {probability[index]!r}\n"
            if rest[row] > 1e-9:
                yield f"\t\t{mdp.num_states} : {rest[row]!r}\n"
    if sink:
        yield from _same(f"state {mdp.num_states} [0]\n", names, [(mdp.num_states, 1.0)])
    if fresh:
        yield from _same(
            f"state {states - 1} [0] init\n", names, [(state, float(mdp.initial[state])) for state in starts]
        )


def _same(head: str, names: tuple[str, ...], row: list[tuple[int, float]]) -> Lines:
    """A state in which every action does the same and earns nothing."""
    yield head
    for name in names:
        yield f"\taction {name} [0]\n"
        for target, probability in row:
            yield f"\t\t{target} : {probability!r}\n"


def _plain(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names that are identifiers; a number tells apart those that are now alike."""
    plain: list[str] = []
    for place, name in enumerate(names):
        word = re.sub(r"\W|^(?=\d)", "_", name, flags=re.ASCII)
        while word in plain:
            word = f"{word}_{place}"
        plain.append(word)
    return tuple(plain)


def _integers(features: Features) -> tuple[np.ndarray, tuple[Floats | None, ...]]:
    """Features as integers: themselves, or their ranks together with the values."""
    table = np.empty(features.shape, dtype=np.int64)
    values: list[Floats | None] = []
    for feature, column in enumerate(features.T):
        if (column == np.rint(column)).all() and (np.abs(column) < 2**31).all():
            table[:, feature] = column.astype(np.int64)
            values.append(None)
        else:
            known, table[:, feature] = np.unique(column, return_inverse=True)
            values.append(frozen_array(known, np.float64))
    return table, tuple(values)


def _write(path: Path, lines: Lines) -> None:
    with whole_file(path) as stream:
        stream.writelines(line.encode() for line in lines)
