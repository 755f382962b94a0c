"""The states of a report, first those with a choice that are visited most, and the chain that the tree makes."""

import json
from typing import Any

import numpy as np

from spotree.common.arrays import Ints
from spotree.evaluation import policy_value
from spotree.mdp import MDP
from spotree.report.node_statistics import Anatomy
from spotree.report.numbers import exact, short, shorts

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
