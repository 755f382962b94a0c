"""How often the interval of played episodes holds the exact return: rare events, and trees on ten shipped models.

An interval of 99 % should hold it in at least 99 of 100 runs. A rare event is a return of 1 with probability p, else 0.
The trees are a short search's of depth 3.
"""

import argparse
import time

import numpy as np

import spotree

RARE = (1e-4, 1.07e-4, 1e-2)

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


def rare_event(probability: float, discount: float) -> spotree.MDP:
    """One step leads to a state that pays 1 with this probability, else to one that pays nothing."""
    rows = [[0.0, probability, 1.0 - probability], [0.0] * 3, [0.0] * 3]
    return spotree.build_mdp(
        [rows], [[0.0], [1.0], [0.0]], discount, ends=[[0.0], [1.0], [1.0]], initial=0, undiscounted=True
    )


def rare_events(runs: int, episodes: int) -> None:
    """Print how often the probability of a rare event lies in its interval."""
    print(f"rare events: {runs} runs of {episodes:,} episodes each\n")
    print(f"{'probability':>11}  {'discount':>8}  {'interval':19}  {'inside':>9}  {'mean width':>10}")
    for discount in (1.0, 0.99):
        for probability in RARE:
            mdp, policy = rare_event(probability, discount), np.zeros(3, dtype=int)
            played = [spotree.simulate(mdp, policy, episodes, seed) for seed in range(runs)]
            inside = sum(run.agrees for run in played)
            width = sum(run.high - run.low for run in played) / runs
            print(
                f"{probability:11g}  {discount:8g}  {played[0].interval:19}  {inside:4} / {runs:<3}  {width:10.6f}",
                flush=True,
            )
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--rare-runs", type=int, default=200)
    parser.add_argument("--rare-episodes", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--episodes", type=int, default=10_000)
    given = parser.parse_args()
    rare_events(given.rare_runs, given.rare_episodes)
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
