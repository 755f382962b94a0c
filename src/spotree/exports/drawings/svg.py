"""The tree as a drawing of its own: SVG without script, fonts or files from elsewhere."""

from html import escape

from spotree.exports.drawings.layout import LINE, PAD, Box, Drawing, colours, layout
from spotree.trees.policy import TreePolicy
from spotree.trees.text import size_text

STYLE = """
.spotree-tree { font: 13px system-ui, sans-serif; }
.spotree-tree .paper { fill: #ffffff; }
.spotree-tree .box { fill: #f6f8fa; stroke: #8c959f; }
.spotree-tree .edge { fill: none; stroke: #8c959f; }
.spotree-tree .word { fill: #1f2328; }
.spotree-tree .answer { fill: #59636e; font-size: 11px; text-anchor: end; }
.spotree-tree .letter { fill: #ffffff; font-weight: bold; text-anchor: middle; }
@media (prefers-color-scheme: dark) {
.spotree-tree .paper { fill: #0d1117; }
.spotree-tree .box { fill: #161b22; stroke: #6e7681; }
.spotree-tree .edge { stroke: #6e7681; }
.spotree-tree .word { fill: #e6edf3; }
.spotree-tree .answer { fill: #9198a1; }
}
"""


def tree_svg(policy: TreePolicy) -> str:
    """The drawing; the test of a box goes up where it holds, and resting on a box shows its names in full."""
    drawing, colour = layout(policy), colours(policy.tree)
    size = f"{drawing.width:g} {drawing.height:g}"
    about = escape(f"decision tree, {size_text(policy.tree)}")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="spotree-tree" role="img" aria-label="{about}"'
            f' width="{drawing.width:g}" height="{drawing.height:g}" viewBox="0 0 {size}">',
            f"<style>{STYLE}</style>",
            '<rect class="paper" width="100%" height="100%"/>',
            *_edges(drawing),
            *(_box(box, colour.get(box.action, "")) for box in drawing.boxes),
            "</svg>",
            "",
        ]
    )


def _edges(drawing: Drawing) -> list[str]:
    lines = []
    for parent, child, answer in drawing.edges:
        start, end = drawing.boxes[parent], drawing.boxes[child]
        x, to = start.x + start.width, end.x
        between = (x + to) / 2
        lines.append(
            f'<path class="edge" d="M{x:g} {start.middle:g}C{between:g} {start.middle:g} {between:g} {end.middle:g}'
            f' {to:g} {end.middle:g}"/>'
            f'<text class="answer" x="{to - 6:g}" y="{end.middle + (-5 if answer == "yes" else 13):g}">{answer}</text>'
        )
    return lines


def _box(box: Box, colour: str) -> str:
    parts = [f'<g class="node" data-node="{box.node}"><title>{_text(box.title)}</title>']
    place = f'x="{box.x:g}" y="{box.y:g}"'
    parts.append(f'<rect class="box" {place} width="{box.width:g}" height="{box.height:g}" rx="5"/>')
    top = box.middle - LINE * (len(box.lines) - 1) / 2 + 4.5
    if box.action >= 0:
        parts.append(
            f'<rect class="badge" {place} width="{box.badge:g}" height="{box.height:g}" rx="5"'
            f' fill="{colour}"/>'
            f'<text class="letter" x="{box.x + box.badge / 2:g}" y="{box.middle + 4.5:g}">{box.letter}</text>'
        )
    for number, line in enumerate(box.lines):
        x, y = box.x + box.badge + PAD, top + LINE * number
        parts.append(f'<text class="word" x="{x:g}" y="{y:g}">{_text(line)}</text>')
    return "".join([*parts, "</g>"])


def _text(text: str) -> str:
    return escape(text, quote=True)
