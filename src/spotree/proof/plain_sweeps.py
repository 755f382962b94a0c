"""Sweeps of value iteration as the search makes them, several states at a time where that gives the same.

Nothing stands on these values: whatever they are, lemma 1 is checked on them (plain.py).
"""

import itertools

import numpy as np

from spotree.axes import Floats
from spotree.proof.plain_world import World

LARGE = 20_000  # entries of a world: bringing more of them together takes longer than it saves
Sweeps = tuple[World, Floats, int]  # where sweeps begin, and how many they are


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


def swept(asked: list[Sweeps], layer: np.ndarray, pay: Floats, weight: Floats) -> list[Floats]:
    """Values after the sweeps that are asked for: states take the largest pay + weight * value of their rows.

    Worlds side by side are one world, in which a sweep takes no more steps than in one of them. When half of them
    have had their sweeps, the others go on without them.
    """
    if not asked:
        return []
    if len(asked) > 1 and max(len(world.entries) for world, _, _ in asked) > LARGE:
        return [swept([one], layer, pay, weight)[0] for one in asked]
    until = sorted(sweeps for _, _, sweeps in asked)[len(asked) // 2]
    value = np.concatenate([start for _, start, _ in asked])
    part = value.reshape(len(asked), -1)  # [world, state]
    found = {k: part[k].copy() for k, (_, _, sweeps) in enumerate(asked) if sweeps == 0}
    if until > 0:
        rows = (beside if len(asked) > 1 else alone)([world for world, _, _ in asked], layer, pay, weight)
        steps = in_steps(*rows)
    for sweep in range(1, until + 1):
        for those, begins, gain, where, likely, onward in steps:
            worth = gain + np.bincount(where, likely * value[onward], len(gain))
            value[those] = np.maximum.reduceat(worth, begins)
        found |= {k: part[k].copy() for k, (_, _, sweeps) in enumerate(asked) if sweeps == sweep}
    late = [k for k in range(len(asked)) if k not in found]
    more = [(asked[k][0], part[k], asked[k][2] - until) for k in late]
    found |= dict(zip(late, swept(more, layer, pay, weight), strict=True))
    return [found[k] for k in range(len(asked))]


def alone(worlds: list[World], layer: np.ndarray, pay: Floats, weight: Floats) -> list[np.ndarray]:
    """Layer, state and pay of the rows of one world; row, target and weight of its entries."""
    (world,) = worlds
    rows, entries = [layer[world.state], world.state, pay[world.rows]], [world.row_of, world.target]
    return [*rows, *entries, weight[world.entries]]


def beside(worlds: list[World], layer: np.ndarray, pay: Floats, weight: Floats) -> list[np.ndarray]:
    """The same of several worlds side by side, whose states are numbered one world after the other."""
    each = [alone([world], layer, pay, weight) for world in worlds]
    of_row, state, earned, row, target, chance = (np.concatenate(parts) for parts in zip(*each, strict=True))
    rows, entries = ([len(part[k]) for part in each] for k in (0, 3))
    number = np.arange(len(worlds))
    state = state + np.repeat(number * len(layer), rows)
    target = target + np.repeat(number * len(layer), entries)
    row = row + np.repeat(np.cumsum([0, *rows[:-1]]), entries)
    by = np.argsort(of_row, kind="stable")  # rows stand layer by layer, as they do in each world
    place = np.empty(len(by), int)
    place[by] = np.arange(len(by))
    row = place[row]
    then = np.argsort(row, kind="stable")
    return [of_row[by], state[by], earned[by], row[then], target[then], chance[then]]


def in_steps(
    layer: np.ndarray, state: np.ndarray, earned: Floats, row: np.ndarray, target: np.ndarray, chance: Floats
) -> list[tuple[np.ndarray, ...]]:
    """For each layer of rows [row] with their entries [entry]: states, where their rows begin, and what these are."""
    cut = np.flatnonzero(np.diff(layer, prepend=-1, append=-1))  # where layers begin and end
    number = np.repeat(np.arange(len(cut) - 1), np.diff(cut))  # [row] its layer
    first = np.flatnonzero(np.diff(state, prepend=-1))  # [reached state, in the order of the sweep]
    states, at, where = state[first], first - cut[number[first]], row - cut[number[row]]
    cuts = (edges.tolist() for edges in (cut, np.searchsorted(row, cut), np.searchsorted(first, cut)))
    return [
        (states[e:f], at[e:f], earned[a:b], where[c:d], chance[c:d], target[c:d])
        for (a, b), (c, d), (e, f) in zip(*map(itertools.pairwise, cuts), strict=True)
    ]
