"""The answer to how small a tree can be: the tree, what it returns, and what is proved of its size."""

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from spotree.common.atomic_file import whole_file
from spotree.common.json_format import document
from spotree.common.sanitize import shown
from spotree.common.untrusted import ClaimError, number, one_of, record, saved_document, truth, whole
from spotree.errors import InvalidProblemError, ReadError
from spotree.results.metrics import SAME, gap_share, percent_text
from spotree.results.solution import LARGEST_FILE, VERSION, Solution, SolveStatus, solution_of
from spotree.trees.policy import TreePolicy
from spotree.trees.text import leaves_text


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
    def bound(self) -> float:
        """No tree with so many leaves returns more."""
        return self.solution.bound

    @property
    def optimum(self) -> float:
        return self.solution.optimum

    @property
    def seconds(self) -> float:
        return self.solution.seconds

    @property
    def exact(self) -> bool:
        """Whether an optimal tree was asked for, up to rounding, not one within a tolerance."""
        return self.of in ("optimum", "random") and self.tolerance == 0

    @property
    def gap_text(self) -> str:
        """The gap in words."""
        figures = self.solution.figures
        if figures.shown(-self.solution.loss) == 0 or self.gap < SAME:
            return "no gap to the best policy"
        return figures.beside_best or f"{self.solution.loss:.6g} from the best policy"

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
        """What the tree returns less than the best policy, as a share of that; inf where it is none (`gap_share`)."""
        return gap_share(self.solution.value, self.solution.optimum)

    def __repr__(self) -> str:
        return f"<Smallest of {shown(self.solution.model)}: {self.words}, {self.gap_text}>"

    def _repr_html_(self) -> str:
        from spotree.exports.notebook import smallest_html

        return smallest_html(self)

    def save(self, path: str | Path) -> None:
        """Write the answer as JSON: a file that `Smallest.load` reads back, and `Solution.load` without the target."""
        entry = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "solution"}
        entry |= {"status": self.status.name}
        with whole_file(path) as stream:
            stream.write((json.dumps(self.solution.document() | {"smallest": entry}, indent=1) + "\n").encode())

    @staticmethod
    def load(path: str | Path) -> "Smallest":
        """Read an answer that `save` wrote; says which entry of another file is wrong."""
        claim = saved_document(path, "solution", VERSION, LARGEST_FILE)
        if "smallest" not in claim:
            raise ReadError(f"{path}: a solution without a target; Solution.load reads it")
        entry = claim["smallest"]
        try:
            _SMALLEST("smallest", entry)
            plain = {f.name: entry[f.name] for f in fields(Smallest) if f.name not in ("solution", "status")}
            return Smallest(solution_of(claim), status=SolveStatus[entry["status"]], **plain)
        except (ClaimError, InvalidProblemError) as error:
            raise ReadError(f"{path}: missing or broken entry: {error}") from error

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


_SMALLEST = record(
    {
        "target": number(),
        "tolerance": number(0),
        "of": one_of("optimum", "random", "return", "policy"),
        "reached": truth,
        "least_leaves": whole(1),
        "status": one_of(*SolveStatus.__members__),
    }
)
