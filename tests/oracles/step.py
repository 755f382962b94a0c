"""The improvement step by plain recursion: every split of every set of rows, nothing clever."""

import numpy as np

from spotree.improvement.problem import FREE, UNSPLIT, TreeProblem


def best_value(problem: TreeProblem) -> float:
    """The largest sum of gains that a tree of the problem collects; -inf if none fits `max_leaves`."""
    features, gain, frozen = problem.features, problem.gain, problem.frozen
    inner = 2**problem.depth - 1
    most_leaves = min(problem.max_leaves or inner + 1, inner + 1)
    unlimited = most_leaves == inner + 1
    goes_left = [
        features[:, f] < (low + high) / 2
        for f in range(features.shape[1])
        for low, high in zip(np.unique(features[:, f])[:-1], np.unique(features[:, f])[1:], strict=True)
    ]
    memo: dict[tuple[int, int, bytes], float] = {}

    def best(node: int, rows: np.ndarray, leaves: int) -> float:
        key = (node, leaves, rows.tobytes())
        if key not in memo:
            memo[key] = compute(node, rows, leaves)
        return memo[key]

    def compute(node: int, rows: np.ndarray, leaves: int) -> float:
        fixed = FREE if frozen is None or node >= inner else frozen.feature[node]
        while fixed == UNSPLIT and node < inner:  # nothing splits below: the rightmost leaf decides
            node = 2 * node + 2
        if node >= inner:
            action = FREE if frozen is None else frozen.action[node - inner]
            sums = gain[rows].sum(axis=0)
            return float(sums.max() if action == FREE else sums[action])
        if fixed >= 0:
            assert frozen is not None
            return split(node, rows, features[:, fixed] < frozen.threshold[node], leaves)
        one_way = max(best(2 * node + 2, rows, leaves), best(2 * node + 1, rows, leaves))
        ways = [left for left in goes_left if 0 < np.count_nonzero(rows & left) < np.count_nonzero(rows)]
        return max([one_way, *(split(node, rows, left, leaves) for left in ways)])

    def split(node: int, rows: np.ndarray, left: np.ndarray, leaves: int) -> float:
        shares = [(leaves, leaves)] if unlimited else [(k, leaves - k) for k in range(1, leaves)]
        return max(
            (best(2 * node + 1, rows & left, k) + best(2 * node + 2, rows & ~left, j) for k, j in shares),
            default=-np.inf,
        )

    return best(0, np.ones(len(features), dtype=bool), most_leaves)
