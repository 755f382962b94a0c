"""How small a tree can be and still be nearly the best, beside dtControl's published sizes and our targets.

python benchmarks/sizes.py [--time 60] [--seeds 0 1 2 3 4] [--models tictactoe_vs_random ...] [--threads N] [--out FILE]
python benchmarks/sizes.py --deep [--depths 5 6 7 8]     returns beside the published ones of dtPAYNT and OMDT
python benchmarks/sizes.py --frontier [--max-leaves 32]  returns by leaves beside the best known at 2^D leaves

The first table shows inner nodes (leaves - 1), median and worst over the seeds, within 1e-6, 1 % and 5 % of J*; one
run serves all three. Every tree is exported as Python, and what that program does is evaluated with plain NumPy; a
tree that is not as good as it was said to be ends the benchmark. All runs go to a JSON file with the date and the
commit, rewritten after every run; runs that an `--out` file of the same settings holds already are not repeated.
"""

import argparse
import os
import statistics
from pathlib import Path
from typing import Any

import numpy as np

import spotree
from kept import Runs, fresh
from published import PUBLISHED_AS, published
from spotree.mdp import MDP
from spotree.search.feature_classes import rank_features
from spotree.search.leaf_search import ENOUGH, LeafSearch
from spotree.search.run_context import RunContext
from spotree.trees.policy import TreePolicy
from spotree.trees.prune import prune

TOLERANCES = (1e-6, 0.01, 0.05)
SIZES: dict[str, tuple[int | None, tuple[int | None, int | None, int | None]]] = {  # dtControl, our targets
    "tictactoe_vs_random": (25, (20, 17, 10)),
    "frozenlake_12x12": (67, (53, 41, 29)),
    "frozenlake_8x8": (35, (25, 15, 6)),
    "frozenlake_4x4": (8, (6, 6, 5)),
    "system_administrator_1": (76, (50, 13, 4)),
    "system_administrator_2": (41, (24, 8, 7)),
    "system_administrator_tree": (12, (9, 7, 7)),
    "traffic_intersection": (32, (22, 8, 6)),
    "blackjack": (8, (6, 4, 3)),
    "inventory_management": (14, (9, 2, 1)),
    "navigation_3d": (6, (6, 6, 6)),
    "csma_2_4": (40, (2, 0, 0)),
    "firewire": (18, (9, 1, 0)),
    "csma_2_2": (None, (None, None, None)),
    "wlan0": (None, (None, None, None)),
    "wlan1": (None, (None, None, None)),
}
BEST_KNOWN = {  # J / J* of trees of depth D, with which a frontier is compared at 2^D leaves
    "tiger_vs_antelope": {3: 0.9146, 4: 0.9629},
    "tictactoe_vs_random": {3: 0.8588, 4: 0.9740},
    "frozenlake_12x12": {},
    "system_administrator_2": {3: 0.8093, 4: 0.8692},
    "firewire": {},
}
PRINTED = 5e-5  # half a unit of the last digit there


def plain_return(mdp: MDP, policy: TreePolicy) -> float:
    """What the exported program of a tree returns: its actions state by state, then value iteration in NumPy."""
    names: dict[str, Any] = {}
    exec(policy.to("python"), names)
    program = names["policy"]
    actions = np.array([program(*row) for row in mdp.features.tolist()])
    rows = mdp.choice_of[np.arange(mdp.num_states), actions]
    chain, reward = mdp.rows[rows], mdp.reward_of_choice[rows]
    value, change = np.zeros(mdp.num_states), np.inf
    while change > 1e-13 * max(1.0, float(np.abs(value).max())):
        after = reward + mdp.discount * (chain @ value)
        value, change = after, float(np.abs(after - value).max())
    return float(mdp.initial @ value)


def sizes(model: str, seed: int, time: float, threads: int) -> dict[str, Any]:
    """Inner nodes and gap within each tolerance, and how many leaves an optimal tree needs."""
    mdp = spotree.load(model)
    frame = RunContext(mdp, ENOUGH, None, "sizes", seed, time)
    best, search = frame.optimum.value, LeafSearch(frame, rank_features(mdp), threads)
    search.aim([tolerance * search.unit for tolerance in TOLERANCES])
    reached: dict[str, float] = {}
    known: dict[float, int] = {}
    rounds = 0
    while not rounds or frame.seconds < time:
        search.round(rounds, max(time - frame.seconds, 0.0))
        rounds += 1
        for tolerance in TOLERANCES:
            leaves = next((k for k, loss in search.sizes if loss <= tolerance * search.unit), None)
            if leaves is not None and leaves < known.get(tolerance, ENOUGH):
                known[tolerance], reached[f"{tolerance:g}"] = leaves, frame.seconds
    found: dict[str, Any] = {"seconds_to": reached, "inner": {}, "gap": {}}
    for tolerance in TOLERANCES:
        sized = next((sized for sized in search.archive if sized.loss <= tolerance * search.unit), None)
        if sized is None:
            found["inner"][f"{tolerance:g}"] = None
            continue
        tree = prune(sized.tree, mdp.features)
        value = plain_return(mdp, TreePolicy(tree, mdp.feature_names, mdp.action_names))
        gap = (best - value) / search.unit
        if gap > tolerance + 1e-9:
            raise SystemExit(f"{model}, seed {seed}: a tree within {tolerance:g} by the search, {gap:.3e} by NumPy")
        found["inner"][f"{tolerance:g}"], found["gap"][f"{tolerance:g}"] = tree.num_leaves - 1, gap
    return found | {"least_leaves": search.least_leaves(10.0), "rounds": rounds}


