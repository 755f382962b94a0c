"""The returns that the default search, or another method, reaches, beside what was published.

python benchmarks/returns.py [--time 60] [--seeds 0 1 2 3 4] [--models tiger_vs_antelope ...] [--depths 3 4]
                             [--threads N] [--set paper|peers] [--random-action] [--out FILE]
                             [--method spot --preset paper]

One line per model and depth: median, worst and best over the seeds, as J / J* and, for the peers, as
(J - J_random) / (J* - J_random). "paper" is the best of the SPOT paper's table (OMDT and SPOT, up to 60 minutes), or
with `--method spot`, `spot+ws` or `omdt` what that method reached there in 60 minutes; "peers" is the better of dtPAYNT
and OMDT in the CAV'25 comparison (20 minutes). Both are read from `../shared/reference` where that is. The peers'
models have one more action, a uniformly random one: `--random-action` gives it to ours too.
All runs go to a JSON file with the date and the commit.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import spotree
from spotree.mdp import MDP, build_mdp
from spotree.models import load
from spotree.values import uniform

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT.parent / "shared" / "reference"

PAPER = {  # name of the model -> name in the paper's table
    "system_administrator_1": "sys_ad_1",
    "system_administrator_2": "sys_ad_2",
    "tiger_vs_antelope": "tiger_vs_ant",
    "tictactoe_vs_random": "tic_vs_ran",
    "csma_2_2_paper": "csma_2_2",
    "csma_2_4_paper": "csma_2_4",
    "firewire_paper": "firewire",
    "wlan0_paper": "wlan0",
    "wlan1_paper": "wlan1",
}
PAPER_COLUMNS = {"spot": ("spot_60min",), "spot+ws": ("spot_ws_60min",), "omdt": ("omdt_60min",)}
PEERS = {  # name of the model -> name in the CAV'25 comparison
    "navigation_3d": "3d_navigation",
    "blackjack": "blackjack",
    "frozenlake_4x4": "frozenlake_4x4",
    "frozenlake_8x8": "frozenlake_8x8",
    "frozenlake_12x12": "frozenlake_12x12",
    "inventory_management": "inventory_management",
    "system_administrator_1": "system_administrator_1",
    "system_administrator_2": "system_administrator_2",
    "system_administrator_tree": "system_administrator_tree",
    "tictactoe_vs_random": "tictactoe_vs_random",
    "traffic_intersection": "traffic_intersection",
    "csma_2_4": "csma-2-4",
    "firewire": "firewire-3",
}


def rows(file: str) -> list[dict[str, str]]:
    path = REFERENCE / file
    if not path.exists():
        print(f"({path} is not there: no published values beside ours)")
        return []
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def paper_values(method: str) -> dict[tuple[str, int], tuple[float, float]]:
    """[name, depth] J / J* in the paper's table, of the method or the best there, and how far rounding goes."""
    columns = PAPER_COLUMNS.get(method, ("omdt_5min", "omdt_60min", "spot_60min", "spot_ws_60min"))
    table = rows("spot_tables.csv")
    return {(row["mdp"], int(row["depth"])): (max(float(row[c]) for c in columns), 5e-5) for row in table}


def peer_values() -> dict[tuple[str, int], tuple[float, float]]:
    """[name, depth] the better (J - J_random) / (J* - J_random) of dtPAYNT and OMDT, and how far rounding goes.

    Returns are printed with four decimals, and differ from exact ones by up to 1e-4 of themselves.
    """
    best: dict[tuple[str, int], tuple[float, float]] = {}
    for row in rows("cav25_results.csv"):
        reached = [float(row[c]) for c in ("dtpaynt_return", "omdt_return") if row[c]]
        if not reached:
            continue
        optimum, random = float(row["optimal_return"]), float(row["random_return"])
        rounding = (1e-4 + 1e-4 * max(abs(optimum), abs(random))) / (optimum - random)
        best[row["mdp"], int(row["max_depth"])] = (max(reached) - random) / (optimum - random), rounding
    return best


