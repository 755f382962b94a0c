"""The best tree so far, and the short searches for better ones."""

import math

from spotree.methods.neighbourhood import Neighbourhood
from spotree.methods.request import Request
from spotree.methods.solution import SolveStatus
from spotree.proof.problem import Problem
from spotree.tree.tree import Tree, leaf

FIRST_SEARCH = 1.0  # seconds; each search beside a proof takes twice as long as the one before
PREPARED_TIMES = 3  # what the proof's preparations took: a search makes its own on top of its seconds
WAIT = 2  # lengths of a search that pass before it, and must fit into the budget: all together take less than it


def search_due(made: int, seconds: float, budget: float) -> float | None:
    """Seconds for the next search beside a proof, after so many of them; None if it is too early or too long."""
    length = FIRST_SEARCH * 2**made
    return length if WAIT * length < seconds and WAIT * length <= budget else None


class Incumbent:
    """The best tree and its return; -inf before the first feasible tree."""

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        self.found: Tree | None = None
        self.value = -math.inf
        self.searches = 0

    @property
    def tree(self) -> Tree:
        return self.found if self.found is not None else leaf(0)

    def offer(self, tree: Tree) -> None:
        """Take a tree of the asked size if it is better than what is known."""
        value = self.problem.frame.return_of(tree)
        if value > self.value:
            self.found, self.value = tree, value

    def search(self, seconds: float) -> bool:
        """Look for a better tree for a while; True if that was interrupted."""
        frame = self.problem.frame
        if frame.hurried:
            return False
        request = Request(
            frame.depth,
            frame.max_leaves,
            time_limit=min(seconds + PREPARED_TIMES * self.problem.prepared, self.problem.left),
            seed=self.searches,
            threads=self.threads if self.searches == 0 else 1,
            start=self.found,
        )
        found = Neighbourhood().run(frame.mdp, request)
        self.searches += 1
        self.offer(found.policy.tree)
        return found.status is SolveStatus.INTERRUPTED