def deep(model: str, depth: int, seed: int, time: float, threads: int) -> dict[str, Any]:
    """The return of a deep tree."""
    mdp = spotree.load(model)
    found = spotree.solve(mdp, depth, time_limit=time, seed=seed, threads=threads)
    plain = plain_return(mdp, found.policy)
    if abs(plain - found.value) > 1e-8 * max(1.0, abs(plain)):
        raise SystemExit(f"{model}, depth {depth}, seed {seed}: {found.value} by the search, {plain} by NumPy")
    return {
        "value": plain,
        "optimum": found.optimum,
        "random": found.random_value,
        "leaves": found.policy.num_leaves,
    }


def curve(model: str, leaves: int, seed: int, time: float, threads: int) -> dict[str, Any]:
    """The frontier, each point evaluated by NumPy."""
    mdp = spotree.load(model)
    found = spotree.frontier(mdp, leaves, time_limit=time, seed=seed, threads=threads)
    values = {str(point.policy.num_leaves): plain_return(mdp, point.policy) for point in found.points}
    if list(values.values()) != sorted(values.values()):
        raise SystemExit(f"{model}, seed {seed}: more leaves return less")
    return {"values": values, "optimum": found.points[0].optimum, "least_leaves": found.least_leaves}


def show_sizes(runs: Runs, models: list[str], seeds: list[int]) -> None:
    heads = "".join(f"{head:>18}" for head in ("within 1e-6", "within 1 %", "within 5 %"))
    print(f"{'model':<26}{'dtControl':>10}{heads}   needed at gap 0 (inner nodes: median, worst, target)")
    for model in models:
        control, targets = SIZES.get(model, (None, (None, None, None)))
        found = [runs.get(sizes, model, seed) for seed in seeds]
        cells = ""
        for tolerance, target in zip(TOLERANCES, targets, strict=True):
            inner = [run["inner"][f"{tolerance:g}"] for run in found]
            known = [ENOUGH if count is None else count for count in inner]
            median = statistics.median_high(known)
            mark = " " if target is None or median <= target else "!"
            cells += f"{_said(median):>7}{_said(max(known)):>5}{_said(target):>5}{mark}"
        needed = max(run["least_leaves"] for run in found) - 1
        print(f"{model:<26}{_said(control):>10}{cells}   {needed if needed >= 0 else '-'}", flush=True)


def show_deep(runs: Runs, models: list[str], depths: list[int], seeds: list[int]) -> None:
    print(f"{'model':<26}{'D':>3}{'median':>14}{'worst':>14}{'dtPAYNT':>12}{'OMDT':>12}  better there")
    for model in models:
        for depth in depths:
            theirs = published(model, depth)
            found = [runs.get(deep, model, depth, seed) for seed in seeds]
            values = [run["value"] for run in found]
            median = statistics.median(values)
            better = theirs.better(median, found[0]["optimum"], found[0]["random"]) if theirs else []
            others = "".join(f"{_said(v):>12}" for v in ((theirs.dtpaynt, theirs.omdt) if theirs else (None, None)))
            print(
                f"{model:<26}{depth:>3}{median:>14.6f}{min(values):>14.6f}{others}  {' '.join(better)}", flush=True
            )


def show_frontiers(runs: Runs, models: list[str], leaves: int, seeds: list[int]) -> None:
    for model in models:
        for seed in seeds:
            run = runs.get(curve, model, leaves, seed)
            print(f"{model}, seed {seed}: leaves J/J*")
            print("  " + "  ".join(f"{k} {value / run['optimum']:.4f}" for k, value in run["values"].items()))
            for depth, best in BEST_KNOWN.get(model, {}).items():
                ours = max(value for k, value in run["values"].items() if int(k) <= 2**depth) / run["optimum"]
                verdict = "at least" if ours >= best - PRINTED else "BELOW"
                print(
                    f"  {2**depth} leaves: {ours:.4f}, {verdict} the best known {best:.4f} of depth {depth}",
                    flush=True,
                )


def _said(number: float | None) -> str:
    return "-" if number is None or number == ENOUGH else f"{number:.6g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--depths", type=int, nargs="+", default=[5, 6, 7, 8])
    parser.add_argument("--frontier", action="store_true")
    parser.add_argument("--max-leaves", type=int, default=32)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    runs = Runs(options.out or fresh("sizes"), {"time": options.time, "threads": options.threads})
    print(f"{runs.settings}, seeds {options.seeds}")
    if options.deep:
        models = [name for name in PUBLISHED_AS if name in spotree.models.names()]
        show_deep(runs, options.models or models, options.depths, options.seeds)
    elif options.frontier:
        show_frontiers(runs, options.models or list(BEST_KNOWN), options.max_leaves, options.seeds)
    else:
        show_sizes(runs, options.models or list(SIZES), options.seeds)
    print(f"runs: {runs.path}")


if __name__ == "__main__":
    main()
