"""Actions of a file model: by label, or by the command that a choice comes from."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spotree.common.arrays import Ints
from spotree.errors import ReadError
from spotree.readers.explicit_model import ExplicitModel
from spotree.readers.options import ActionMapping

UNLABELLED = "unlabelled"


def name_actions(model: ExplicitModel, mapping: ActionMapping) -> tuple[Ints, list[str], str]:
    """[choice] -> action, the action names, and a sentence that says what was done.

    "labels": choices without a label share one action; choices of a state with the same label are one action.
    "commands": a command without a label is an action of its own; a label that covers several choices of some state
    is told apart by the commands behind it, or by counting where these are unknown.
    """
    if mapping == "labels":
        action_of, names = _index([kind.label or UNLABELLED for kind in model.kinds], model.kind_of)
        shared = np.unique(model.state_of[_repeats(model.state_of, action_of)])
        note = "by label"
        if len(shared):
            note += f"; in {len(shared)} states a label covers several choices and picks one of them uniformly"
        return action_of, names, note
    action_of, names = _index([kind.label or kind.command or UNLABELLED for kind in model.kinds], model.kind_of)
    ambiguous = np.zeros(len(names), dtype=bool)
    ambiguous[action_of[_repeats(model.state_of, action_of)]] = True
    if ambiguous.any():
        told_apart = [
            f"{kind.label or UNLABELLED} {kind.command}" if ambiguous[names.index(name)] and kind.command else name
            for kind in model.kinds
            for name in [kind.label or kind.command or UNLABELLED]
        ]
        action_of, names = _index(told_apart, model.kind_of)
        action_of, names = _counted(model.state_of, action_of, names)
    return action_of, names, "by label, unlabelled commands on their own"


def needs_commands(model: ExplicitModel) -> bool:
    """Whether labels alone do not tell the choices of every state apart, or some have none."""
    used = np.unique(model.kind_of)
    unlabelled = any(not model.kinds[kind].label for kind in used)
    return unlabelled or len(_repeats(model.state_of, model.kind_of)) > 0


def drop(action_of: Ints, names: list[str], dropped: Sequence[str]) -> tuple[np.ndarray, Ints, list[str]]:
    """[choice] whether it stays, the actions of all choices renumbered, and the names that remain."""
    for name in dropped:
        if name not in names:
            raise ReadError(f"drop_actions: there is no action {name!r}; known: {', '.join(names)}")
    stays = np.array([name not in dropped for name in names])
    return stays[action_of], (np.cumsum(stays) - 1)[action_of], [name for name in names if name not in dropped]


def _index(name_of_kind: list[str], kind_of: Ints) -> tuple[Ints, list[str]]:
    """Actions in a fixed order: by name, numbers inside a name counted as numbers, the unlabelled last."""
    used = np.bincount(kind_of, minlength=len(name_of_kind)) > 0
    names = sorted({name for name, seen in zip(name_of_kind, used, strict=True) if seen}, key=_natural)
    place = {name: index for index, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in name_of_kind])[kind_of], names


def _natural(name: str) -> tuple[bool, list[tuple[bool, int, str]]]:
    parts = re.findall(r"\d+|\D+", name)
    return name.startswith(UNLABELLED) or "#" in name, [
        (False, int(part[:18]), part) if part[0].isdecimal() else (True, 0, part) for part in parts
    ]


def in_order(state_of: Ints, action_of: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """The choices by state and action, and which of them are the first with theirs."""
    order = np.lexsort((action_of, state_of))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (np.diff(state_of[order]) != 0) | (np.diff(action_of[order]) != 0)
    return order, fresh


def _repeats(state_of: Ints, action_of: Ints) -> Ints:
    """Choices whose action an earlier choice of the same state has."""
    order, fresh = in_order(state_of, action_of)
    return order[~fresh]


def _counted(state_of: Ints, action_of: Ints, names: list[str]) -> tuple[Ints, list[str]]:
    """Where a state still has an action twice, its first, second ... choice become actions of their own."""
    order, fresh = in_order(state_of, action_of)
    begin = np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order)) - begin
    if not turn.any():
        return action_of, names
    repeated = np.zeros(len(names), dtype=bool)
    repeated[action_of[turn > 0]] = True
    turns = int(turn.max()) + 1
    kind_names = [f"{name} {k + 1}" if repeated[i] else name for i, name in enumerate(names) for k in range(turns)]
    return _index(kind_names, action_of * turns + turn)
