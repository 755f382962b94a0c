"""An MDP written as dtPAYNT takes it: Storm's explicit DRN, the features beside it, the property to maximise."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from spotree.common.arrays import Features, Floats, frozen_array
from spotree.common.atomic_file import whole_file
from spotree.errors import InvalidModelError
from spotree.mdp import MDP
from spotree.readers.drn.reader import VALUATIONS

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
    for number, name in enumerate(names):
        word = re.sub(r"\W|^(?=\d)", "_", name, flags=re.ASCII)
        while word in plain:
            word = f"{word}_{number}"
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
