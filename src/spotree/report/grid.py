"""Whether two features name a place on a grid, so that the policy can be drawn as a map."""

import re
from typing import Any

import numpy as np

from spotree.mdp import MDP

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
