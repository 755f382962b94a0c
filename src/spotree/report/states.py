"""The states of a report, first those with a choice that are visited most, and the chain that the tree makes."""

import json
import re
from typing import Any

import numpy as np

from spotree.common.arrays import Ints
from spotree.evaluation import policy_value
from spotree.mdp import MDP
from spotree.report.node_statistics import Anatomy
from spotree.report.summary import exact, short, shorts

LARGEST_SIDE = 40
MOST_MAPS = 400
_PAIRS = (("x", "y"), ("col", "row"), ("column", "row"))


def find_grid(mdp: MDP) -> dict[str, Any] | None:
    """The two features of a place and the direction of y; None where there are none.

    Where there are several pairs, as for hunter and prey, the actions move one of them most: that one is drawn, the
    others are marks on its map.
    """
    pairs = [pair for pair in _named_pairs(mdp.feature_names) if all(_few_whole(mdp, f) for f in pair)]
    if not pairs:
        return None
    x, y = max(pairs, key=lambda pair: sum(_moved(mdp, feature) for feature in pair))
    others = [feature for feature in range(mdp.num_features) if feature not in (x, y)]
    maps = len(np.unique(mdp.features[:, others], axis=0)) if others else 1
    if maps > MOST_MAPS:
        return None
    marks = [list(pair) for pair in pairs if pair != (x, y)]
    return {"x": x, "y": y, "others": others, "marks": marks, "up": _up(mdp, y)}


def _named_pairs(names: tuple[str, ...]) -> list[tuple[int, int]]:
    low = [name.lower() for name in names]
    found = []
    for one, two in _PAIRS:
        for number, name in enumerate(low):
            match = re.fullmatch(rf"(.*?){one}(.*)", name)
            if (
                match
                and (match[1] == "" or not match[1][-1].isalnum())
                and (match[2] == "" or not match[2][0].isalpha())
            ):
                other = match[1] + two + match[2]
                if other in low:
                    found.append((number, low.index(other)))
    return found


def _few_whole(mdp: MDP, feature: int) -> bool:
    values = np.unique(mdp.features[:, feature])
    return bool((values == np.round(values)).all() and values[-1] - values[0] < LARGEST_SIDE and len(values) > 1)


def _moved(mdp: MDP, feature: int) -> float:
    """How far apart the actions of a state lead, summed over the states."""
    expected = (mdp.rows @ mdp.features[:, feature])[np.maximum(mdp.choice_of, 0)]
    return float((expected.max(axis=1) - expected.min(axis=1)).sum())


def _up(mdp: MDP, y: int) -> bool:
    """Whether a larger y is further up: so if an action called up makes it larger."""
    column = mdp.features[:, y]
    for name, sign in (("up", 1), ("north", 1), ("down", -1), ("south", -1)):
        for action, called in enumerate(mdp.action_names):
            if called.lower() == name:
                row = mdp.choice_of[:, action]
                change = (mdp.rows @ column)[row[row >= 0]] - column[row >= 0]
                return bool(sign * change.mean() > 0)
    return False


MOST_BYTES = 300_000  # of the states, and of the chain


def report_states(mdp: MDP, parts: Anatomy) -> tuple[dict[str, Any], Ints]:
    """The table of states as columns, and the numbers of the states in it."""
    order = np.lexsort((np.arange(mdp.num_states), -parts.visits, -parts.share))
    listed = order[: _how_many(mdp, parts, order)]
    return _columns(mdp, parts, listed) | {
        "complete": len(listed) == mdp.num_states,
        "total": mdp.num_states,
        "reached": int(np.count_nonzero(parts.visits > 0)),
    }, listed


def _how_many(mdp: MDP, parts: Anatomy, order: Ints) -> int:
    """As many of the first states as fit, judged by a sample of them."""
    sample = order[:: max(1, len(order) // 200)]
    each = len(json.dumps(_columns(mdp, parts, sample), separators=(",", ":"))) / len(sample)
    return max(1, min(len(order), int(MOST_BYTES / each)))


def _columns(mdp: MDP, parts: Anatomy, listed: Ints) -> dict[str, Any]:
    value = policy_value(mdp, parts.action)[listed]
    many = mdp.num_actions > 12
    return {
        "number": mdp.state_number[listed].tolist(),
        "features": [[exact(value) for value in row] for row in mdp.features[listed]],
        "action": parts.action[listed].tolist(),
        "best": parts.best.actions[listed].tolist(),
        "value": shorts(value),
        "optimal_value": shorts(parts.best.values[listed]),
        "action_values": None if many else [shorts(row) for row in parts.action_value[listed]],
        "visits": shorts(parts.visits[listed]),
        "regret": shorts(np.where(parts.differs, parts.regret, 0.0)[listed]),
        "missing": parts.missing[listed].astype(int).tolist(),
        "choice": parts.choice[listed].astype(int).tolist(),
        "available": [_mask(row) for row in mdp.available[listed]],
    }


def _mask(row: np.ndarray) -> str:
    return "".join("1" if offered else "0" for offered in row)


def report_chain(mdp: MDP, parts: Anatomy, listed: Ints) -> dict[str, Any]:
    """Where the tree leads from each listed state; says why not where that does not fit."""
    place = np.full(mdp.num_states, -1)
    place[listed] = np.arange(len(listed))
    reached = np.flatnonzero(parts.visits > 0)
    if (place[reached] < 0).any():
        missing = int(np.count_nonzero(place[reached] < 0))
        return {"reason": f"{missing:,} of {len(reached):,} states that the tree comes to are not on this page"}
    steps: dict[str, list[list[Any]]] = {}
    rewards: dict[str, float | None] = {}
    size = 0
    for state in reached:
        row = mdp.choice_of[state, parts.action[state]]
        entries = slice(mdp.row_start[row], mdp.row_start[row + 1])
        follows = zip(mdp.target[entries], mdp.probability[entries], strict=True)
        key = str(place[state])
        steps[key] = [[int(place[target]), short(chance)] for target, chance in follows if chance > 0]
        rewards[key] = short(mdp.reward_of_choice[row])
        size += 12 + 12 * len(steps[key])
        if size > MOST_BYTES:
            return {"reason": f"the {len(reached):,} states that the tree comes to have too many transitions"}
    starts = np.flatnonzero(mdp.initial)
    return {
        "initial": [[int(place[state]), short(mdp.initial[state])] for state in starts],
        "steps": steps,
        "rewards": rewards,
    }
