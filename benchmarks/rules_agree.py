"""Do both rules, with each ingredient switched off in turn, prove one and the same optimum?

python benchmarks/rules_agree.py [--time 60] [--cells frozenlake_8x8:2 ...] [--out FILE]

A cached bound that holds under more assumptions than its key says makes a proof wrong, and random tiny models do not
show it. So every rule proves every cell alone, on one thread, without a search for trees, from a weak start (one leaf:
cuts come from trees that the proof finds itself) and from a tree just below the optimum (cuts are as sharp as can be).
A run agrees if it proves the optimum that all rules together prove; it is open if its time ends first and
value <= optimum <= bound; anything else disagrees, and the exit code is 1. The time limit counts CPU seconds.
"""

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kept import fresh, keep
from spotree import evaluate
from spotree.api.certify import certify
from spotree.mdp.model import MDP
from spotree.models import load
from spotree.proof.options import ProofOptions
from spotree.results.progress import Progress
from spotree.results.solution import Solution
from spotree.trees.serialize import claimed_tree, tree_lists
from spotree.trees.splits import candidate_splits
from spotree.trees.tree import Tree, leaf

CELLS = (
    ("frozenlake_8x8", 2),
    ("frozenlake_8x8", 3),
    ("frozenlake_8x8", 4),
    ("traffic_intersection", 2),
    ("traffic_intersection", 3),
    ("system_administrator_tree", 2),
)
RULES = ("state", "tree")
OFF = ("nothing", "regret", "floors", "filter", "solo", "symmetries")


def neighbours(tree: Tree, mdp: MDP) -> list[Tree]:
    """All trees that differ in the action of one leaf, or in one split by one step of its threshold."""
    fields = tree_lists(tree)
    splits, found = candidate_splits(mdp.features), []
    for node in range(tree.num_nodes):
        if tree.feature[node] < 0:
            part, others = "action", [a for a in range(mdp.num_actions) if a != tree.action[node]]
        else:
            mine = splits.threshold[splits.feature == tree.feature[node]]
            at = int(np.searchsorted(mine, tree.threshold[node]))
            part, others = "threshold", [float(mine[k]) for k in (at - 1, at + 1) if 0 <= k < len(mine)]
        for other in others:
            changed = [other if at == node else old for at, old in enumerate(fields[part])]
            found.append(claimed_tree(fields | {part: changed}))
    return found


def just_below(best: Solution, mdp: MDP, tolerance: float) -> Tree:
    """The best tree that is surely worse than the optimum, among the optimum's neighbours."""
    near = [(evaluate(mdp, tree.actions(mdp.features)), tree) for tree in neighbours(best.policy.tree, mdp)]
    return max((pair for pair in near if pair[0] < best.value - 10 * tolerance), key=lambda pair: pair[0])[1]


def tolerance_of(solution: Solution) -> float:
    return 1e-7 * max(abs(solution.optimum), solution.optimum - solution.random_value)


def judged(solution: Solution, truth: float, tolerance: float) -> str:
    """Whether a run says what is true."""
    if solution.value > truth + tolerance or solution.bound < truth - tolerance:
        return "DISAGREES"
    if not solution.proved_optimal:
        return "open"
    return "agrees" if solution.value >= truth - tolerance else "DISAGREES"


class CpuLimit:
    """Stops a proof after so many seconds of computing, however busy the machine is."""

    def __init__(self, seconds: float) -> None:
        self.end = time.process_time() + seconds

    def __call__(self, _: Progress) -> None:
        if time.process_time() > self.end:
            raise KeyboardInterrupt


def runs(name: str, depth: int, seconds: float) -> list[dict[str, Any]]:
    """Every run of one cell; one line each."""
    mdp = load(name)
    best = certify(mdp, depth, time_limit=20 * seconds)
    if not best.proved_optimal:
        raise SystemExit(f"{name} at depth {depth}: both rules together must finish first; give more --time")
    tolerance = tolerance_of(best)
    starts = {"weak": leaf(0), "just below": just_below(best, mdp, tolerance)}
    rows = []
    for start, tree in starts.items():
        for rule in RULES:
            for off in OFF:
                use = ProofOptions(rules=(rule,), before_floors=0.0)
                use = use if off == "nothing" else replace(use, **{off: False})
                used = time.process_time()
                solution = certify(
                    mdp,
                    depth,
                    start=tree,
                    time_limit=20 * seconds,
                    search=0.0,
                    threads=1,
                    progress=CpuLimit(seconds),
                    ingredients=use,
                )
                row = {
                    "model": name,
                    "depth": depth,
                    "start": start,
                    "rule": rule,
                    "without": off,
                    "value": solution.value,
                    "bound": solution.bound,
                    "optimum": best.value,
                    "regions": solution.history[-1].round,
                    "cpu_seconds": time.process_time() - used,
                    "verdict": judged(solution, best.value, tolerance),
                }
                rows.append(row)
                print(
                    f"{name:26}{depth:2}  {start:11}{rule:6} {off:8} {row['value']:13.7f} {row['bound']:13.7f}"
                    f" {row['regions']:8} {row['cpu_seconds']:7.2f}  {row['verdict']}",
                    flush=True,
                )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=60.0, help="seconds of computing a run may take")
    parser.add_argument("--cells", nargs="*", help="MODEL:DEPTH, the six of the table if not given")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    cells = [(cell.split(":")[0], int(cell.split(":")[1])) for cell in given.cells or []] or CELLS
    print(
        f"{'model':26}{'D':>2}  {'start':11}{'rule':6} {'without':8} {'value':>13} {'bound':>13}"
        f" {'regions':>8} {'cpu s':>7}  verdict"
    )
    rows = [row for name, depth in cells for row in runs(name, depth, given.time)]
    count = Counter(row["verdict"] for row in rows)
    print(f"{len(rows)} runs: {count['agrees']} agree, {count['open']} open, {count['DISAGREES']} disagree")
    out = given.out or fresh("rules-agree")
    keep(out, rows=rows, time_limit=given.time)
    print(f"written to {out}")
    sys.exit(1 if count["DISAGREES"] else 0)


if __name__ == "__main__":
    main()
