"""Output of commands: JSON for programs, aligned text for people."""

import json
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
