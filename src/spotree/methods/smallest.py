"""The answer to how small a tree can be: the tree, what it returns, and what is proved of its size."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spotree.document import document
from spotree.methods.figures import SAME, percent_text
from spotree.methods.frame import Frame
from spotree.methods.remembered import remember
from spotree.methods.solution import Solution, SolveStatus
from spotree.shown import shown
from spotree.tree.policy import TreePolicy
from spotree.tree.text import leaves_text


@dataclass(frozen=True, slots=True, eq=False)
class Smallest:
    """The smallest tree found whose return is at least a target.

    Attributes
    ----------
    solution
        The tree and all that is known of it; `solution.max_leaves` is its number of leaves.
    target
        The return that was asked for.
    tolerance, of
        How much less than the best policy's return that is, and what this is a share of: "optimum" for |J*|,
        "random" for J* - J_random, "return" where the return itself was given, "policy" for the return of the tree
        that was simplified.
    reached
        Whether the tree returns at least the target; if not, it is the best one found.
    least_leaves
        Proved: no tree with fewer leaves reaches the target.
    status
        How the search ended; "proved optimal" where no smaller tree is possible (`solution.status` says whether the
        tree is the best of its size, which is another question).
    """

    solution: Solution
    target: float
    tolerance: float
    of: str
    reached: bool
    least_leaves: int
    status: SolveStatus

    @property
    def policy(self) -> TreePolicy:
        return self.solution.policy

    @property
    def leaves(self) -> int:
        return self.solution.policy.num_leaves

    @property
    def value(self) -> float:
        return self.solution.value

    @property
    def exact(self) -> bool:
        """Whether an optimal tree was asked for, up to rounding, not one within a tolerance."""
        return self.of in ("optimum", "random") and self.tolerance == 0

    @property
    def gap_text(self) -> str:
        """The gap in words."""
        if self.solution.figures.shown(-self.solution.loss) == 0 or self.gap < SAME:
            return "no gap to the best policy"
        if math.isinf(self.gap):
            return f"{self.solution.loss:.6g} from the best policy"
        return f"gap to the best policy {percent_text(self.gap)}"

    @property
    def asked(self) -> str:
        """The target in words."""
        figures = self.solution.figures
        if self.exact:
            return "the smallest tree that is exactly optimal, up to rounding"
        if self.of == "return":
            most = "most" if figures.sense == "min" else "least"
            return f"the smallest tree with a {figures.word} of at {most} {figures.text(self.target)}"
        if self.of == "policy" and self.tolerance == 0:
            return "the smallest tree that is as good as the given one"
        whose = {
            "policy": f"the given one's {figures.word}",
            "random": "what the best policy gains over random actions",
            "optimum": f"the best policy's {figures.word}",
        }
        return f"the smallest tree within {percent_text(self.tolerance)} of {whose[self.of]}"

    @property
    def words(self) -> str:
        """How small the tree is, and what is proved of that."""
        count = leaves_text(self.leaves)
        if not self.reached and self.value >= self.target - SAME * abs(self.target):
            return f"{count}; the best return is known too roughly to say whether the target is reached"
        if not self.reached:
            return f"{count}, but the target is not reached"
        if self.proved:
            return f"{count}: smallest possible"
        needed = self.least_leaves
        return f"{count}; at least {needed} are needed" if needed > 1 else f"{count}; how few are needed is open"

    @property
    def proved(self) -> bool:
        """Whether no smaller tree reaches the target."""
        return self.reached and self.leaves <= self.least_leaves

    @property
    def gap(self) -> float:
        """What the tree returns less than the best policy, relative to the size of that."""
        loss, size = self.solution.loss, abs(self.solution.optimum)
        return loss / size if size > 0 else math.inf if loss > 0 else 0.0

    def __repr__(self) -> str:
        return f"<Smallest of {shown(self.solution.model)}: {self.words}, gap {self.gap:.2e}>"

    def _repr_html_(self) -> str:
        from spotree.exports.notebook import smallest_html

        return smallest_html(self)

    def save(self, path: str | Path) -> None:
        """Write the solution as JSON, as `Solution.save` does; its notes say what was asked and what is proved."""
        self.solution.save(path)

    def document(self) -> dict[str, Any]:
        """Plain numbers, strings and lists, as `--json` prints them; the tree stands in `solution`."""
        plain = {
            "leaves": self.leaves,
            "least_leaves": self.least_leaves,
            "proved": self.proved,
            "reached": self.reached,
            "target": self.target,
            "tolerance": self.tolerance,
            "of": self.of,
            "exact": self.exact,
            "status": self.status.name,
            "asked": self.asked,
            "words": self.words,
            "gap_to_best": self.gap,
        }
        return document("smallest", plain | {"solution": self.solution.document()})


def answer(
    frame: Frame,
    solution: Solution,
    target: float,
    tolerance: float,
    of: str,
    rounding: float,
    least: int,
    status: SolveStatus,
) -> Smallest:
    """All that a search for a target found, in one place."""
    # A target that is a share of a best return known only roughly is reached where it surely is.
    unknown = frame.optimum.error if of in ("optimum", "random") and frame.optimum.error > rounding else 0.0
    reached = solution.value >= target + unknown - 2 * rounding
    policy = solution.policy
    solution = replace(solution, depth=max(policy.depth, policy.num_leaves - 1), max_leaves=policy.num_leaves)
    found = Smallest(solution, target, tolerance, of, reached, least, status)
    if found.proved:
        found = replace(found, status=SolveStatus.OPTIMAL)
    ended = "" if found.proved else f", {str(status).partition(';')[0]}"
    notes = {"sought": found.asked, "found": f"{found.words} ({found.gap_text}{ended})"}
    solution = replace(solution, notes={**solution.notes, **notes})
    return replace(found, solution=remember(solution, frame.mdp))
