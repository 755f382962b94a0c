"""How actions are told apart in drawings: a colour that white letters can be read on, and a letter for all else."""

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


def colour(action: int) -> str:
    return COLOURS[action % len(COLOURS)]


def letter(action: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    letters = ""
    action += 1
    while action:
        action, place = divmod(action - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters
