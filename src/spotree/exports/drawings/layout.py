"""Layout and colours of a drawn tree: left to right, a column for each depth, a row for each leaf."""

from dataclasses import dataclass
from unicodedata import east_asian_width

from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.exports.formatting import exact_text, labels
from spotree.report.rules import leaves_in_order, number_text
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import Tree

COLOURS = (
    "#1f5fa8",
    "#a84b12",
    "#2b7530",
    "#8e3b8e",
    "#a3263b",
    "#0f6f68",
    "#755900",
    "#5b4fc7",
    "#6b4a3a",
    "#4b5563",
)


def colours(tree: Tree) -> dict[int, str]:
    """The colour of each action that the tree takes; different ones for as long as there are any."""
    taken = sorted({int(action) for action in tree.action[tree.feature < 0]})
    return {action: COLOURS[number % len(COLOURS)] for number, action in enumerate(taken)}


def letter(action: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    letters = ""
    action += 1
    while action:
        action, place = divmod(action - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters


LONGEST = 26  # signs in a line
SIGN = 8.0  # the width of one, estimated generously; East Asian ones take two
LINE = 17.0
PAD = 10.0
BADGE = 24.0
BETWEEN_ROWS = 12.0
BETWEEN_COLUMNS = 64.0
MARGIN = 12.0


@dataclass(frozen=True, slots=True)
class Box:
    """A node: its place, what stands in it and in full beside it; a leaf has an action and its letter."""

    node: int
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    title: str
    action: int = -1
    letter: str = ""

    @property
    def badge(self) -> float:
        """The width of the field with the letter."""
        return 0.0 if self.action < 0 else max(BADGE, 10.0 * len(self.letter) + 10)

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Drawing:
    """The boxes by node, the edges as (parent, child, answer), and the size of it all."""

    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int, str], ...]
    width: float
    height: float


def layout(policy: TreePolicy) -> Drawing:
    """The drawing of a policy; no two boxes meet."""
    tree = policy.tree
    known = _labelled(policy)
    depth_of, parent = [0] * tree.num_nodes, [-1] * tree.num_nodes
    edges = []
    for node in range(tree.num_nodes):  # parents stand before their children
        if tree.feature[node] >= 0:
            for child, answer in ((int(tree.left[node]), "yes"), (int(tree.right[node]), "no")):
                depth_of[child], parent[child] = depth_of[node] + 1, node
                edges.append((node, child, answer))

    height = PAD + LINE * max(len(lines) for lines, _ in known)
    row = [0.0] * tree.num_nodes
    for number, leaf in enumerate(leaves_in_order(tree)):
        row[leaf] = float(number)
    for node in reversed(range(tree.num_nodes)):
        if tree.feature[node] >= 0:
            row[node] = (row[tree.left[node]] + row[tree.right[node]]) / 2

    drawn = []
    for node, (lines, title) in enumerate(known):
        action = int(tree.action[node]) if tree.feature[node] < 0 else -1
        mark = letter(action) if action >= 0 else ""
        y = MARGIN + row[node] * (height + BETWEEN_ROWS)
        box = Box(node, 0.0, y, 0.0, height, lines, title, action, mark)
        drawn.append((box, max(map(_width, lines)) + 2 * PAD + box.badge))
    widest = [0.0] * (max(depth_of) + 1)
    for node, (_, width) in enumerate(drawn):
        widest[depth_of[node]] = max(widest[depth_of[node]], width)
    left = [MARGIN]
    for column in widest:
        left.append(left[-1] + column + BETWEEN_COLUMNS)
    boxes = tuple(
        Box(box.node, left[depth_of[box.node]], box.y, width, height, box.lines, box.title, box.action, box.letter)
        for box, width in drawn
    )
    return Drawing(
        boxes,
        tuple(edges),
        max(box.x + box.width for box in boxes) + MARGIN,
        max(box.y + box.height for box in boxes) + MARGIN,
    )


def _labelled(policy: TreePolicy) -> list[tuple[tuple[str, ...], str]]:
    """[node] the one or two lines in its box, and the whole of it."""
    tree = policy.tree
    features, actions = labels(policy.feature_names, LONGEST), labels(policy.action_names, 2 * LONGEST)
    found = []
    for node in range(tree.num_nodes):
        feature, action = int(tree.feature[node]), int(tree.action[node])
        if feature < 0:
            lines = _wrapped(actions[action])
            title = f"{letter(action)}: {shown(policy.action_names[action], LONGEST_LINE)}"
        else:
            threshold = float(tree.threshold[node])
            test = f"< {number_text(threshold)}"
            one = f"{features[feature]} {test}"
            lines = (one,) if len(one) <= LONGEST else (features[feature], test)
            title = f"{shown(policy.feature_names[feature], LONGEST_LINE)} < {exact_text(threshold)}?"
        found.append((lines, title))
    return found


def _wrapped(text: str) -> tuple[str, ...]:
    """One line, or two of about the same length, broken after a sign between words if there is one."""
    if len(text) <= LONGEST:
        return (text,)
    half = len(text) // 2
    between = [place + 1 for place, sign in enumerate(text[:-1]) if sign in " _-.,/"]
    place = min(between, key=lambda place: abs(place - half), default=half)
    place = place if abs(place - half) <= half // 2 else half
    return (text[:place].rstrip(), text[place:].lstrip())


def _width(text: str) -> float:
    return sum(2 * SIGN if east_asian_width(sign) in "WF" else SIGN for sign in text)
