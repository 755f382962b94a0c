"""Sweeps of value iteration as the search makes them, several states at a time where that gives the same.

Nothing stands on these values: whatever they are, lemma 1 is checked on them (plain.py).
"""

import itertools
from collections.abc import Iterator

import numpy as np

from spotree.certificates.reference.subproblem import World
from spotree.common.arrays import Floats

FEW = 4  # worlds: so many are not worth to be brought together
PER_LAYER = 2000  # entries take as long as the first step into a layer
BARRED = -1e200  # what a row is worth that a world does not have: less than any other, and sums of it stay finite
Sweeps = tuple[World, Floats, int]  # where sweeps begin, and how many they are
Step = tuple[np.ndarray, ...]


def walked(num_states: int, source: np.ndarray, target: np.ndarray) -> list[int]:
    """States as a depth-first walk leaves them that takes states and next states as they stand in the model."""
    begin = np.searchsorted(source, np.arange(num_states + 1)).tolist()
    following, seen, order = target.tolist(), [False] * num_states, []
    for first in range(num_states):
        if seen[first]:
            continue
        seen[first], stack = True, [(first, begin[first])]
        while stack:
            state, at = stack.pop()
            while at < begin[state + 1] and seen[following[at]]:
                at += 1
            if at == begin[state + 1]:
                order.append(state)
            else:
                seen[following[at]] = True
                stack += [(state, at), (following[at], begin[following[at]])]
    return order


def layered(order: list[int], source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """[state] its layer: a sweep may take all states of a layer at once, as they do not wait for each other.

    `source` and `target` list each pair of a state and a next state once.
    """
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order))
    behind, ahead = place[source], place[target]
    other = behind != ahead
    one, two = np.minimum(behind, ahead)[other], np.maximum(behind, ahead)[other]
    after = (ahead < behind)[other].tolist()  # one that looks at an earlier one waits for it
    layer, by = [0] * len(order), np.lexsort((one, two))
    for k, earlier, later in zip(by.tolist(), one[by].tolist(), two[by].tolist(), strict=True):
        layer[later] = max(layer[later], layer[earlier] + after[k])
    return np.array(layer, int)[place]


def swept(asked: list[Sweeps], everything: World, layer: np.ndarray, pay: Floats, weight: Floats) -> list[Floats]:
    """Values after the sweeps that are asked for: states take the largest pay + weight * value of their rows.

    Worlds side by side have the rows that any of them has. When half of them have had their sweeps, the others go on
    without them.
    """
    if len(asked) < FEW or len(everything.entries) > PER_LAYER * (int(layer.max()) + 1):
        return [swept_alone(*one, layer, pay, weight) for one in asked]
    until = sorted(sweeps for _, _, sweeps in asked)[len(asked) // 2]
    value = np.stack([start for _, start, _ in asked], axis=1)  # [state, world]
    steps = steps_beside([world for world, _, _ in asked], everything, layer, pay, weight) if until else []
    found: dict[int, Floats] = {}
    for sweep in range(until + 1):
        for states, begins, gain, where, likely, onward in steps if sweep else ():
            worth = likely * value[onward]
            worth = gain + (np.add.reduceat(worth, where, axis=0) if len(where) < len(worth) else worth)
            value[states] = np.maximum.reduceat(worth, begins, axis=0) if len(begins) < len(worth) else worth
        for k, (world, start, sweeps) in enumerate(asked):
            if sweeps == sweep or (sweep == until and sweeps > until):
                found[k] = np.where(world.states, value[:, k], start)
    late = [k for k, (_, _, sweeps) in enumerate(asked) if sweeps > until]
    more = [(asked[k][0], found[k], asked[k][2] - until) for k in late]
    found |= dict(zip(late, swept(more, everything, layer, pay, weight), strict=True))
    return [found[k] for k in range(len(asked))]


def swept_alone(world: World, start: Floats, sweeps: int, layer: np.ndarray, pay: Floats, weight: Floats) -> Floats:
    """The same in one world."""
    value = start.copy()
    steps = steps_alone(world, layer, pay, weight) if sweeps else []
    for _ in range(sweeps):
        for states, begins, gain, where, likely, onward in steps:
            worth = gain + np.bincount(where, likely * value[onward], len(gain))
            value[states] = np.maximum.reduceat(worth, begins)
    return value


def steps_alone(world: World, layer: np.ndarray, pay: Floats, weight: Floats) -> list[Step]:
    """For each layer: states, where their rows begin, pay of these; row, weight and target of their entries."""
    gain, likely = pay[world.rows], weight[world.entries]
    return [
        (states, begins, gain[a:b], world.row_of[c:d] - a, likely[c:d], world.target[c:d])
        for states, begins, (a, b), (c, d) in in_layers(layer[world.state], world.state, world.row_of)
    ]


def steps_beside(
    worlds: list[World], everything: World, layer: np.ndarray, pay: Floats, weight: Floats
) -> list[Step]:
    """The same with pay [row, world], and where the entries of a row begin; each row has one at least."""
    has, place = np.zeros(len(pay), bool), np.empty(len(pay), int)
    for world in worlds:
        has[world.rows] = True
    union = everything.part(everything.states, everything.groups, has[everything.rows])
    place[union.rows] = np.arange(len(union.rows))
    gain = np.full((len(union.rows), len(worlds)), BARRED)
    for k, world in enumerate(worlds):
        gain[place[world.rows], k] = 0.0
    gain += pay[union.rows, None]
    without = np.flatnonzero(np.bincount(union.row_of, minlength=len(union.rows)) == 0)
    row = np.concatenate([union.row_of, without])
    by = np.argsort(row, kind="stable")
    row, target = row[by], np.concatenate([union.target, union.state[without]])[by]
    likely = np.concatenate([weight[union.entries], np.zeros(len(without))])[by, None]
    first = np.searchsorted(row, np.arange(len(union.rows)))  # [row]
    return [
        (states, begins, gain[a:b], first[a:b] - c, likely[c:d], target[c:d])
        for states, begins, (a, b), (c, d) in in_layers(layer[union.state], union.state, row)
    ]


def in_layers(
    layer: np.ndarray, state: np.ndarray, row: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, tuple[int, int], tuple[int, int]]]:
    """States of each layer, where the rows of each begin, and the span of these and of their entries.

    Given are layer and state of each row, the row of each entry.
    """
    cut = np.flatnonzero(np.diff(layer, prepend=-1, append=-1))  # where layers begin and end
    number = np.repeat(np.arange(len(cut) - 1), np.diff(cut))  # [row] its layer
    first = np.flatnonzero(np.diff(state, prepend=-1))  # [reached state, in the order of the sweep]
    states, at = state[first], first - cut[number[first]]
    cuts = (edges.tolist() for edges in (cut, np.searchsorted(row, cut), np.searchsorted(first, cut)))
    for rows, entries, (e, f) in zip(*map(itertools.pairwise, cuts), strict=True):
        yield states[e:f], at[e:f], rows, entries
