"""The referee: tries every tree of a tiny problem."""

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from spotree.common.arrays import Floats
from spotree.errors import InvalidProblemError
from spotree.improvement.engine import Engine
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, TreeProblem, too_few_leaves
from spotree.improvement.result import Status, StepResult
from spotree.trees.splits import midpoint
from spotree.trees.tree import Tree, make_tree

MOST_TABLES = 2_000_000  # tables of leaf sums that a call may fill before it is refused

ALL_RIGHT, ALL_LEFT = (-1, -np.inf), (-1, np.inf)
Split = tuple[int, float]  # feature, threshold; feature -1: every row goes one way
Branch = tuple[Split, "Branch", "Branch"] | int  # a split with both sides, or an action


@dataclass(frozen=True, slots=True)
class Exhaustive(Engine):
    """Plain recursion over all splits of all nodes, for problems small enough to enumerate.

    A node without a frozen split may also send all its rows one way. It shares no code with the other engines and
    takes no limit: a problem that would take long is refused instead.
    """

    @property
    def name(self) -> str:
        return "exhaustive"

    def search(self, problem: TreeProblem, limits: Limits, start: Tree | None) -> StepResult:
        began = time.perf_counter()
        trees = _AllTrees(problem)
        value, branch = trees.best(0, np.ones(len(problem.gain), dtype=bool), trees.most_leaves)
        if value == -np.inf:
            raise too_few_leaves(problem)
        tree = _as_tree(branch)
        value = float(problem.gain[np.arange(len(problem.gain)), tree.actions(problem.features)].sum())
        seconds = time.perf_counter() - began
        return StepResult(tree, value, value, Status.OPTIMAL, seconds, self.name, {"tables": trees.tables})


class _AllTrees:
    """The recursion and what it needs to know of the problem."""

    def __init__(self, problem: TreeProblem) -> None:
        self.problem = problem
        self.gain = problem.gain
        self.num_inner = (1 << problem.depth) - 1
        self.most_leaves = min(problem.max_leaves or 2**problem.depth, 2**problem.depth)
        self.splits = [ALL_RIGHT, ALL_LEFT, *_candidates(problem)]
        self.goes_left = np.array([self._left_rows(split) for split in self.splits])
        self.tables = 0
        digits = max(problem.depth - 1, 0) * math.log10(2 * len(self.splits))
        if digits > math.log10(MOST_TABLES):
            raise InvalidProblemError(
                f"about 1e{digits:.0f} tables of leaf sums for {len(self.splits)} splits at depth {problem.depth}"
                f" are too many to enumerate (at most {MOST_TABLES}); use engine='exact'"
            )

    def best(self, node: int, rows: np.ndarray, leaves: int) -> tuple[float, Branch]:
        """Most gain of `rows` below a node of the complete tree with so many leaves, and a way to get it."""
        if node >= self.num_inner:
            return self._best_action(node - self.num_inner, rows)
        frozen = FREE if self.problem.frozen is None else int(self.problem.frozen.feature[node])
        if frozen == UNSPLIT:
            return self._best_action(self._rightmost_leaf(node), rows)
        if frozen != FREE:
            assert self.problem.frozen is not None
            split = (frozen, float(self.problem.frozen.threshold[node]))
            return self._best_split(node, rows, leaves, split, self._left_rows(split))
        right = self.best(2 * node + 2, rows, min(leaves, self._full(2 * node + 2)))
        left = self.best(2 * node + 1, rows, min(leaves, self._full(2 * node + 1)))
        answer = max(right, left, key=itemgetter(0))
        if leaves == 1:
            return answer
        if 2 * node + 1 >= self.num_inner:  # both children are leaves: all splits in one table
            return max(answer, self._best_stump(node, rows), key=itemgetter(0))
        for split, goes_left in zip(self.splits[2:], self.goes_left[2:], strict=True):
            if goes_left[rows].any() and not goes_left[rows].all():
                found = self._best_split(node, rows, leaves, split, goes_left)
                answer = max(answer, found, key=itemgetter(0))
        return answer

    def _best_split(
        self, node: int, rows: np.ndarray, leaves: int, split: Split, goes_left: np.ndarray
    ) -> tuple[float, Branch]:
        answer: tuple[float, Branch] = (-np.inf, 0)
        for for_left, for_right in self._shares(node, leaves):
            left, left_branch = self.best(2 * node + 1, rows & goes_left, for_left)
            right, right_branch = self.best(2 * node + 2, rows & ~goes_left, for_right)
            if left + right > answer[0]:
                answer = (left + right, (split, left_branch, right_branch))
        return answer

    def _best_stump(self, node: int, rows: np.ndarray) -> tuple[float, Branch]:
        self.tables += 1
        inside = self.gain * rows[:, None]
        on_left = self.goes_left @ inside  # [split, action]
        on_right = inside.sum(axis=0) - on_left
        left, right = 2 * node + 1 - self.num_inner, 2 * node + 2 - self.num_inner
        action_left, action_right = self._choose(left, on_left), self._choose(right, on_right)
        every = np.arange(len(self.splits))
        totals = on_left[every, action_left] + on_right[every, action_right]
        if len(totals) == 2:
            return -np.inf, 0
        first = 2 + int(np.argmax(totals[2:]))
        return float(totals[first]), (self.splits[first], int(action_left[first]), int(action_right[first]))

    def _best_action(self, leaf: int, rows: np.ndarray) -> tuple[float, Branch]:
        sums = self.gain[rows].sum(axis=0, keepdims=True)
        action = int(self._choose(leaf, sums)[0])
        return float(sums[0, action]), action

    def _choose(self, leaf: int, sums: Floats) -> np.ndarray:
        if self.problem.frozen is not None and self.problem.frozen.action[leaf] != FREE:
            return np.full(len(sums), self.problem.frozen.action[leaf])
        chosen: np.ndarray = np.argmax(sums, axis=1)
        return chosen

    def _left_rows(self, split: Split) -> np.ndarray:
        feature, threshold = split
        if feature < 0:
            return np.full(len(self.gain), threshold > 0)
        below: np.ndarray = self.problem.features[:, feature] < threshold
        return below

    def _rightmost_leaf(self, node: int) -> int:
        while node < self.num_inner:
            node = 2 * node + 2
        return node - self.num_inner

    def _full(self, node: int) -> int:
        """Leaves of the complete tree below a node."""
        level = (node + 1).bit_length() - 1
        return 1 << (self.problem.depth - level)

    def _shares(self, node: int, leaves: int) -> Iterator[tuple[int, int]]:
        """All ways to share out leaves between both sides, without wasting any."""
        half = self._full(2 * node + 1)
        for for_left in range(max(1, leaves - half), min(half, leaves - 1) + 1):
            yield for_left, leaves - for_left


def _candidates(problem: TreeProblem) -> list[Split]:
    """Midpoints between neighbouring values of each feature, found plainly: a referee shares no ranks."""
    splits = []
    for feature in range(problem.features.shape[1]):
        values = np.unique(problem.features[:, feature])
        for below, above in itertools.pairwise(values):
            splits.append((feature, float(midpoint(below, above))))
    return splits


def _as_tree(branch: Branch) -> Tree:
    nodes: list[list[float]] = []

    def add(part: Branch) -> int:
        place = len(nodes)
        if isinstance(part, int):
            nodes.append([-1, 0.0, -1, -1, part])
        else:
            (feature, threshold), left, right = part
            nodes.append([feature, threshold, -1, -1, -1])
            nodes[place][2] = add(left)
            nodes[place][3] = add(right)
        return place

    add(branch)
    return make_tree(*zip(*nodes, strict=True))
