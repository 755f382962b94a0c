"""Candidate trees judged per second and core, near good trees, as the search meets them.

python benchmarks/evaluations.py [--models tiger_vs_antelope ...] [--depth 4] [--seconds 5] [--seed 0]

"moves" are candidates of a whole search (one thread, exact steps and their evaluations included); "neighbours" are
exact returns of trees that differ in one place from the tree found; "rejected" the same when they must only be
told from the tree found: elementary moves alone, judged as in the search but without its exact steps, which take about
half of the work behind "moves". CPU seconds of one core.
"""

import argparse
import time

import numpy as np

from spotree import _core
from spotree.models import load
from spotree.search.depth_search import DepthSearch, Pace
from spotree.search.feature_classes import rank_features
from spotree.search.run_context import RunContext

MODELS = ("tiger_vs_antelope", "system_administrator_1", "tictactoe_vs_random", "firewire_paper")


def speed(search: _core.TreeSearch, early: bool, seed: int) -> float:
    """Neighbours judged per CPU second."""
    count, spent = 1000, 0.0
    while spent < 0.5:
        count *= 2
        start = time.process_time()
        search.probe(count, seed, early)
        spent = time.process_time() - start
    return count / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{'model':<26} {'moves/s':>10} {'neighbours/s':>13} {'rejected/s':>11}  J/J*")
    for name in options.models:
        mdp = load(name)
        frame = RunContext(mdp, options.depth, None, "neighbourhood", options.seed)
        search = DepthSearch(frame, rank_features(mdp), 1, Pace()).deep
        start = time.process_time()
        while time.process_time() - start < options.seconds:
            search.round(20_000_000, np.inf)
        moves = search.evaluations / (time.process_time() - start)
        exact, rejected = (speed(search, early, options.seed) for early in (False, True))
        print(
            f"{name:<26} {moves:>10,.0f} {exact:>13,.0f} {rejected:>11,.0f}",
            f" {search.value / frame.optimum.value:.6f}",
        )


if __name__ == "__main__":
    main()
