"""Request to a search, validated before any work, and the protocols of searches and provers."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from spotree.checkpoint import CheckpointWriter
from spotree.cluster.job_scheduler import JobScheduler
from spotree.errors import InvalidProblemError
from spotree.improvement.limits import at_least, check_threads
from spotree.improvement.problem import LARGEST, whole_from
from spotree.mdp.model import MDP
from spotree.results.progress import Progress
from spotree.results.solution import Solution
from spotree.search.first_tree import Start, fitting_start
from spotree.trees.text import leaves_text
from spotree.trees.tree import Tree

if TYPE_CHECKING:
    from spotree.search.run_context import RunContext
    from spotree.search.saved_search import SavedSearch


class RunningSearch(Protocol):
    """A search between two rounds."""

    @property
    def value(self) -> float: ...

    def best(self) -> Tree: ...

    def offer(self, tree: Tree) -> None: ...


class Prover:
    """Proves nothing: for those who want the search alone.

    Attributes
    ----------
    bound
        No tree of the asked size returns more.
    within
        What a tree may return less than the bound and count as optimal.
    """

    bound: float = math.inf
    within: float = 0.0

    def turn(self, search: RunningSearch) -> bool:
        """Take a turn after a round of the search, for as long as that pays; True once the best tree is proved."""
        return False

    def keep(self, solution: Solution) -> None:
        """Write down the proof of what the run answers, where that was asked for."""

    def drop(self) -> None:
        """Let go of everything that is not kept."""


MakeProver: TypeAlias = "Callable[[RunContext, int, Callable[[Progress], Any]], Prover]"


MOST_SEED = 2**63 - 1
ENOUGH = 2**20  # leaves, or splits on a path: more than any tree has that a search can make


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What every method is asked: the size of tree, how long, by which chance, on how many cores, from where.

    What each means stands in the help of `solve`; None is no limit, all cores, or nothing to begin with or to call.
    """

    depth: int
    max_leaves: int | None = None
    time_limit: float | None = 60.0
    seed: int = 0
    threads: int | None = None
    start: Start | None = None
    progress: Callable[[Progress], Any] | None = None
    prover: "MakeProver | None" = None  # for methods that let one prove beside them
    keeper: CheckpointWriter | None = None  # and for those that keep checkpoints
    saved: "SavedSearch | None" = None  # what a checkpoint says
    scheduler: JobScheduler | None = None  # for those that know how to use many machines

    def __post_init__(self) -> None:
        check_limits(self.time_limit, self.seed, self.threads)

    def tell(self, line: Progress) -> None:
        """Call `progress`, if there is one."""
        if self.progress is not None:
            self.progress(line)

    def start_tree(self, mdp: MDP) -> Tree | None:
        """The start in the model's terms; first the model and the size are checked."""
        check_size(mdp, self.depth, self.max_leaves)
        return None if self.start is None else fitting_start(self.start, mdp, self.depth, self.max_leaves)


def depth_of(depth: Any, max_leaves: Any) -> Any:
    """The depth asked for, or what trees of so many leaves can have at most."""
    if depth is None and max_leaves is None:
        raise InvalidProblemError("no size is given: give depth, max_leaves or both")
    if depth is None:
        whole_from(1, "max_leaves", max_leaves)
    return max_leaves - 1 if depth is None else depth


def asked_text(depth: int, max_leaves: int | None) -> str:
    """The size asked for, in words."""
    if max_leaves is not None and depth >= max_leaves - 1:
        return f"at most {leaves_text(max_leaves)}"
    if max_leaves is None and depth >= ENOUGH:
        return "any size"
    return f"depth {depth}" + ("" if max_leaves is None else f", at most {max_leaves} leaves")


def check_size(mdp: Any, depth: Any, max_leaves: Any) -> None:
    """A model and a size of tree."""
    if not isinstance(mdp, MDP):
        given = f"{type(mdp).__name__} {mdp!r:.40}" if isinstance(mdp, str) else type(mdp).__name__
        raise InvalidProblemError(f"expected an MDP, got {given}; load(name), read(file) and build_mdp give one")
    if max_leaves is not None:  # first: a depth that nobody gave follows from it
        whole_from(1, "max_leaves", max_leaves, LARGEST)
    whole_from(0, "depth", depth, LARGEST)


def check_limits(time_limit: Any, seed: Any, threads: Any) -> None:
    """How long, by which chance and on how many cores."""
    at_least(0, "time_limit", time_limit, " seconds, or None")
    whole_from(0, "seed", seed, MOST_SEED)
    check_threads(threads)
