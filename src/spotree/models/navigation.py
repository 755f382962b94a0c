"""Three-dimensional navigation: lead a robot through a cube in which it may vanish."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from spotree.mdp.model import MDP
from spotree.models.from_rules import mdp_from_rules

Cell = tuple[int, int, int]

SIDE = 5
START: Cell = (0, 0, 0)
GOAL: Cell = (SIDE - 1, SIDE - 1, SIDE - 1)
MOVES = {
    "right": (1, 0, 0),
    "left": (-1, 0, 0),
    "up": (0, 1, 0),
    "down": (0, -1, 0),
    "forward": (0, 0, 1),
    "backward": (0, 0, -1),
}


def navigation_3d() -> MDP:
    """A 5 by 5 by 5 cube; the robot starts in one corner and wants to reach the opposite one.

    Each cell but the start has its own probability that a robot leaving it vanishes and begins anew at the start.
    Otherwise the step succeeds; at a wall the robot stays. Reaching the goal pays 1, and from there the robot is
    brought back to the start.

    The probabilities are uniform draws of NumPy's frozen generator `RandomState(0)`, cells in ascending order.
    """
    cells = list(product(range(SIDE), repeat=3))
    draws = np.random.RandomState(0).random_sample(len(cells) - 1)
    vanishing = {START: 0.0, **dict(zip(cells[1:], draws, strict=True)), GOAL: 1.0}

    def outcomes(cell: Cell, action: str) -> Iterator[tuple[float, Cell, float]]:
        if vanishing[cell] > 0:
            yield vanishing[cell], START, 0.0
        if vanishing[cell] < 1:
            x, y, z = (min(max(at + step, 0), SIDE - 1) for at, step in zip(cell, MOVES[action], strict=True))
            yield 1 - vanishing[cell], (x, y, z), float((x, y, z) == GOAL)

    return mdp_from_rules(
        start={START: 1.0},
        outcomes=outcomes,
        features=lambda cell: cell,
        feature_names=("x", "y", "z"),
        action_names=tuple(MOVES),
    )
