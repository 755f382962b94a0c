"""Noughts and crosses against an opponent who moves at random."""

from collections.abc import Iterator
from itertools import product

from spotree.mdp.model import MDP
from spotree.models.from_rules import mdp_from_rules

SQUARES = (
    "top_left", "top_center", "top_right",
    "center_left", "center", "center_right",
    "bottom_left", "bottom_center", "bottom_right",
)  # fmt: skip
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
MARKS = {".": "free", "X": "cross", "O": "circle"}
OVER = "over"


def tictactoe_vs_random() -> MDP:
    """The player sets crosses and begins; the opponent sets circles on random free squares.

    A line of crosses pays 1, a line of circles costs 1, a full board pays nothing; a mark on a taken square costs
    1 and ends the game. A finished game stays finished (features all -1).

    A state is a board with the player to move, written as nine marks, row by row.
    """

    def outcomes(board: str, action: str) -> Iterator[tuple[float, str, float]]:
        square = SQUARES.index(action)
        if board == OVER:
            yield 1.0, OVER, 0.0
        elif board[square] != ".":
            yield 1.0, OVER, -1.0
        elif _has_line(crossed := _set(board, square, "X"), "X"):
            yield 1.0, OVER, 1.0
        elif "." not in crossed:
            yield 1.0, OVER, 0.0
        else:
            replies = [_set(crossed, free, "O") for free in range(9) if crossed[free] == "."]
            for reply in replies:
                lost = _has_line(reply, "O")
                yield 1 / len(replies), OVER if lost else reply, -float(lost)

    return mdp_from_rules(
        start={"." * 9: 1.0},
        outcomes=outcomes,
        features=lambda board: [-1] * 27 if board == OVER else [int(at == mark) for at in board for mark in MARKS],
        feature_names=[f"{square}_{mark}" for square, mark in product(SQUARES, MARKS.values())],
        action_names=SQUARES,
    )


def _set(board: str, square: int, mark: str) -> str:
    return board[:square] + mark + board[square + 1 :]


def _has_line(board: str, mark: str) -> bool:
    return any(board[a] == board[b] == board[c] == mark for a, b, c in LINES)
