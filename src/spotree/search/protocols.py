"""What proves beside a search, as the search sees it; this one proves nothing."""

import math
from typing import Protocol

from spotree.results.solution import Solution
from spotree.trees.tree import Tree


class Searching(Protocol):
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

    def turn(self, search: Searching) -> bool:
        """Take a turn after a round of the search, for as long as that pays; True once the best tree is proved."""
        return False

    def keep(self, solution: Solution) -> None:
        """Write down the proof of what the run answers, where that was asked for."""

    def drop(self) -> None:
        """Let go of everything that is not kept."""
