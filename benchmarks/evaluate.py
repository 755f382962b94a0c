"""How long it takes to evaluate a tree on a large model, against SciPy's sparse LU on the same matrix.

python benchmarks/evaluate.py [--max-backoff 4] [--trees 20] [--splu 1] [--seed 0]

CPU seconds of one thread, from the tree to the answer, routing included. "return" is `evaluate` (only states that
the tree can reach), "values" is `policy_value` (all states); "splu" factors and solves the same matrix as "values".
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from spotree.evaluation import certified_return, certified_values, optimum
from spotree.mdp import MDP
from spotree.models.protocols import wlan
from spotree.trees.tree import Tree, make_tree


def random_tree(mdp: MDP, depth: int, rng: np.random.Generator) -> Tree:
    """A full tree: any feature, any threshold between two of its values, any action."""
    splits, leaves = 2**depth - 1, 2**depth
    inner = np.arange(splits)
    feature = rng.integers(0, mdp.num_features, splits)
    threshold = []
    for column in feature:
        known = np.unique(mdp.features[:, column])
        at = rng.integers(0, max(len(known) - 1, 1))
        threshold.append(known[at : at + 2].mean())
    none, zero = np.full(leaves, -1), np.zeros(leaves)
    return make_tree(
        np.concatenate([feature, none]),
        np.concatenate([threshold, zero]),
        np.concatenate([2 * inner + 1, none]),
        np.concatenate([2 * inner + 2, none]),
        np.concatenate([np.full(splits, -1), rng.integers(0, mdp.num_actions, leaves)]),
    )


def seconds(job: Callable[[], object]) -> tuple[float, object]:
    start = time.process_time()
    result = job()
    return time.process_time() - start, result


def by_splu(mdp: MDP, tree: Tree) -> np.ndarray:
    rows = mdp.choice_of[np.arange(mdp.num_states), tree.actions(mdp.features)]
    matrix = sp.eye(mdp.num_states, format="csc") - mdp.discount * mdp.rows[rows].tocsc()
    return splu(matrix).solve(mdp.reward_of_choice[rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-backoff", type=int, default=4)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--splu", type=int, default=1, help="on how many of the trees SciPy is run too")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    reading, mdp = seconds(lambda: wlan(options.max_backoff))
    rng = np.random.default_rng(options.seed)
    times: dict[str, list[float]] = {"return": [], "values": [], "splu": []}
    ratios, differences, errors = [], [], []
    for number in range(options.trees):
        tree = random_tree(mdp, 3, rng)
        spent, returned = seconds(lambda tree=tree: certified_return(mdp, tree))
        times["return"].append(spent)
        errors.append(returned.relative)
        spent, ours = seconds(lambda tree=tree: certified_values(mdp, tree))
        times["values"].append(spent)
        if number < options.splu:
            spent_there, theirs = seconds(lambda tree=tree: by_splu(mdp, tree))
            times["splu"].append(spent_there)
            ratios.append(spent_there / spent)
            differences.append(np.abs(ours.value - theirs).max() / np.abs(theirs).max())
    best, found = seconds(lambda: optimum(mdp))

    print(
        f"{mdp.name}: {mdp.num_states:,} states, {mdp.num_choices:,} choices, {mdp.num_transitions:,} transitions"
    )
    print(f"{'':10}{'runs':>6}{'median s':>12}{'largest s':>12}")
    for name, spent_all in times.items():
        if spent_all:
            print(f"{name:10}{len(spent_all):6}{np.median(spent_all):12.4f}{max(spent_all):12.4f}")
    print(f"{'optimum':10}{1:6}{best:12.4f}{best:12.4f}")
    print(f"{'read':10}{1:6}{reading:12.4f}{reading:12.4f}")
    print(
        f"proved relative error of a return: at most {max(errors):.1e}; of the optimum {found.error:.1e} (absolute)"
    )
    if ratios:
        print(f"splu / values: at least {min(ratios):.0f}; largest relative difference {max(differences):.1e}")


if __name__ == "__main__":
    main()
