"""The tree as a picture, in the places that its SVG has."""

from typing import Any

from spotree.exports.drawings.layout import LINE, PAD, Box, colours, layout
from spotree.plot._axes import paper
from spotree.results.solution import Solution
from spotree.trees.policy import TreePolicy

DOTS = 96.0  # of the layout to an inch
SIGNS = 9.75  # points of the text in a figure of that size
INK, PAPER = "#8c959f", "#f6f8fa"


def tree(policy: TreePolicy | Solution, ax: Any = None) -> Any:
    """Draw a tree from left to right; the branch where the test holds goes up."""
    policy = policy.policy if isinstance(policy, Solution) else policy
    drawing, colour = layout(policy), colours(policy.tree)
    ax = paper(ax, (drawing.width / DOTS, drawing.height / DOTS))
    ax.set_xlim(0, drawing.width)
    ax.set_ylim(drawing.height, 0)
    ax.set_aspect("equal")
    ax.axis("off")
    room = ax.get_window_extent()
    inches = min(room.width / drawing.width, room.height / drawing.height) * DOTS / ax.figure.dpi
    points = SIGNS * inches
    for parent, child, answer in drawing.edges:
        start, end = drawing.boxes[parent], drawing.boxes[child]
        between = (start.x + start.width + end.x) / 2
        across = [start.x + start.width, between, between, end.x]
        ax.plot(across, [start.middle, start.middle, end.middle, end.middle], color=INK, lw=inches, zorder=1)
        above = end.middle < start.middle
        ax.text(
            (between + end.x) / 2,
            end.middle - 4 if above else end.middle + 4,
            answer,
            fontsize=0.8 * points,
            ha="center",
            va="bottom" if above else "top",
            color="#59636e",
        )
    for box in drawing.boxes:
        _draw(ax, box, colour.get(box.action, PAPER), points)
    return ax


def _draw(ax: Any, box: Box, colour: str, points: float) -> None:
    def field(width: float, face: str, edge: str) -> None:
        corners_x = [box.x, box.x + width, box.x + width, box.x]
        corners_y = [box.y, box.y, box.y + box.height, box.y + box.height]
        ax.fill(corners_x, corners_y, facecolor=face, edgecolor=edge, lw=points / SIGNS, zorder=2)

    field(box.width, PAPER, INK)
    if box.action >= 0:
        field(box.badge, colour, "none")
        middle = box.x + box.badge / 2
        ax.text(middle, box.middle, box.letter, fontsize=points, ha="center", va="center", color="w", weight="bold")
    top = box.middle - LINE * (len(box.lines) - 1) / 2
    for number, line in enumerate(box.lines):
        ax.text(
            box.x + box.badge + PAD,
            top + LINE * number,
            line,
            fontsize=points,
            va="center",
            color="#1f2328",
            parse_math=False,
        )
