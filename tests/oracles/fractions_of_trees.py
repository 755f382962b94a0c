"""Returns of all trees of a tiny model without rounding: every float64 stands for the real number that it is.

Without a discount, a row that does not end stands for itself divided by its sum, and who goes on for ever gets 0 where
nothing is paid and the episode need not end, else -inf (docs/proof.md).
"""

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from oracles.certify import labellings
from spotree.mdp.model import MDP

Exact = Fraction | float  # the float is -inf
ENDS = Fraction(1e-12)  # a row that lacks more than this to 1 ends


def exact_return(mdp: MDP, action: np.ndarray, divided: bool = True) -> Exact:
    """Return of one action per state, by elimination with fractions; -inf where a forbidden one is reached.

    Not `divided`: without a discount, rows that do not end are taken as they stand where they are left some time.
    """
    todo = np.flatnonzero(mdp.initial > 0).tolist()
    rows: dict[int, dict[int, Fraction]] = {}
    while todo:
        state = todo.pop()
        if state in rows:
            continue
        choice = mdp.choice_of[state, action[state]]
        if choice < 0:
            return -math.inf
        rows[state] = _row(mdp, int(choice), divided)
        todo += rows[state]
    reward = {i: Fraction(float(mdp.reward_of_choice[mdp.choice_of[i, action[i]]])) for i in rows}
    if mdp.discount == 1:
        for state in _for_ever(rows):
            if reward[state] != 0 or mdp.must_end:
                return -math.inf
            rows[state] = {}  # worth 0
    value = _solved(rows, reward)
    return sum((Fraction(float(mdp.initial[i])) * value[i] for i in rows if mdp.initial[i] > 0), Fraction(0))


def all_policies(mdp: MDP, depth: int, max_leaves: int | None = None) -> np.ndarray:
    """[policy, state] what trees of a size can do; one for each way in which choices can be taken."""
    most = min(max_leaves or 2**depth, 2**depth)
    label = labellings(mdp.features, depth, most, mdp.num_actions)
    chosen = mdp.choice_of[np.arange(mdp.num_states), label]
    return label[np.unique(chosen, axis=0, return_index=True)[1]]


def exact_best(mdp: MDP, depth: int, max_leaves: int | None = None) -> Exact:
    """The best return of any tree of a size."""
    return max(exact_return(mdp, label) for label in all_policies(mdp, depth, max_leaves))


def _row(mdp: MDP, choice: int, divided: bool) -> dict[int, Fraction]:
    """Next states, and what is left of a reward there."""
    row: dict[int, Fraction] = {}
    for k in range(mdp.row_start[choice], mdp.row_start[choice + 1]):
        if mdp.probability[k] > 0:
            row[int(mdp.target[k])] = row.get(int(mdp.target[k]), Fraction(0)) + Fraction(float(mdp.probability[k]))
    if mdp.discount < 1:
        return {j: Fraction(mdp.discount) * p for j, p in row.items()}
    kept = sum(row.values(), Fraction(0))
    return row if kept < 1 - ENDS or not divided else {j: p / kept for j, p in row.items()}


def _for_ever(rows: dict[int, dict[int, Fraction]]) -> Iterable[int]:
    """States of closed classes: all that they lead to leads back, and nothing ends."""
    ahead = {i: _ahead(rows, i) for i in rows}
    ends = {i for i, row in rows.items() if sum(row.values(), Fraction(0)) < 1 - ENDS}
    return [i for i in rows if not ends & ahead[i] and all(i in ahead[j] for j in ahead[i])]


def _ahead(rows: dict[int, dict[int, Fraction]], first: int) -> set[int]:
    seen, todo = {first}, [first]
    while todo:
        new = set(rows[todo.pop()]) - seen
        seen |= new
        todo += new
    return seen


def _solved(rows: dict[int, dict[int, Fraction]], reward: dict[int, Fraction]) -> dict[int, Fraction]:
    """[state] value: one state after the other is put into the equations of the rest, its own loop summed up."""
    rows, value, order = {i: dict(row) for i, row in rows.items()}, dict(reward), list(rows)
    for at, state in enumerate(order):
        stay = 1 - rows[state].pop(state, Fraction(0))
        rows[state] = {j: p / stay for j, p in rows[state].items()}
        value[state] /= stay
        for other in order[at + 1 :]:
            by = rows[other].pop(state, None)
            if by is not None:
                value[other] += by * value[state]
                for j, p in rows[state].items():
                    rows[other][j] = rows[other].get(j, Fraction(0)) + by * p
    for state in reversed(order):
        value[state] += sum((p * value[j] for j, p in rows[state].items()), Fraction(0))
    return value
