"""Deep trees: complete ones and trees of any shape in turn; each search starts from the other's best."""

import numpy as np

from spotree.methods.by_leaves import ByLeaves
from spotree.methods.ladder import Ladder
from spotree.tree.prune import prune
from spotree.tree.tree import Tree

TURNS = 4  # one round of so many goes to complete trees


class Deep:
    """Both searches at once."""

    complete = False  # there are too many trees to try every one

    def __init__(self, ladder: Ladder, by_leaves: ByLeaves) -> None:
        self.ladder, self.by_leaves = ladder, by_leaves

    def offer(self, tree: Tree) -> None:
        """Start from a tree of the asked size."""
        self.ladder.offer(tree)
        self.by_leaves.offer(tree)

    def round(self, number: int, seconds: float) -> None:
        """One round of one of them; a better tree is offered to the other."""
        if number % TURNS == TURNS - 1:
            self.ladder.round(number // TURNS, seconds)
            if self.ladder.value > self.by_leaves.value:
                self.by_leaves.offer(self.ladder.best())
        else:
            self.by_leaves.round(number, seconds)
            if self.by_leaves.value > self.ladder.value:
                self.ladder.meet(self.by_leaves.best())

    @property
    def value(self) -> float:
        return float(np.fmax(self.by_leaves.value, self.ladder.value))

    def best(self) -> Tree:
        shallow = self.by_leaves.value >= self.ladder.value
        return self.by_leaves.best() if shallow else prune(self.ladder.best())
