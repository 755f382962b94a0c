"""What size buys: the best value against the number of leaves."""

from collections.abc import Iterable
from typing import Any

from spotree.errors import InvalidProblemError
from spotree.mdp.model import Sense
from spotree.plot._axes import COLOURS, paper, value_name
from spotree.results.frontier import Frontier
from spotree.results.metrics import Figures


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
