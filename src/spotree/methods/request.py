"""What may be asked of a search, checked before any work is done."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from spotree.checkpoint import Keeper
from spotree.cluster.crew import Crew
from spotree.errors import InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.history import Progress
from spotree.methods.start import Start, fitting_start
from spotree.step.problem import whole_from
from spotree.tree.text import leaves_text
from spotree.tree.tree import Tree

ENOUGH = 2**20  # leaves, or splits on a path: more than any tree has that a search can make

if TYPE_CHECKING:
    from spotree.methods.frame import Frame
    from spotree.methods.prover import Prover
    from spotree.methods.saved_search import SavedSearch

    MakeProver: TypeAlias = Callable[[Frame, int, Callable[[Progress], Any]], Prover]


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
    keeper: Keeper | None = None  # and for those that keep checkpoints
    saved: "SavedSearch | None" = None  # what a checkpoint says
    crew: Crew | None = None  # for those that know how to use many machines

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
    whole_from(0, "depth", depth)
    if max_leaves is not None:
        whole_from(1, "max_leaves", max_leaves)


def check_limits(time_limit: Any, seed: Any, threads: Any) -> None:
    """How long, by which chance and on how many cores."""
    if time_limit is not None and (not isinstance(time_limit, Real) or not float(time_limit) >= 0):
        raise InvalidProblemError(f"time_limit is {time_limit!r}; it must be 0 or more seconds, or None")
    whole_from(0, "seed", seed)
    if threads is not None:
        whole_from(1, "threads", threads)
