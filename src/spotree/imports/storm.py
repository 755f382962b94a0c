"""Storm's scheduler JSON as a table of actions, one for each state of a model."""

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from spotree.common.arrays import ActionOf
from spotree.common.untrusted import ClaimError, in_short, json_bytes, regular_bytes
from spotree.errors import ReadError
from spotree.mdp.model import MDP

LARGEST_FILE = 2**30  # bytes
UNLABELLED = "unlabelled"


def read_scheduler(path: str | os.PathLike[str], mdp: MDP) -> ActionOf:
    """[state] the action that `storm --exportscheduler file.json` wrote for it.

    States are matched by the variables that are features of the model (or by number, where the file has no
    variables), choices by their labels; an unlabelled command by its guard. A state that the file leaves out, or leaves
    undefined, must have a single choice.
    """
    try:
        entries = json_bytes(regular_bytes(path, LARGEST_FILE))
        if not isinstance(entries, list):
            raise ClaimError(f"the document is {in_short(entries)}; it must be a list of states")
        choices = _by_state(entries, mdp)
        return np.array(
            [_action(choices.get(state), state, mdp) for state in range(mdp.num_states)], dtype=np.int32
        )
    except ClaimError as error:
        raise ReadError(f"{path}: not a scheduler of this model ({error})") from None


def _by_state(entries: Iterable[Any], mdp: MDP) -> dict[int, Any]:
    """State -> its choices as the file says them."""
    by_values = {tuple(row): state for state, row in enumerate(mdp.features.tolist())}
    by_number = {int(number): state for state, number in enumerate(mdp.state_number)}
    found: dict[int, Any] = {}
    for place, entry in enumerate(entries):
        if not isinstance(entry, dict) or "s" not in entry or "c" not in entry:
            raise ClaimError(f"entry {place} is {in_short(entry)}; it must have s and c")
        where = entry["s"]
        if isinstance(where, dict):
            if len(by_values) < mdp.num_states:
                raise ClaimError("the features of the model do not identify its states; read it with all variables")
            state = by_values.get(_values(where, place, mdp))
        else:
            state = by_number.get(where) if type(where) is int else None
            if state is None:
                raise ClaimError(f"entry {place}: there is no state {in_short(where)}")
        if state is not None:  # else the model has left it out, as nothing leads there
            if state in found:
                raise ClaimError(f"entry {place}: state {mdp.state_number[state]} occurs twice")
            found[state] = entry["c"]
    return found


def _values(where: dict[str, Any], place: int, mdp: MDP) -> tuple[float, ...]:
    for name in mdp.feature_names:
        if not isinstance(where.get(name), bool | int | float):
            raise ClaimError(
                f"entry {place}: variable {name!r} is {in_short(where.get(name))}; it must be a number"
            )
    return tuple(float(where[name]) for name in mdp.feature_names)


def _action(choices: Any, state: int, mdp: MDP) -> int:
    number = mdp.state_number[state]
    rows = range(mdp.choice_start[state], mdp.choice_start[state + 1])
    offered = [int(mdp.choice_action[row]) for row in rows if mdp.choice_action[row] >= 0]
    over = all(mdp.row_start[row] == mdp.row_start[row + 1] for row in rows)  # nothing is left to decide
    if over or len(offered) == 1:
        return offered[0]
    if choices is None or choices == "undefined":
        raise ClaimError(f"nothing is said of state {number}, which has {len(offered)} choices")
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices) or not choices:
        raise ClaimError(f"state {number}: c is {in_short(choices)}; it must be a list of choices")
    if len(choices) > 1:
        raise ClaimError(f"state {number}: one of {len(choices)} choices at random; a table holds one action")
    name = _name(choices[0], mdp)
    if name not in mdp.action_names:
        raise ClaimError(f"state {number}: the choice {in_short(name)} is no action of the model")
    return mdp.action_names.index(name)


def _name(choice: dict[str, Any], mdp: MDP) -> str | None:
    """The action's name: the label, or the unlabelled command by its guard, as the reader noted it."""
    labels = choice.get("labels")
    if isinstance(labels, list) and len(labels) == 1 and isinstance(labels[0], str):
        return labels[0]
    if UNLABELLED in mdp.action_names:
        return UNLABELLED
    origin = choice.get("origin")
    parts = origin.get("transitions") if isinstance(origin, dict) else None
    if not isinstance(parts, list) or len(parts) != 1 or not isinstance(parts[0], dict):
        return None
    module, guard = parts[0].get("module"), parts[0].get("guard")
    alike = [
        name
        for line in mdp.notes.get("commands", "").split("; ")
        for name, _, said in [line.partition(" is ")]
        if said == guard and name.startswith(f"{module}#")
    ]
    return alike[0] if len(alike) == 1 else None
