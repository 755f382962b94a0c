"""The best tree so far, and the search for better ones: that of `solve`, a few rounds at a time."""

import math
from collections.abc import Callable

from spotree.methods.neighbourhood import Neighbourhood
from spotree.proof.problem import Problem
from spotree.search.select_search import Searcher, searcher
from spotree.trees.tree import Tree, leaf

FIRST_SEARCH = 1.0  # seconds; each search beside a proof takes twice as long as the one before
WAIT = 2  # lengths of a search that pass before it, and must fit into the budget: all together take less than it


PAYING_SHARE = 0.5  # of the time: for searches right after one that found a better tree


def search_due(
    made: int, seconds: float, budget: float, paid: bool = False, time_limit: float = math.inf
) -> float | None:
    """Seconds for the next search beside a proof, after so many of them; None if it is too early or too long.

    Where the last one `paid`, it goes on at once, up to a share of the time.
    """
    length = float(FIRST_SEARCH * 2**made)
    if paid and made and seconds + length <= PAYING_SHARE * time_limit:
        return length
    return length if WAIT * length < seconds and WAIT * length <= budget else None


class Incumbent:
    """The best tree and its return; -inf before the first feasible tree."""

    def __init__(self, problem: Problem, threads: int) -> None:
        self.problem, self.threads = problem, threads
        self.found: Tree | None = None
        self.value = -math.inf
        self.rounds = 0
        self._search: Searcher | None = None

    @property
    def tree(self) -> Tree:
        return self.found if self.found is not None else leaf(0)

    def offer(self, tree: Tree) -> None:
        """Take a tree of the asked size if it is better than what is known."""
        value = self.problem.frame.return_of(tree)
        if value > self.value:
            self.found, self.value = tree, value

    def search(self, seconds: float, rounds: int | None = None, go_on: Callable[[], bool] = lambda: True) -> bool:
        """Go on with the search for so many seconds or rounds, as long as `go_on` says so after each.

        True if it was interrupted.
        """
        frame = self.problem.frame
        if frame.hurried:
            return False
        end = frame.seconds + min(seconds, self.problem.left)
        last = math.inf if rounds is None else self.rounds + rounds
        try:
            search = self._started()
            while frame.seconds < end and self.rounds < last:
                search.round(self.rounds, end - frame.seconds)
                self.rounds += 1
                if search.value > self.value:
                    self.offer(search.best())
                if not go_on() or search.complete or frame.closes(search.value, frame.ceiling):
                    break
        except KeyboardInterrupt:
            if self._search is not None:
                self.offer(self._search.best())
            return True
        return False

    def _started(self) -> Searcher:
        """The search, which knows the best tree."""
        frame = self.problem.frame
        if self._search is None:
            assert frame.time_limit is not None
            self._search = searcher(frame, self.threads, Neighbourhood(), frame.time_limit - frame.reserve)
            known = -math.inf
        else:
            known = self._search.value
        if self.found is not None and self.value > known:
            self._search.offer(self.found)
        return self._search
