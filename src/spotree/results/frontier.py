"""Frontier of value against size: the best tree found for each number of leaves."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from spotree.common.atomic_file import whole_file
from spotree.common.json_format import document
from spotree.common.sanitize import shown
from spotree.common.untrusted import ClaimError, list_of, number, one_of, record, saved_document, whole
from spotree.errors import InvalidProblemError, ReadError
from spotree.improvement.problem import whole_from
from spotree.results.metrics import Figures, percent_text
from spotree.results.solution import LARGEST_FILE, Solution, SolveStatus, solution_of
from spotree.trees.text import leaves_text


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """The best trees found by their number of leaves, from a single leaf on; every one is better than all before it.

    Attributes
    ----------
    points
        One solution for each number of leaves at which the best return rises. `solution.max_leaves` is that number,
        `solution.bound` bounds the return of every tree with so many leaves; each knows the others' returns
        (`solution.frontier`), so that its report shows them.
    max_leaves
        The largest size that was sought.
    least_leaves
        Proved: no tree with fewer leaves is optimal; 1 where nothing is known.
    status, seconds
        How the run ended.
    """

    points: tuple[Solution, ...]
    max_leaves: int
    least_leaves: int
    status: SolveStatus
    seconds: float

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.points)

    def __reversed__(self) -> Iterator[Solution]:
        return reversed(self.points)

    def __getitem__(self, leaves: int) -> Solution:
        """The best tree with at most so many leaves, as `at`."""
        return self.at(leaves)

    def at(self, leaves: int) -> Solution:
        """The best tree with at most so many leaves."""
        whole_from(1, "leaves", leaves)
        fitting = [point for point in self.points if point.policy.num_leaves <= leaves]
        if not fitting:
            least = self.points[0].policy.num_leaves
            raise InvalidProblemError(f"leaves is {leaves}; the smallest tree found has {leaves_text(least)}")
        return fitting[-1]

    def share(self, point: Solution) -> float:
        """How much of what size can bring a point has: 0 for the first, 1 for the best policy."""
        first, best = self.points[0].value, self.points[0].optimum
        return (point.value - first) / (best - first) if math.isfinite(best) and best > first else 1.0

    @property
    def knee(self) -> Solution:
        """The point that stands out most from the line between the first and the last one; the last if none does."""
        first, last = self.points[0], self.points[-1]
        leaves = max(last.policy.num_leaves - first.policy.num_leaves, 1)
        rise = last.value - first.value

        def above(point: Solution) -> float:
            share = (point.value - first.value) / rise if rise > 0 else 0.0
            return round(share - (point.policy.num_leaves - first.policy.num_leaves) / leaves, 9)

        return max(reversed(self.points), key=above)

    @property
    def words(self) -> str:
        """The knee as a sentence: what it brings, and what more leaves would."""
        knee = self.knee
        count = knee.policy.num_leaves
        text = f"{leaves_text(count)}: {_beside(knee)}"
        later = [point for point in self.points if point.policy.num_leaves > count]
        if not later:
            return text
        after = [point for point in later if point.policy.num_leaves <= 2 * count] or later[:1]
        more = after[-1].policy.num_leaves - count
        gain = after[-1].value - knee.value
        brought = f"{gain:.6g}"
        if knee.figures.beside_best is not None:
            brought = percent_text(gain / abs(knee.optimum))
        return f"{text}; {more} more bring {brought}"

    def _repr_html_(self) -> str:
        from spotree.exports.notebook import frontier_html

        return frontier_html(self)

    def __repr__(self) -> str:
        first, last = self.points[0], self.points[-1]
        sizes = f"{first.policy.num_leaves} to {last.policy.num_leaves} leaves"
        return f"<Frontier of {shown(first.model)}: {len(self.points)} trees of {sizes}, {self.words}>"

    def save(self, path: str | Path) -> None:
        """Write all trees as JSON; `Frontier.load` reads them back."""
        with whole_file(path) as stream:
            stream.write((json.dumps(self.document(), indent=1) + "\n").encode())

    @staticmethod
    def load(path: str | Path) -> "Frontier":
        """Read a frontier that `save` wrote; says which entry of another file is wrong."""
        claim = saved_document(path, "frontier", 1, LARGEST_FILE)
        try:
            _FRONTIER("", claim)
            points = tuple(_point(place, entry) for place, entry in enumerate(claim["points"]))
            sizes = [point.policy.num_leaves for point in points]
            if any(one >= other for one, other in pairwise(sizes)):
                raise ClaimError(f"points have {', '.join(map(str, sizes[:20]))} leaves; each must have more")
            plain = (claim["max_leaves"], claim["least_leaves"], SolveStatus[claim["status"]], claim["seconds"])
            return Frontier(points, *plain)
        except (ClaimError, InvalidProblemError) as error:
            raise ReadError(f"{path}: missing or broken entry: {error}") from error

    def document(self) -> dict[str, Any]:
        """Plain numbers, strings and lists, as `--json` prints them."""
        plain = {
            "max_leaves": self.max_leaves,
            "least_leaves": self.least_leaves,
            "status": self.status.name,
            "status_text": str(self.status),
            "seconds": self.seconds,
            "words": self.words,
            "knee": self.knee.policy.num_leaves,
            "points": [{"leaves": point.policy.num_leaves, **point.document()} for point in self.points],
        }
        return document("frontier", plain)


_FRONTIER = record(
    {
        "max_leaves": whole(1),
        "least_leaves": whole(1),
        "status": one_of(*SolveStatus.__members__),
        "seconds": number(0),
        "points": list_of(record({}), least=1),
    }
)


def _point(place: int, entry: dict[str, Any]) -> Solution:
    try:
        return solution_of(entry)
    except (ClaimError, InvalidProblemError) as error:
        raise ClaimError(f"points[{place}]: {error}") from error


def _beside(point: Solution) -> str:
    figures: Figures = point.figures
    if figures.beside_best is not None:
        return figures.beside_best
    return f"{figures.word} {figures.text(point.value)}, best policy {figures.text(point.optimum)}"
