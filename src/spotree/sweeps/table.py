"""The table of a sweep, for people and for spreadsheets; no name in it can forge a cell or a formula."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import median

from spotree.common.sanitize import LONGEST_LINE, shown, spreadsheet_cell
from spotree.sweeps.cell import Cell

COLUMNS = (
    "model",
    "depth",
    "seed",
    "value",
    "median",
    "worst",
    "best",
    "bound",
    "gap",
    "proved",
    "leaves",
    "seconds",
    "status",
)
OVER_SEEDS = ("median", "worst", "best")
CLEARLY = 1e-6  # relative: more than rounding and the tolerance of proofs


def rows(cells: Sequence[Cell], text: Callable[[float], str] = "{:z.6g}".format) -> list[list[str]]:
    """One row a cell, beside it the median, worst and best of all seeds; costs as costs."""
    same = defaultdict[object, list[Cell]](list)
    for cell in cells:
        if not cell.failed:
            same[cell.model, cell.depth].append(cell)
    return [_row(cell, same[cell.model, cell.depth], text) for cell in cells]


def _row(cell: Cell, same: Sequence[Cell], text: Callable[[float], str]) -> list[str]:
    def worth(value: float | None) -> str:
        return "" if value is None else text(0.0 - value if cell.sense == "min" else value)

    values = [each.value for each in same if each.value is not None]
    return [
        cell.model,
        "" if cell.depth is None else str(cell.depth),
        str(cell.seed),
        worth(cell.value),
        *(worth(pick(values)) if values else "" for pick in (median, min, max)),
        worth(cell.bound),
        "" if cell.gap is None else f"{cell.gap:.2%}",
        "" if cell.failed else "yes" if cell.proved else "no",
        "" if cell.leaves is None else str(cell.leaves),
        f"{cell.seconds:.1f}",
        cell.error or cell.status.lower().replace("_", " "),
    ]


def as_csv(cells: Sequence[Cell]) -> str:
    """The table with all digits; texts that a spreadsheet would take for a formula begin with a quote."""
    stream = io.StringIO()
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow([*COLUMNS, "sense"])
    for cell, row in zip(cells, rows(cells, "{:.15g}".format), strict=True):
        lines.writerow([spreadsheet_cell(row[0]), *row[1:-1], spreadsheet_cell(row[-1]), cell.sense])
    return stream.getvalue()


def as_markdown(cells: Sequence[Cell], missing: int = 0) -> str:
    """The table as a page."""
    failed = sum(cell.failed for cell in cells)
    lines = [
        "# Sweep",
        "",
        f"{len(cells)} cells"
        + f", {failed} failed" * bool(failed)
        + f", {missing} not run yet" * bool(missing)
        + ".",
        "Median, worst and best are over the seeds of a model and depth."
        + " Where less is better the values are costs." * any(cell.sense == "min" for cell in cells),
        *(["", f"**{sentence}**"] if (sentence := contradiction(cells)) else []),
        "",
        _line(COLUMNS),
        _line(["---"] * len(COLUMNS)),
        *(_line([_escaped(word) for word in row]) for row in rows(cells)),
    ]
    return "\n".join(lines) + "\n"


def contradiction(cells: Iterable[Cell]) -> str:
    """Says so if a bound is below a tree of the same size, which can not be; else empty."""
    known: dict[tuple[str, int | None], tuple[float, float]] = {}
    for cell in cells:
        if cell.value is not None and cell.bound is not None:
            value, bound = known.get((cell.model, cell.depth), (cell.value, cell.bound))
            known[cell.model, cell.depth] = (max(value, cell.value), min(bound, cell.bound))
    for (model, depth), (value, bound) in known.items():
        if value - bound > CLEARLY * max(abs(value), abs(bound), CLEARLY):
            return _escaped(f"{model}, depth {depth}: one run's bound is below another's tree; please report this")
    return ""


def _line(words: Sequence[str]) -> str:
    return f"| {' | '.join(words)} |"


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#|~&!])", r"\\\1", shown(text, LONGEST_LINE))
