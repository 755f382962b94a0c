"""The error of an undiscounted optimum is finite, and true against exact fractions."""

from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

from oracles.undiscounted import all_policies
from spotree.errors import InfeasibleError
from spotree.evaluation import optimum
from spotree.evaluation.optimality_gap import most_missed
from spotree.mdp import MDP, ChoiceRows, build_mdp


def undiscounted(rows, reward, **more) -> MDP:
    """Rows by (state, action): next states with their probabilities; an empty one ends the episode."""
    pairs = sorted(rows)
    return build_mdp(
        ChoiceRows(
            np.array([state for state, _ in pairs]),
            np.array([action for _, action in pairs]),
            np.cumsum([0] + [len(rows[pair]) for pair in pairs]),
            np.array([target for pair in pairs for target in rows[pair]], dtype=int),
            np.array([chance for pair in pairs for chance in rows[pair].values()], dtype=float),
        ),
        np.array([reward[pair] for pair in pairs], dtype=float),
        1.0,
        ends=np.array([0.0 if rows[pair] else 1.0 for pair in pairs]),
        undiscounted=True,
        missing="forbid",
        initial=0,
        **more,
    )


def grid(width: int, height: int, slip: float, goal: float, step: float) -> MDP:
    """Walk to the last cell: a step costs something, the goal earns something."""
    moves, last = ((1, 0), (0, 1), (-1, 0), (0, -1)), width * height - 1
    rows, reward = {}, {}
    for cell in range(last + 1):
        for action in range(4):
            row: dict[int, float] = {}
            for turn, chance in ((0, 1 - 2 * slip), (1, slip), (3, slip)):
                x, y = np.array(divmod(cell, width)[::-1]) + moves[(action + turn) % 4]
                target = int(np.clip(y, 0, height - 1)) * width + int(np.clip(x, 0, width - 1))
                row[target] = row.get(target, 0.0) + chance
            rows[cell, action] = {} if cell == last else {t: p for t, p in row.items() if p > 0}
            reward[cell, action] = goal if cell == last else -step
    return undiscounted(rows, reward, must_end=True)


def line(size: int, forward: tuple[float, ...], goal: float, step: float) -> MDP:
    """A walk that ends behind the last place; some actions mostly go back, and then take 10^60 steps."""
    rows, reward = {}, {}
    for place in range(size):
        for action, chance in enumerate(forward):
            back = {max(place - 1, 0): 1 - chance, place + 1: chance}
            rows[place, action] = back if place < size - 1 else {}
            reward[place, action] = -step if place < size - 1 else goal
    return undiscounted(rows, reward, must_end=True)


@pytest.mark.parametrize("slip", [0.0, 0.1])
def test_costs_on_the_way_and_a_reward_at_the_goal_have_a_finite_error(slip: float) -> None:
    best = optimum(grid(31, 6, slip, goal=1.0, step=0.01))
    assert best.error < 1e-10
    if slip == 0.0:
        assert abs(best.value - (1.0 - 0.01 * 35)) <= best.error


@pytest.mark.parametrize(
    ("goal", "step", "truth"),
    # Forward with 0.9, from place 0: 186 places, of which each step gains 0.8, and the wall helps by 0.15625.
    [(0.0, 1.0, -231.09375), (10.0, 0.001, 10.0 - 0.23109375), (1.0, 0.0, 1.0)],
)
def test_policies_that_hardly_ever_end_spoil_neither_value_nor_error(
    goal: float, step: float, truth: float
) -> None:
    best = optimum(line(186, (0.1, 0.9), goal, step))
    assert best.error < 1e-8
    assert abs(best.value - truth) <= best.error + 1e-13


def exact_values(mdp: MDP, rows) -> list[Fraction] | None:
    """Total reward of a policy from each state by elimination in fractions; None where it may go on for ever."""
    size = mdp.num_states
    matrix = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    for i, row in enumerate(rows):
        for e in range(mdp.row_start[row], mdp.row_start[row + 1]):
            matrix[i][mdp.target[e]] -= Fraction(mdp.probability[e])
        matrix[i].append(Fraction(mdp.reward_of_choice[row]))
    for k in range(size):
        pivot = next((i for i in range(k, size) if matrix[i][k] != 0), None)
        if pivot is None:
            return None
        matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
        for i in range(size):
            if i != k and matrix[i][k] != 0:
                factor = matrix[i][k] / matrix[k][k]
                matrix[i] = [a - factor * b for a, b in zip(matrix[i], matrix[k], strict=True)]
    return [matrix[i][size] / matrix[i][i] for i in range(size)]


def small_model_that_ends(rng: np.random.Generator) -> MDP:
    """Four states that cost and a goal that earns; drawn anew until some policy reaches it."""
    size, actions = 4, 2
    while True:
        rows, reward = {}, {}
        for state in range(size):
            for action in range(actions):
                targets = rng.choice(size, size=2, replace=False)
                first = rng.choice([0.5, 0.25, 0.0625, 2.0**-10])  # exact: rows sum to 1 in fractions too
                rows[state, action] = {int(targets[0]): first, int(targets[1]): 1.0 - first}
                reward[state, action] = -rng.choice([0.1, 1.0, 7.3, 1e-3])
        rows[size - 1, 0], reward[size - 1, 0] = {}, rng.choice([0.3, 5.0, 100.0])
        with suppress(InfeasibleError):
            return undiscounted(rows, reward, must_end=True)


@pytest.mark.parametrize("seed", range(60))
def test_the_error_covers_the_truth_in_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mdp = small_model_that_ends(rng)
    known = [values for rows in all_policies(mdp) if (values := exact_values(mdp, rows)) is not None]
    truth = [max(values[state] for values in known) for state in range(mdp.num_states)]
    best = optimum(mdp)
    assert best.error < 1e-6 * max(1.0, np.abs(best.values).max())
    assert all(abs(Fraction(v) - t) <= Fraction(best.error) for v, t in zip(best.values, truth, strict=True))
    worse = best.values - rng.uniform(0.0, 0.1, mdp.num_states)
    assert max(t - Fraction(v) for v, t in zip(worse, truth, strict=True)) <= Fraction(most_missed(mdp, worse))
