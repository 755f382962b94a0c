"""How actions are told apart in drawings: a colour that white letters can be read on, and a letter for all else."""

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
