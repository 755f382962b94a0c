"""Visits that every tree pays, found from below in several worlds side by side (lemma 3 of docs/proof.md).

Nothing stands on how they are found: whatever they are, the inequality of the lemma is checked on them (plain.py).
"""

import itertools
from dataclasses import dataclass

import numpy as np

from spotree.certificates.reference.subproblem import World
from spotree.common.arrays import Floats

PASSES = 12  # through all layers; who needs more goes on alone


@dataclass(frozen=True, slots=True, eq=False)
class Least:
    """Pairs (state, next state) that no allowed policy avoids, and the least probability of each: Pmin of lemma 3."""

    pair: np.ndarray  # [pair] its number in the model
    source: np.ndarray  # [pair]
    target: np.ndarray  # [pair]
    chance: Floats  # [pair]

    def arriving(self, visits: Floats) -> Floats:
        """[state] visits that come from visits, for certain."""
        found: np.ndarray = np.bincount(self.target, self.chance * visits[self.source], len(visits))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """What is asked for: visits that rise from some that hold, until they change by no more than enough."""

    world: World
    onward: Least  # to other states, discounted, as if each state were left at once
    begun: Floats  # [state] visits that begin there
    start: Floats  # [state]
    enough: float  # in sum over states


def visited(asked: list[Visits], source: np.ndarray, target: np.ndarray, layer: np.ndarray) -> list[Floats]:
    """Visits after passes from state to next state, layer by layer; `source` and `target` are the model's pairs."""
    visits = np.stack([each.start for each in asked], axis=1)  # [state, world]
    begun = np.stack([each.begun for each in asked], axis=1)
    used = np.zeros(len(source), bool)
    for each in asked:
        used[each.onward.pair] = True
    pair = np.flatnonzero(used)
    pair = pair[np.lexsort((target[pair], -layer[target[pair]]))]  # layers that others lead to come later
    place = np.empty(len(source), int)
    place[pair] = np.arange(len(pair))
    weight = np.zeros((len(pair), len(asked)))
    for k, each in enumerate(asked):
        weight[place[each.onward.pair], k] = each.onward.chance
    source, target = source[pair], target[pair]
    first = np.flatnonzero(np.diff(target, prepend=-1))  # [state that is led to]
    states = target[first]
    cut = np.flatnonzero(np.diff(layer[states], prepend=-1, append=-1))
    spans = [
        (a, b, first[a], first[b] if b < len(first) else len(pair)) for a, b in itertools.pairwise(cut.tolist())
    ]
    steps = [(states[a:b], first[a:b] - c, source[c:d], weight[c:d], begun[states[a:b]]) for a, b, c, d in spans]
    change = np.full(len(asked), np.inf)
    enough = np.array([each.enough for each in asked])
    for _ in range(PASSES):
        if (change <= enough).all():
            break
        before = visits.copy()
        for those, begins, come, likely, here in steps:
            more = likely * visits[come]
            more = here + (np.add.reduceat(more, begins, axis=0) if len(begins) < len(more) else more)
            visits[those] = np.maximum(visits[those], more)
        change = (visits - before).sum(axis=0)
    return list(visits.T.copy())
