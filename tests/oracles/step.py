"""The improvement step by plain recursion: every split of every set of rows, nothing clever."""

import numpy as np

from spotree.search.problem import FREE, UNSPLIT, TreeProblem


def best_value(problem: TreeProblem) -> float:
    """The largest sum of gains that a tree of the problem collects; -inf if no tree fits `max_leaves`."""
    features, gain, frozen = problem.features, problem.gain, problem.frozen
    inner = 2**problem.depth - 1
    cuts = [
        (f, (low + high) / 2)
        for f in range(features.shape[1])
        for low, high in zip(np.unique(features[:, f])[:-1], np.unique(features[:, f])[1:], strict=True)
    ]
    goes_left = [features[:, f] < threshold for f, threshold in cuts]
    if frozen is not None:  # a free node above a frozen one may also send every row left
        goes_left.append(np.ones(len(features), dtype=bool))
    memo: dict[tuple[int, int, bytes], float] = {}

    def best(node: int, rows: np.ndarray, leaves: int) -> float:
        if leaves < 1:
            return -np.inf
        key = (node, leaves, rows.tobytes())
        if key not in memo:
            memo[key] = compute(node, rows, leaves)
        return memo[key]

    def compute(node: int, rows: np.ndarray, leaves: int) -> float:
        if node >= inner:
            action = FREE if frozen is None else frozen.action[node - inner]
            sums = gain[rows].sum(axis=0)
            return float(sums.max() if action == FREE else sums[action])
        feature = FREE if frozen is None else frozen.feature[node]
        if feature == UNSPLIT:
            return best(2 * node + 2, rows, leaves)
        if feature >= 0:
            assert frozen is not None
            return split(node, rows, features[:, feature] < frozen.threshold[node], leaves)
        value = best(2 * node + 2, rows, leaves)
        for left in goes_left:
            separates = 0 < np.count_nonzero(rows & left) < np.count_nonzero(rows)
            if separates or (frozen is not None and left.all()):
                value = max(value, split(node, rows, left, leaves))
        return value

    def split(node: int, rows: np.ndarray, left: np.ndarray, leaves: int) -> float:
        if not (rows & ~left).any() and (frozen is None or frozen.feature[node] == FREE):
            return best(2 * node + 1, rows, leaves)  # all rows left: the right side needs no leaf
        return max(
            (
                best(2 * node + 1, rows & left, k) + best(2 * node + 2, rows & ~left, leaves - k)
                for k in ([leaves] if leaves >= inner + 1 else range(1, leaves))
            )
            if leaves < inner + 1
            else [best(2 * node + 1, rows & left, leaves) + best(2 * node + 2, rows & ~left, leaves)]
        )

    most = inner + 1 if problem.max_leaves is None else min(problem.max_leaves, inner + 1)
    return best(0, np.ones(len(features), dtype=bool), most)
