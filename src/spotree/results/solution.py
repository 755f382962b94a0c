"""Solution: policy, value, bound on all trees of its size, status and history."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from spotree.common.arrays import ActionOf, Features
from spotree.common.atomic_file import whole_file
from spotree.common.json_format import document
from spotree.common.sanitize import shown
from spotree.common.untrusted import (
    ClaimError,
    in_short,
    list_of,
    named,
    number,
    one_of,
    optional,
    record,
    saved_document,
    text,
    whole,
)
from spotree.errors import InvalidProblemError, ReadError
from spotree.evaluation.availability import MissingActions
from spotree.mdp.model import MDP, Sense
from spotree.mdp.source import ModelSource, claimed_source, source_entry
from spotree.results.metrics import Figures, gap_share
from spotree.results.progress import Progress, Size, claimed_line, line_entry, spoken
from spotree.results.provenance import model_of
from spotree.trees.policy import TreePolicy
from spotree.trees.serialize import claimed_tree, fits_names, tree_entry, tree_lists
from spotree.trees.text import size_text
from spotree.trees.tree import Tree

FORMAT = "spotree-solution"
VERSION = 1
LARGEST_FILE = 2**26  # bytes
DEEPEST = 2**53  # what may be asked for: no tree is that deep, and nothing is made of that size


class SolveStatus(StrEnum):
    """How a run ended; the value is the sentence to show."""

    OPTIMAL = "proved optimal"
    TRUSTED = "optimal if the file that the run was resumed from is right, which was not checked"
    TIME_LIMIT = "stopped at the time limit; the tree is the best found"
    NO_ROUND = "stopped at the time limit before a round of the search was completed; the tree is the best found"
    STUCK = "the proof ends within rounding: nothing is left to be parted; the tree is the best found"
    TOO_LARGE = "too large for a proof; the tree is the best found in the time"
    FINISHED = "finished; the tree is the best found"
    INTERRUPTED = "interrupted; the tree is the best found"
    LOST = "lost its workers; the tree is the best found"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Solution:
    """A tree policy and its proof.

    Attributes
    ----------
    policy
        The best tree found.
    value
        Its expected discounted return, by a linear solve.
    bound
        Proven upper bound on the return of any tree of the asked size; at most `optimum`, unless its error is more
        than rounding: then that is part of the bound.
    optimum, random_value
        Return of the best unrestricted policy and of the uniformly random one.
    depth, max_leaves
        The size that was asked for.
    error
        Proved: neither `value`, `optimum` nor `random_value` is further from the truth, and no tree of the asked
        size returns more than `bound` plus this. Rounding alone unless the time limit broke a computation off;
        0 in files of older versions, which did not say.
    sense
        "min" where values are negated costs; `cost` and all that a person reads then show them as positive.
    steps
        Undiscounted: the expected number of time steps until the tree earns nothing any more; None where discounted,
        where float64 cannot tell, or where no `solve` asked.
    lacking
        How many visited states do not offer the tree's action, and how often; None in files of older versions.
    notes
        What was solved, in the words of the reader: reward, goal, actions, what was left out.
    source
        The file, shipped name or environment that the model was read from, with the reading options; None where it
        was made of arrays.
    history
        Moments of the run, at least one for every new best.
    frontier
        What trees of other sizes return, where the run sought them (`spotree.frontier`).
    trusted
        The checkpoint or certificate that a resumed run took `bound` from without proving it again; None where the
        run itself has shown the bound. A tree that meets such a bound has the status TRUSTED and is not
        `proved_optimal`.
    """

    policy: TreePolicy
    value: float
    bound: float
    optimum: float
    random_value: float
    depth: int
    status: SolveStatus
    method: str
    seconds: float
    max_leaves: int | None = None
    model: str = "mdp"
    missing: str = "random"
    discount: float = 0.99
    seed: int | None = None
    error: float = 0.0
    sense: Sense = "max"
    steps: float | None = None
    lacking: MissingActions | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    history: tuple[Progress, ...] = field(default=())
    frontier: tuple[Size, ...] = field(default=())
    source: ModelSource | None = None
    trusted: str | None = None

    def __repr__(self) -> str:
        value = f"value {self.value:z.6g} <= {self.bound:z.6g}"
        if self.sense == "min":
            value = f"cost {0.0 - self.value:.6g} >= {0.0 - self.bound:.6g}"
        made = f"{shown(self.model)} by {self.method}"
        trust = "" if self.trusted is None else f", bound {self.figures.trust_words}"
        return f"<Solution of {made}: {size_text(self.policy.tree)}, {value}, {self.status}{trust}>"

    def _repr_html_(self) -> str:
        from spotree.exports.notebook import solution_html

        return solution_html(self)

    def actions(self, features: Features) -> ActionOf:
        """What the policy does for each row of `features` [state, feature]."""
        return self.policy.actions(features)

    def tree_for(self, feature_names: Sequence[str], action_names: Sequence[str]) -> Tree:
        """The policy's tree, with features and actions numbered as in these names."""
        return self.policy.tree_for(feature_names, action_names)

    @property
    def cost(self) -> float | None:
        """The expected cost of the tree where `sense` is "min" (-value), None where values are rewards."""
        return 0.0 - self.value if self.sense == "min" else None

    @property
    def loss(self) -> float:
        """What the tree loses against the best policy (optimum - value); never below 0."""
        return max(0.0, self.optimum - self.value)

    @property
    def figures(self) -> Figures:
        """The numbers as a person reads them: costs as costs, and ratios where they mean something."""
        return Figures(
            optimum=self.optimum,
            random=self.random_value,
            value=self.value,
            bound=self.bound,
            sense=self.sense,
            error=self.error,
            proved=self.proved_optimal,
            trusted=self.trusted,
        )

    @property
    def of_optimum(self) -> float | None:
        """value / optimum, the paper's normalised return; None where more would not be better, as for costs."""
        return self.figures.of_optimum

    @property
    def over_random(self) -> float | None:
        """(value - random) / (optimum - random), as dtPAYNT and OMDT report it; None where it means nothing."""
        return self.figures.over_random

    @property
    def gap(self) -> float:
        """How far the bound is above the value, as a share of the bound: 0.02 says that another tree may be 2 % better.

        inf where it is no share: the two differ in sign, or by more than the bound itself. 0 when the proof is
        complete: what then remains is below its tolerance, which is relative to the optimum and may be more than a
        tiny value.
        """
        return 0.0 if self.proved_optimal else gap_share(self.value, self.bound)

    @property
    def proved_optimal(self) -> bool:
        """Whether this run has proved that no tree of the asked size returns more (up to the tolerance of the proof).

        False where the proof rests on the bound of a file (`trusted`).
        """
        return self.status is SolveStatus.OPTIMAL

    @property
    def optimal(self) -> bool:
        """The same as `proved_optimal`."""
        return self.proved_optimal

    def save(self, path: str | Path) -> None:
        """Write the solution as JSON; a file that is there already is replaced in one step."""
        with whole_file(path) as stream:
            stream.write((json.dumps(self.document(), indent=1) + "\n").encode())

    def report(self, path: str | Path, mdp: MDP | None = None) -> None:
        """Write one page of HTML that shows the tree and all that is known of it; it needs nothing else to be read.

        Parameters
        ----------
        mdp
            The model, read as for the run; needed for a solution from a file, and if the model is not held any more.
        """
        from spotree.report.page import write_report

        write_report(self, model_of(self, mdp), path)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and lists."""
        apart = ("policy", "history", "frontier", "notes", "source")
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in apart}
        return plain | {
            "status": self.status.name,
            "lacking": None if self.lacking is None else asdict(self.lacking),
            "notes": dict(self.notes),
            "source": None if self.source is None else self.source.as_dict(),
            "tree": tree_lists(self.policy.tree),
            "feature_names": list(self.policy.feature_names),
            "action_names": list(self.policy.action_names),
            "history": [asdict(line) for line in self.history],
            "frontier": [asdict(size) for size in self.frontier],
        }

    def document(self) -> dict[str, Any]:
        """What `save` writes and `--json` prints: null stands for what is infinite.

        Beside what `load` needs it says what a reader would have to work out: the `figures`, `proved_optimal`,
        `status_text` and the tree as `text`.
        """
        derived = self.figures.as_dict() | {
            "proved_optimal": self.proved_optimal,
            "status_text": str(self.status),
            "text": str(self.policy),
        }
        return document("solution", self.as_dict() | derived, VERSION)

    @staticmethod
    def load(path: str | Path) -> "Solution":
        """Read a solution that `save` wrote; says which entry of another file is wrong."""
        claim = saved_document(path, "solution", VERSION, LARGEST_FILE)
        try:
            return solution_of(claim)
        except (ClaimError, InvalidProblemError) as error:
            raise ReadError(f"{path}: missing or broken entry: {error}") from error


def solution_of(claim: dict[str, Any]) -> Solution:
    """The solution that a document describes, once its entries pass their checks."""
    _SOLUTION("", claim)
    tree = claimed_tree(claim["tree"])
    features, actions = tuple(claim["feature_names"]), tuple(claim["action_names"])
    fits_names(tree, features, actions)
    if tree.depth > claim["depth"]:
        raise ClaimError(f"depth is {claim['depth']}, but the tree has depth {tree.depth}")
    if claim["max_leaves"] is not None and tree.num_leaves > claim["max_leaves"]:
        raise ClaimError(f"max_leaves is {claim['max_leaves']}, but the tree has {tree.num_leaves} leaves")
    if (claim["status"] == "TRUSTED" and claim.get("trusted") is None) or (
        claim["status"] == "OPTIMAL" and claim.get("trusted") is not None
    ):
        raise ClaimError(f"status is {claim['status']!r}, but trusted is {in_short(claim.get('trusted'))}")
    derived = {"policy", "history", "frontier", "status", "source", "lacking"}
    absent = {"error": 0.0, "sense": "max", "steps": None, "lacking": None, "notes": {}, "trusted": None}
    claim = spoken(absent | claim, _INFINITE)
    plain = {f.name: claim[f.name] for f in fields(Solution) if f.name not in derived}
    return Solution(
        policy=TreePolicy(tree, features, actions),
        status=SolveStatus[claim["status"]],
        lacking=_missing_actions(claim["lacking"]),
        history=tuple(map(claimed_line, claim["history"])),
        source=claimed_source(claim.get("source")),
        frontier=tuple(Size(**{f.name: size[f.name] for f in fields(Size)}) for size in claim.get("frontier", [])),
        **plain,
    )


def _missing_actions(claim: Mapping[str, Any] | None) -> MissingActions | None:
    return None if claim is None else MissingActions(**{f.name: claim[f.name] for f in fields(MissingActions)})


# What null says, as JSON has no infinite numbers (files of older versions spell them out).
_INFINITE = {"random_value": -math.inf, "error": math.inf}


_SIZE = record({"leaves": whole(1), "value": number(), "bound": number()})
_LACKING = record({"states": whole(0), "reached": whole(0), "share": optional(number(0, 1))})
_SOLUTION = record(
    {
        "value": number(),
        "bound": number(),
        "optimum": number(),
        "random_value": optional(
            number(infinite=True)
        ),  # where the random policy takes a forbidden action it is -inf
        "depth": whole(0, DEEPEST),
        "max_leaves": optional(whole(1)),
        "status": one_of(*SolveStatus.__members__),
        "method": text(),
        "seconds": number(0),
        "model": text(),
        "missing": text(),
        "discount": number(0, 1),
        "seed": optional(whole(0)),
        "tree": tree_entry,
        "feature_names": list_of(text()),
        "action_names": list_of(text(), least=1),
        "history": list_of(line_entry),
    },
    {
        "error": optional(number(0, infinite=True)),
        "sense": one_of("max", "min"),
        "steps": optional(number(0)),
        "lacking": optional(_LACKING),
        "notes": named(text(2**20)),
        "frontier": list_of(_SIZE),
        "source": optional(source_entry),
        "trusted": optional(text()),
    },
)
