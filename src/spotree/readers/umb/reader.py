"""UMB, the unified Markov binary format, read with NumPy alone."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spotree.common.arrays import Floats, Ints
from spotree.common.untrusted import ClaimError
from spotree.errors import ReadError
from spotree.mdp.model import MDP
from spotree.readers.explicit_model import ExplicitModel, Kind, RewardStructure
from spotree.readers.options import ReadOptions
from spotree.readers.select import choose
from spotree.readers.umb.archive import INDEX, Archive
from spotree.readers.umb.valuations import ValuationError, record_bytes, unpack


def read_umb(path: Path, options: ReadOptions) -> MDP:
    """The MDP of a .umb file; a file that spotree wrote comes back bit for bit."""
    options.refuse("a .umb file, whose constants are fixed", "constants")
    return choose(load_umb(path), options, source=str(path))


def load_umb(path: Path) -> ExplicitModel:
    """Everything a .umb file says that spotree can use."""
    archive = Archive(path)
    index = archive.json("index.json")
    try:
        INDEX("", index)
    except ClaimError as error:
        raise ReadError(f"{path}: index.json is incomplete or malformed: {error}") from None
    return _model(archive, index)


def _model(archive: Archive, index: dict[str, Any]) -> ExplicitModel:
    path, system = archive.path, index["transition-system"]
    _refuse_what_is_no_mdp(path, index)
    num_states, num_choices, num_branches = system["#states"], system["#choices"], system["#branches"]
    # From branches to states: where a member may be left out, its length is that of one which was there.
    target = archive.array("branch-to-target.bin", "<u8", num_branches)
    if num_branches and not target.max() < num_states:
        raise ReadError(f"{path}: branch-to-target.bin names a state beyond the {num_states} there are")
    target = target.astype(np.int64)
    row_start = archive.offsets("choice-to-branches.bin", num_choices, num_branches)
    choice_start = archive.offsets("state-to-choices.bin", num_states, num_choices)
    initial = archive.bits("state-is-initial.bin", num_states)
    if not initial.any():
        raise ReadError(f"{path}: no state is initial")
    probability: Floats = np.ones(num_branches)
    if "branch-probability-type" in system:
        probability = archive.array("branch-to-probability.bin", "<f8", num_branches)
    kind_of, kinds = _kinds(archive, system, num_choices)
    annotations = index.get("annotations", {})
    rewards = {
        alias: _reward(archive, f"annotations/rewards/{name}", entry, row_start, probability, num_states)
        for alias, name, entry in _called(path, annotations.get("rewards", {}))
    }
    labels = {
        alias: archive.bits(f"annotations/aps/{name}/states/values.bin", num_states)
        for alias, name, _ in _called(path, annotations.get("aps", {}))
    }
    variables, left_out = _variables(archive, index, num_states)
    model = ExplicitModel(
        choice_start=choice_start,
        row_start=row_start,
        target=target,
        probability=probability,
        kind_of=kind_of,
        kinds=kinds,
        initial=initial / initial.sum(),
        rewards=rewards,
        labels={"init": initial, **labels},
        variables=variables,
        left_out=left_out,
        extension=_extension(archive, index, num_states),
    )
    return _without_sink(path, model) if model.extension.get("sink") else model


def _called(path: Path, entries: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """What an annotation is called, its folder and its entry; no two are called the same."""
    seen = set()
    for name, entry in entries.items():
        alias = entry.get("alias", name)
        if alias in seen:
            raise ReadError(f"{path}: two annotations are called {alias!r}")
        seen.add(alias)
        yield alias, name, entry


def _refuse_what_is_no_mdp(path: Path, index: Mapping[str, Any]) -> None:
    system = index["transition-system"]
    if index.get("format-version", 1) != 1:
        raise ReadError(f"{path}: UMB version {index['format-version']}; only version 1 can be read")
    if system["time"] != "discrete":
        raise ReadError(f"{path}: the model's time is {system['time']!r}; only discrete-time models can be read")
    if system["#players"] > 1:
        raise ReadError(f"{path}: a game of {system['#players']} players; only MDPs and Markov chains can be read")
    if system.get("#observations", 0):
        raise ReadError(
            f"{path}: partially observable ({system['#observations']} observations); only MDPs can be read"
        )
    kind = system.get("branch-probability-type", {"type": "double"})["type"]
    if kind != "double":
        raise ReadError(
            f"{path}: probabilities are of type {kind!r}; export the model with plain double probabilities"
        )


def _kinds(archive: Archive, system: Mapping[str, Any], num_choices: int) -> tuple[Ints, tuple[Kind, ...]]:
    if system["#players"] == 0:  # a Markov chain: its labels are no choices
        return np.zeros(num_choices, dtype=np.int64), (Kind("step"),)
    number = system.get("#choice-actions", 0)
    folder = "actions/choices"
    if number == 0 or f"{folder}/values.bin" not in archive:
        kind_of = np.zeros(num_choices, dtype=np.int64)
    else:
        kind_of = archive.array(f"{folder}/values.bin", "<u4", num_choices).astype(np.int64)
        if num_choices and kind_of.max() >= number:
            raise ReadError(f"{archive.path}: {folder}/values.bin names action {kind_of.max()} of {number}")
    if number == 0:
        return kind_of, (Kind(""),)
    if f"{folder}/strings.bin" not in archive:
        if number > max(num_choices, 1):
            raise ReadError(f"{archive.path}: {number} actions without names for {num_choices} choices")
        return kind_of, tuple(Kind(f"action{i}") for i in range(number))
    text = bytes(archive.bytes(f"{folder}/strings.bin"))
    start = archive.offsets(f"{folder}/string-mapping.bin", number, len(text))
    names = [text[start[i] : start[i + 1]].decode(errors="replace") for i in range(number)]
    return kind_of, tuple(Kind(name) for name in names)


def _reward(
    archive: Archive, folder: str, entry: Mapping[str, Any], row_start: Ints, probability: Floats, num_states: int
) -> RewardStructure:
    if entry["type"]["type"] != "double":
        raise ReadError(f"{archive.path}: {folder} is of type {entry['type']['type']!r}; rewards must be double")
    num_choices, parts = len(row_start) - 1, entry["applies-to"]
    states = archive.array(f"{folder}/states/values.bin", "<f8", num_states) if "states" in parts else None
    choices = archive.array(f"{folder}/choices/values.bin", "<f8", num_choices) if "choices" in parts else None
    if "branches" in parts:
        earned = probability * archive.array(f"{folder}/branches/values.bin", "<f8", len(probability))
        choice = np.repeat(np.arange(num_choices), np.diff(row_start))
        expected = np.bincount(choice, weights=earned, minlength=num_choices)
        choices = expected if choices is None else choices + expected
    return RewardStructure(states, choices)


def _variables(
    archive: Archive, index: Mapping[str, Any], num_states: int
) -> tuple[dict[str, Floats], dict[str, str]]:
    description = index.get("valuations", {}).get("states")
    if description is None:
        return {}, {}
    if "valuations/states/valuation-to-class.bin" in archive or len(description["classes"]) > 1:
        raise ReadError(f"{archive.path}: states have different sets of variables; a tree needs the same for all")
    entries = description["classes"][0]["variables"]
    try:
        width = record_bytes(entries)
        records = archive.array("valuations/states/valuations.bin", "u1", num_states * width)
        return unpack(records.reshape(num_states, width), entries)
    except ValuationError as error:
        raise ReadError(f"{archive.path}: {error}") from None


def _without_sink(path: Path, model: ExplicitModel) -> ExplicitModel:
    """Undo what the writer does for rows that end the episode: its last state is no state of the model."""
    sink, last_choice = model.num_states - 1, model.num_choices - 1
    stays = last_choice >= 0 and (model.target[model.row_start[last_choice] :] == sink).all()
    if not stays or model.choice_start[sink] != last_choice:
        raise ReadError(f"{path}: the last state must have one choice and stay, because the index calls it a sink")
    real = model.target[: model.row_start[last_choice]] != sink
    row_start = np.concatenate(([0], np.cumsum(real)))[model.row_start[: last_choice + 1]]
    choice = np.repeat(np.arange(last_choice), np.diff(model.row_start[: last_choice + 1]))
    ends: Floats = np.bincount(
        choice[~real], weights=model.probability[: len(real)][~real], minlength=last_choice
    ).astype(np.float64)
    return replace(
        model,
        choice_start=model.choice_start[:-1],
        row_start=row_start,
        target=model.target[: len(real)][real],
        probability=model.probability[: len(real)][real],
        kind_of=model.kind_of[:-1],
        initial=model.initial[:-1],
        rewards={
            name: RewardStructure(*(None if part is None else part[:-1] for part in (paid.states, paid.choices)))
            for name, paid in model.rewards.items()
        },
        labels={name: label[:-1] for name, label in model.labels.items()},
        variables={name: column[:-1] for name, column in model.variables.items()},
        ends=ends,
        extension={
            name: value[:-1] if isinstance(value, np.ndarray) else value for name, value in model.extension.items()
        },
    )


def _extension(archive: Archive, index: Mapping[str, Any], num_states: int) -> dict[str, Any]:
    parameters = index.get("file-data", {}).get("parameters")
    if not isinstance(parameters, dict) or "spotree" not in parameters:
        return {}
    own, folder = parameters["spotree"], "annotations/spotree"
    return {
        **own,
        "initial": archive.array(f"{folder}/initial/states/values.bin", "<f8", num_states),
        "state_number": archive.array(f"{folder}/state-number/states/values.bin", "<i8", num_states),
    }
