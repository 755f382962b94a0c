"""How commands print: JSON for programs, aligned text for people."""

import json
import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def check_writable(path: Path | None, option: str = "--out") -> None:
    """Refuse a file to write while nothing is lost yet: before the search."""
    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no directory {str(folder)!r}; make it first", param_hint=option)
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        reason = "is a directory" if path.is_dir() else "cannot be written"
        raise typer.BadParameter(f"{str(path)!r} {reason}; give another file", param_hint=option)


def show_json(document: Any) -> None:
    """Print one JSON document; numbers that JSON cannot say become null."""
    print(json.dumps(_finite(document), indent=1))


def show_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print aligned columns under a header."""
    table = [list(header), *[list(row) for row in rows]]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for number, row in enumerate(table):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def show_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print name and value pairs, one a line, names aligned; further lines of a value are indented alike."""
    pairs = list(facts)
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        first, *more = value.splitlines() or [""]
        print(f"{name.ljust(width)}  {first}")
        for line in more:
            print(f"{'':{width}}  {line}")


def _finite(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: _finite(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [_finite(value) for value in document]
    return None if isinstance(document, float) and not math.isfinite(document) else document
