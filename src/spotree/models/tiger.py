"""Tiger against antelope: catch prey that keeps moving."""

from collections.abc import Iterator
from itertools import product

from spotree.mdp.model import MDP
from spotree.models.from_rules import mdp_from_rules

Cell = tuple[int, int]
Hunt = tuple[Cell, Cell]  # antelope, tiger

SIDE = 5
OVER: Hunt = ((-1, -1), (-1, -1))
MOVES = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0), "wait": (0, 0)}
STEPS = [step for step in MOVES.values() if step != (0, 0)]


def tiger_vs_antelope() -> MDP:
    """A 5 by 5 grid on which tiger and antelope move at the same time.

    The antelope always moves to one of the four neighbouring cells, chosen uniformly among those inside the grid
    that the tiger does not stand on before the move. The tiger moves as told, and stays where the grid ends. If
    both are in one cell, any action pays 1 and the hunt is over.

    As in OMDT the hunt begins in a uniformly random state, and that includes those in which the antelope is caught
    already and the one in which the hunt is over (features all -1).
    """
    grid = [(x, y) for x in range(SIDE) for y in range(SIDE)]

    def outcomes(hunt: Hunt, action: str) -> Iterator[tuple[float, Hunt, float]]:
        antelope, tiger = hunt
        if antelope == tiger:
            yield 1.0, OVER, float(hunt != OVER)
            return
        dx, dy = MOVES[action]
        new_tiger = (min(max(tiger[0] + dx, 0), SIDE - 1), min(max(tiger[1] + dy, 0), SIDE - 1))
        around = [(antelope[0] + dx, antelope[1] + dy) for dx, dy in STEPS]
        escapes = [cell for cell in around if cell in grid and cell != tiger]
        for cell in escapes:
            yield 1 / len(escapes), (cell, new_tiger), 0.0

    hunts: list[Hunt] = [*product(grid, grid), OVER]
    return mdp_from_rules(
        start={hunt: 1 / len(hunts) for hunt in hunts},
        outcomes=outcomes,
        features=lambda hunt: (*hunt[0], *hunt[1]),
        feature_names=("antelope_x", "antelope_y", "tiger_x", "tiger_y"),
        action_names=tuple(MOVES),
    )
