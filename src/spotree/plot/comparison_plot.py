"""Solutions side by side: what each tree is worth, its bound, and the best and the random policy."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from spotree.errors import InvalidProblemError
from spotree.plot._axes import COLOURS, paper, plain, value_name
from spotree.results.metrics import number_text
from spotree.results.solution import Solution

LONGEST = 30


def comparison(solutions: Iterable[Solution] | Mapping[str, Solution], ax: Any = None) -> Any:
    """Draw one bar a solution, named by its method or by the key of a mapping."""
    named = (
        list(solutions.items())
        if isinstance(solutions, Mapping)
        else [(solution.method, solution) for solution in solutions]
    )
    if not named:
        raise InvalidProblemError("a comparison of no solutions: give at least one")
    senses = {solution.sense for _, solution in named}
    if len(senses) > 1:
        raise InvalidProblemError("costs and rewards cannot be compared: give solutions of one sense")
    own = ax is None
    ax = paper(ax, (6.4, 1.4 + 0.45 * len(named)))
    rows = range(len(named))
    values = [solution.figures.shown(solution.value) for _, solution in named]
    ax.barh(rows, values, height=0.6, color=COLOURS["this tree"], alpha=0.75, label="tree")
    for name, marker, size in (("bound", "|", 420), ("best policy", "*", 70), ("random", "x", 50)):
        marks = [dict(solution.figures.marks)[name] for _, solution in named]
        known = [(mark, row) for row, mark in enumerate(marks) if math.isfinite(mark)]
        if known:
            across, down = zip(*known, strict=True)
            ax.scatter(
                across, down, marker=marker, color=COLOURS[name], s=size, zorder=3, label=name, clip_on=False
            )
    ax.set_yticks(
        rows,
        [f"{plain(name, LONGEST)}\n{number_text(value)}" for (name, _), value in zip(named, values, strict=True)],
    )
    ax.invert_yaxis()
    ax.axvline(0, color="#8c959f", lw=0.8)
    ax.margins(x=0.05)
    ax.set_xlabel(value_name(named[0][1].sense))
    if own:
        ax.figure.legend(loc="outside upper center", ncols=4, frameon=False, markerscale=0.7)
    else:
        ax.legend()
    return ax
