"""Figures side by side as bars in a terminal: each begins at 0, so lengths can be compared."""

import math
import shutil
from collections.abc import Sequence

from spotree.common.sanitize import shown
from spotree.results.metrics import Figures, number_text

WIDEST = 60  # signs a bar may take, however wide the terminal
LEAST = 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MEANING = {"max": "expected return, more is better", "min": "expected cost, less is better"}


def show_bars(figures: Figures, marks: Sequence[tuple[str, float]] | None = None) -> None:
    """Print the figures under a line that says what they are."""
    print(f"{_MEANING[figures.sense]}:")
    for line in bars(marks or figures.marks, shutil.get_terminal_size().columns):
        print(line)


def bars(marks: Sequence[tuple[str, float]], columns: int) -> list[str]:
    """One line a mark: its name, its number, and its bar; no line is longer than the columns."""
    numbers = [number_text(value) for _, value in marks]
    names = [shown(name) for name, _ in marks]
    left, right = max(map(len, names)), max(map(len, numbers))
    room = min(WIDEST, columns - left - right - 5)
    finite = [value for _, value in marks if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    lines = []
    for name, number, (_, value) in zip(names, numbers, marks, strict=True):
        drawn = _bar(value, low, high, room) if room >= LEAST and high > low and math.isfinite(value) else ""
        lines.append(f"  {name:{left}}  {number:>{right}} {drawn}".rstrip())
    return lines


def _bar(value: float, low: float, high: float, room: int) -> str:
    """The stretch from 0 to the value, on a scale from `low` to `high`."""
    scale = room / (high - low)
    zero = round(-low * scale)
    if value < 0:
        halves = min(2 * zero, max(1, round(-2 * value * scale)))
        return " " * (zero - halves // 2 - halves % 2) + "▐" * (halves % 2) + "█" * (halves // 2)
    eighths = min(8 * (room - zero), max(1 if value > 0 else 0, round(8 * value * scale)))
    return " " * zero + ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
