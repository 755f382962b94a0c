"""The tree's drawing in pixels, by matplotlib."""

import io
import warnings
from typing import Any

from spotree.errors import InvalidProblemError, MissingExtraError
from spotree.exports.drawings.layout import LINE, PAD, colours, layout
from spotree.trees.policy import TreePolicy

SCALE = 2.0  # pixels per unit of the drawing
MOST_PIXELS = 2**25
SMALLEST_SCALE = 0.5  # below, no letter can be read


def to_png(policy: TreePolicy, remark: str = "") -> bytes:
    """The drawing on white paper, two pixels for each of the SVG; a large one gets fewer."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
        from matplotlib.path import Path
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a tree as png") from None

    drawing, colour = layout(policy), colours(policy.tree)
    width, height = drawing.width, drawing.height
    scale = min(SCALE, (MOST_PIXELS / (width * height)) ** 0.5, (2**16 - 1) / max(width, height))
    if scale < SMALLEST_SCALE:
        raise InvalidProblemError(
            f"a picture of {policy.num_leaves} leaves is too large for png ({width:.0f} x {height:.0f});"
            " take format 'svg'"
        )
    figure = Figure(figsize=(width / 72, height / 72), dpi=72 * scale, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(height, 0))
    words: dict[str, Any] = {"fontsize": 12, "va": "center", "parse_math": False}
    for parent, child, answer in drawing.edges:
        start, end = drawing.boxes[parent], drawing.boxes[child]
        x, to = start.x + start.width, end.x
        between = (x + to) / 2
        curve = [(x, start.middle), (between, start.middle), (between, end.middle), (to, end.middle)]
        steps = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
        axes.add_patch(PathPatch(Path(curve, steps), fill=False, edgecolor="#8c959f"))
        y = end.middle + (-9 if answer == "yes" else 9)
        axes.text(to - 6, y, answer, ha="right", color="#59636e", **{**words, "fontsize": 10})
    for box in drawing.boxes:
        place = (box.x, box.y)
        round_box = "round,pad=0,rounding_size=5"
        axes.add_patch(
            FancyBboxPatch(place, box.width, box.height, round_box, facecolor="#f6f8fa", edgecolor="#8c959f")
        )
        if box.action >= 0:
            axes.add_patch(Rectangle(place, box.badge, box.height, facecolor=colour[box.action]))
            x = box.x + box.badge / 2
            axes.text(x, box.middle, box.letter, ha="center", color="white", weight="bold", **words)
        top = box.middle - LINE * (len(box.lines) - 1) / 2
        for number, line in enumerate(box.lines):
            axes.text(box.x + box.badge + PAD, top + LINE * number, line, color="#1f2328", **words)
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # drawn as an empty box
        FigureCanvasAgg(figure)
        figure.savefig(stream, format="png", facecolor="white", metadata={"Comment": remark} if remark else None)
    return stream.getvalue()
