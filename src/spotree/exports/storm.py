"""The policy as a table in the shape of Storm's scheduler JSON: per state its variables, and what is chosen there."""

import json
from typing import Any

import numpy as np

from spotree.evaluation.policy import actions_of
from spotree.exports.formatting import GivenPolicy, named_policy
from spotree.mdp.model import MDP


def to_storm(policy: GivenPolicy, mdp: MDP) -> str:
    """What `storm --exportscheduler file.json` would write for the policy: a list of {"s": ..., "c": [...]}.

    "s" holds the features of a state by name where they identify it, else its number. "c" lists the choices with
    their labels (the action) and probabilities; "index" counts the choices of the model as `write_drn` writes it. An
    action that is missing is several choices at random under the rule "random" and "undefined" under the others, which
    no scheduler can express.
    """
    actions = actions_of(mdp, named_policy(policy))
    real = mdp.choice_action >= 0
    index_of = np.cumsum(real) - 1
    names = _state_names(mdp)
    entries = [
        {"c": _choices(mdp, state, int(action), real, index_of), "s": name}
        for state, (action, name) in enumerate(zip(actions, names, strict=True))
    ]
    return json.dumps(entries, indent=1) + "\n"


def _choices(mdp: MDP, state: int, action: int, real: np.ndarray, index_of: np.ndarray) -> list[Any] | str:
    row = int(mdp.choice_of[state, action])
    if row >= 0 and real[row]:
        rows = [row]
    elif row >= 0 and mdp.missing == "random":
        rows = [choice for choice in range(mdp.choice_start[state], mdp.choice_start[state + 1]) if real[choice]]
    else:
        return "undefined"
    return [
        {
            "index": int(index_of[choice]),
            "labels": [mdp.action_names[mdp.choice_action[choice]]],
            "prob": 1.0 / len(rows),
        }
        for choice in rows
    ]


def _state_names(mdp: MDP) -> list[Any]:
    """What each state is called: its features if no other state has the same, else its number."""
    if len(np.unique(mdp.features, axis=0)) < mdp.num_states:
        return [int(number) for number in mdp.state_number]
    return [dict(zip(mdp.feature_names, map(_plain, row), strict=True)) for row in mdp.features.tolist()]


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value
