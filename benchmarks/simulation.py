"""How often the interval of played episodes holds the exact return: seeded runs of a tree on ten shipped models.

An interval of 99 % should hold it in about 99 of 100 runs. The tree is a short search's of depth 3.
"""

import argparse
import time

import spotree

MODELS = (
    "blackjack",
    "frozenlake_4x4",
    "frozenlake_8x8",
    "inventory_management",
    "navigation_3d",
    "system_administrator_tree",
    "tictactoe_vs_random",
    "tiger_vs_antelope",
    "traffic_intersection",
    "xor",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--episodes", type=int, default=10_000)
    given = parser.parse_args()
    print(f"{given.runs} runs of {given.episodes:,} episodes each\n")
    print(f"{'model':26}  {'inside':>9}  {'exact':>12}  {'half width':>10}  {'cut':>7}  {'steps/s':>12}")
    total = 0
    for name in given.models:
        mdp = spotree.load(name)
        tree = spotree.solve(mdp, 3, max_rounds=1, threads=1, time_limit=10)
        begin = time.perf_counter()
        runs = [spotree.simulate(mdp, tree, given.episodes, seed) for seed in range(given.runs)]
        seconds = time.perf_counter() - begin
        inside = sum(run.agrees for run in runs)
        total += inside
        width = sum(run.high - run.low for run in runs) / 2 / len(runs)
        speed = sum(run.steps for run in runs) / seconds
        print(
            f"{name:26}  {inside:4} / {given.runs:<3}  {runs[0].exact:12.6f}  {width:10.6f}"
            f"  {max(run.cut for run in runs):7,}  {speed:12,.0f}",
            flush=True,
        )
    print(f"\nin all {total} of {given.runs * len(given.models)}")


if __name__ == "__main__":
    main()
