"""Two searches in turn, of complete trees and of trees of any shape; each starts from the other's best."""

from spotree.methods.by_leaves import ByLeaves
from spotree.methods.ladder import Ladder
from spotree.tree.prune import prune
from spotree.tree.tree import Tree

TURNS = 4  # one round of so many goes to complete trees


class Mixed:
    """Both searches at once."""

    def __init__(self, ladder: Ladder, by_leaves: ByLeaves) -> None:
        self.ladder, self.by_leaves = ladder, by_leaves

    def offer(self, tree: Tree) -> None:
        """Start from a tree of the asked size."""
        self.ladder.offer(tree)
        self.by_leaves.offer(tree)

    def recall(self, tree: Tree) -> None:
        """One of the `others` of a run before."""
        self.ladder.recall(tree)
        self.by_leaves.recall(tree)

    def others(self) -> list[Tree]:
        """Further good trees of both."""
        return [*self.ladder.others(), *self.by_leaves.others()]

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
    def complete(self) -> bool:
        """Whether every tree has been tried."""
        return self.ladder.complete

    @property
    def value(self) -> float:
        return max(self.by_leaves.value, self.ladder.value)

    def best(self) -> Tree:
        free = self.by_leaves.value > self.ladder.value
        return self.by_leaves.best() if free else prune(self.ladder.best())
