"""Frozen lake: reach the goal over slippery ice without falling into a hole."""

from collections.abc import Iterator

from spotree.mdp.model import MDP
from spotree.models.from_rules import mdp_from_rules

Cell = tuple[int, int]

# S start, . ice, H hole, G goal. The two small lakes are those of the well-known reinforcement-learning exercise.
LAKES = {
    "4x4": ("S...", ".H.H", "...H", "H..G"),
    "8x8": (
        "S.......",
        "........",
        "...H....",
        ".....H..",
        "...H....",
        ".HH...H.",
        ".H..H.H.",
        "...H...G",
    ),
    "12x12": (
        "S...........",
        "............",
        "...H.......H",
        ".....H......",
        "...H........",
        ".HH...H..H..",
        ".H..H.H.....",
        "...H........",
        "........H...",
        "H....H....HH",
        "......G.....",
        "............",
    ),
}
# In circular order: the neighbours of an action in this table are the directions in which it may slip.
MOVES = {"Left": (-1, 0), "Down": (0, 1), "Right": (1, 0), "Up": (0, -1)}


def frozenlake(size: str) -> MDP:
    """A square lake; x counts to the right and y downwards.

    A step goes in the chosen direction or in one of the two at right angles to it, each with probability 1/3; at
    the rim the walker stays. Reaching the goal pays 1. Goal and holes are never left.
    """
    lake = LAKES[size]
    last = len(lake) - 1
    directions = list(MOVES.values())
    aims = {name: index for index, name in enumerate(MOVES)}

    def outcomes(cell: Cell, action: str) -> Iterator[tuple[float, Cell, float]]:
        x, y = cell
        if lake[y][x] in "HG":
            yield 1.0, cell, 0.0
            return
        for turn in (-1, 0, 1):
            dx, dy = directions[(aims[action] + turn) % 4]
            new_x, new_y = min(max(x + dx, 0), last), min(max(y + dy, 0), last)
            yield 1 / 3, (new_x, new_y), float(lake[new_y][new_x] == "G")

    return mdp_from_rules(
        start={(0, 0): 1.0},
        outcomes=outcomes,
        features=lambda cell: cell,
        feature_names=("X", "Y"),
        action_names=tuple(MOVES),
    )
