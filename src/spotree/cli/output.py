"""Tables, bars and JSON on the terminal."""

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from spotree.common.atomic_file import UnwrittenError, check_target
from spotree.common.json_format import document
from spotree.common.sanitize import LONGEST_LINE, shown
from spotree.errors import SpotreeError
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


LEAST_ROOM = 20  # columns; with fewer a line is left to the terminal
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def check_writable(path: Path | None, option: str = "--out") -> Path | None:
    """Refuse a file to write while nothing is lost yet: before the search. Returns it if it is a regular one."""
    try:
        return None if path is None else check_target(path)
    except UnwrittenError as error:
        raise SpotreeError(f"{option} {error}") from error


def show_json(kind: str, entries: Mapping[str, Any]) -> None:
    """Print one JSON document of that kind."""
    print(json.dumps(document(kind, entries), indent=1))


def show_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print aligned columns under a header."""
    table = [list(header), *[[shown(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for number, row in enumerate(table):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def show_facts(facts: Iterable[tuple[str, str | Sequence[str]]]) -> None:
    """Print name and value pairs, one a line, names aligned; further lines of a value are indented alike.

    On a terminal a value that is wider than what is left goes on in the next line; files and pipes get whole lines.
    """
    pairs = [(shown(name), [value] if isinstance(value, str) else value) for name, value in facts]
    width = max(len(name) for name, _ in pairs)
    for name, lines in pairs:
        fitted = [part for line in lines for part in _fitted(shown(line, LONGEST_LINE), width + 2)]
        for number, line in enumerate(fitted):
            print(f"{'' if number else name:{width}}  {line}")


def _fitted(line: str, indent: int) -> list[str]:
    room = shutil.get_terminal_size().columns - indent
    if len(line) <= room or room < LEAST_ROOM or not sys.stdout.isatty():
        return [line]
    return textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False)