def with_random_action(mdp: MDP) -> MDP:
    """The model with one more action: a uniformly random one of those that the state offers."""
    weight = uniform(mdp).weight
    state_of_choice = np.repeat(np.arange(mdp.num_states), np.diff(mdp.choice_start))
    mixed = sp.csr_matrix((weight, (state_of_choice, np.arange(len(weight)))), shape=(mdp.num_states, len(weight)))
    matrices = [mdp.transition_matrix(action) for action in range(mdp.num_actions)]
    matrices = [*matrices, mixed @ mdp.rows]
    return build_mdp(
        matrices,
        np.column_stack([mdp.reward, mixed @ mdp.reward_of_choice]),
        mdp.discount,
        initial=mdp.initial,
        features=mdp.features,
        feature_names=mdp.feature_names,
        action_names=[*mdp.action_names, "any"],
        ends=np.column_stack([np.clip(1 - matrix.sum(axis=1), 0, 1) for matrix in matrices]),
        name=mdp.name,
    )


def commit() -> str:
    answer = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT)
    return answer.stdout.strip() or "unknown"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("paper", "peers"), default="paper")
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--depths", type=int, nargs="+")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--method", default="neighbourhood")
    parser.add_argument("--preset", help="paper: SPOT's settings in the paper")
    parser.add_argument("--random-action", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    names = PAPER if options.set == "paper" else PEERS
    published = paper_values(options.method) if options.set == "paper" else peer_values()
    depths = options.depths or ([3, 4] if options.set == "paper" else [1, 2, 3, 4])
    scale = "of_optimum" if options.set == "paper" else "over_random"
    settings = {"method": options.method} | ({"preset": options.preset} if options.preset else {})
    runs = []
    print(
        f"{' '.join(settings.values())}, {options.time:g} s, {options.threads} threads, seeds {options.seeds}; {scale}"
    )
    print(f"{'model':<26} {'D':>2} {'median':>10} {'worst':>10} {'best':>10} {options.set:>10}  above  s to best")
    for name in options.models or names:
        mdp = with_random_action(load(name)) if options.random_action else load(name)
        for depth in depths:
            cells = []
            for seed in options.seeds:
                found = spotree.solve(
                    mdp, depth, time_limit=options.time, seed=seed, threads=options.threads, **settings
                )
                to_best = next(line.seconds for line in found.history if line.value >= found.history[-1].value)
                cells.append((getattr(found, scale), to_best))
                runs.append(
                    {
                        "model": name,
                        "depth": depth,
                        "seed": seed,
                        "value": found.value,
                        "optimum": found.optimum,
                        "of_optimum": found.of_optimum,
                        "over_random": found.over_random,
                        "seconds_to_best": to_best,
                        "seconds": found.seconds,
                        "leaves": found.policy.num_leaves,
                    }
                )
            values = [value for value, _ in cells]
            known, rounding = published.get((names.get(name, name), depth), (None, 0.0))
            above = "" if known is None else ("yes" if statistics.median(values) >= known - rounding else "NO")
            numbers = (statistics.median(values), min(values), max(values))
            print(
                f"{name:<26} {depth:>2}",
                *(f"{number:>10.6f}" for number in numbers),
                f"{known:>10.5f}" if known is not None else f"{'-':>10}",
                f" {above:<5} {statistics.median(seconds for _, seconds in cells):>9.1f}",
                flush=True,
            )
    today = datetime.now(UTC).date().isoformat()
    out = options.out or ROOT / "benchmarks" / "results" / f"returns-{options.set}-{today}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    facts = {"date": today, "commit": commit(), "time": options.time, "threads": options.threads}
    facts |= {"set": options.set} | settings | {"random_action": options.random_action}
    out.write_text(json.dumps(facts | {"runs": runs}, indent=1) + "\n")
    print(f"written to {out}")


if __name__ == "__main__":
    main()
