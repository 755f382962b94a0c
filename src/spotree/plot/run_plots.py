"""Plots of runs: progress, frontier, comparison."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from spotree.errors import InvalidProblemError
from spotree.mdp.model import Sense
from spotree.plot._axes import COLOURS, paper, plain, value_name
from spotree.results.frontier import Frontier
from spotree.results.metrics import Figures, number_text
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


def frontier(
    points: Frontier | Iterable[tuple[int, float, float | None]],
    ax: Any = None,
    *,
    optimum: float | None = None,
    sense: Sense = "max",
) -> Any:
    """Draw a `Frontier`, or points of your own.

    Parameters
    ----------
    points
        What `spotree.frontier` returns, or (leaves, value, bound or None), values as in `Solution.value`: more is
        better, also for sense "min".
    optimum
        The best policy's value, for a line beside the points; a `Frontier` knows it.
    sense
        "min" for costs; a `Frontier` knows it.
    """
    if isinstance(points, Frontier):
        first = points.points[0]
        optimum, sense = first.optimum, first.sense
        points = [(size.leaves, size.value, None) for size in first.frontier]
    given = sorted(points, key=lambda point: point[0])
    if not given:
        raise InvalidProblemError("a frontier of no points: give at least one (leaves, value, bound)")
    ax = paper(ax)
    seen = Figures(optimum=0.0, random=0.0, sense=sense).shown
    leaves = [leaves for leaves, _, _ in given]
    ax.plot(
        leaves,
        [seen(value) for _, value, _ in given],
        "o-",
        drawstyle="steps-post",
        color=COLOURS["this tree"],
        label="best tree found",
    )
    bounds = [(leaves, seen(bound)) for leaves, _, bound in given if bound is not None]
    if bounds:
        ax.plot(*zip(*bounds, strict=True), color=COLOURS["bound"], lw=4, alpha=0.5, label="bound")
    if optimum is not None:
        ax.axhline(seen(optimum), color=COLOURS["best policy"], ls=":", label="best policy")
    ax.set_xlabel("leaves")
    ax.set_ylabel(value_name(sense))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.ticklabel_format(axis="y", useOffset=False)
    ax.legend()
    return ax


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
