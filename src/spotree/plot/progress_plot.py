"""How an answer was found: value and bound over time."""

import math
from typing import Any

from spotree.plot._axes import COLOURS, paper, plain, value_name
from spotree.results.solution import Solution


def progress(solution: Solution, ax: Any = None) -> Any:
    """Draw the best tree's value and the bound over the seconds of a run, beside the best policy's."""
    ax = paper(ax)
    figures = solution.figures
    moments = [(line.seconds, line.value, line.bound) for line in solution.history]
    moments.append((solution.seconds, solution.value, solution.bound))
    moments.sort(key=lambda moment: moment[0])
    for name, place in (("this tree", 1), ("bound", 2)):
        known = [(moment[0], figures.shown(moment[place])) for moment in moments if math.isfinite(moment[place])]
        seconds, values = zip(*known, strict=True)
        marker = "o" if len(set(seconds)) == 1 else None
        wide = {"lw": 4, "alpha": 0.5} if name == "bound" else {}
        ax.step(
            seconds, values, where="post", label=_label(name, solution), color=COLOURS[name], marker=marker, **wide
        )
    best = figures.shown(solution.optimum)
    ax.axhline(best, color=COLOURS["best policy"], ls=":", label="best policy")
    ax.set_xlim(left=0)
    ax.set_xlabel("seconds")
    ax.set_ylabel(value_name(solution.sense))
    ax.set_title(f"{plain(solution.model, 40)}: {plain(solution.method, 20)}, depth {solution.depth}")
    ax.ticklabel_format(axis="y", useOffset=False)
    ax.legend()
    return ax


def _label(name: str, solution: Solution) -> str:
    return f"{name}, on trust" if name == "bound" and solution.trusted is not None else name
