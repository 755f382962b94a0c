"""The returns that the default search, or another method, reaches, beside the SPOT paper's table.

python benchmarks/returns.py [--time 60] [--seeds 0 1 2 3 4] [--models tiger_vs_antelope ...] [--depths 3 4]
                             [--threads N] [--method spot --preset paper] [--until-known] [--out FILE]

One line per model and depth: median, worst and best J / J* over the seeds. "paper" is the best of the paper's table
(OMDT and SPOT, up to 60 minutes), or with `--method spot`, `spot+ws` or `omdt` what it reached there in 60 minutes;
it is read from `tests/facts`. All runs go to a JSON file with the date and the commit, rewritten
after every run; with `--until-known` a run ends as soon as it has the best return known (`KNOWN`), so that a table of
five seeds takes minutes where it would take hours; runs that an `--out` file of the same settings holds already are not
repeated.
"""

import argparse
import csv
import os
import statistics
from pathlib import Path
from typing import Any

import spotree
from kept import ROOT, Runs, fresh
from spotree.evaluation import of_optimum
from spotree.models import load

TABLE = ROOT / "tests" / "facts" / "spot_tables.csv"
ROUNDING = 5e-5
ROUNDING_KNOWN = 6e-7  # of J*: six decimals

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
KNOWN = {  # J / J* of the best tree of that depth that any of our runs has found
    ("system_administrator_1", 3): 0.955649,
    ("system_administrator_1", 4): 0.977430,
    ("system_administrator_2", 3): 0.809268,
    ("system_administrator_2", 4): 0.869230,
    ("tiger_vs_antelope", 3): 0.914635,
    ("tiger_vs_antelope", 4): 0.962942,
    ("tictactoe_vs_random", 3): 0.858827,
    ("tictactoe_vs_random", 4): 0.973989,
    ("csma_2_2_paper", 3): 0.043755,
    ("csma_2_2_paper", 4): 0.232439,
    ("csma_2_4_paper", 3): 0.044841,
    ("csma_2_4_paper", 4): 0.227252,
    ("firewire_paper", 3): 0.671099,
    ("firewire_paper", 4): 0.887353,
}
COLUMNS = {"spot": ("spot_60min",), "spot+ws": ("spot_ws_60min",), "omdt": ("omdt_60min",)}
ALL_COLUMNS = ("omdt_5min", "omdt_60min", "spot_60min", "spot_ws_60min")


def paper_values(method: str) -> dict[tuple[str, int], float]:
    """[name, depth] J / J* in the paper's table, of the method or the best there."""
    with TABLE.open(newline="") as lines:
        return {
            (row["mdp"], int(row["depth"])): max(float(row[c]) for c in COLUMNS.get(method, ALL_COLUMNS))
            for row in csv.DictReader(lines)
        }


def returned(
    model: str, depth: int, seed: int, time: float, until_known: bool = False, **settings: Any
) -> dict[str, Any]:
    """One run of the search."""
    mdp, known = load(model), KNOWN.get((model, depth))
    best = spotree.optimum(mdp).value

    def stop_at_known(line: spotree.Progress) -> None:
        if until_known and known is not None and line.value >= known * best - ROUNDING_KNOWN * abs(best):
            raise KeyboardInterrupt

    found = spotree.solve(mdp, depth, seed=seed, time_limit=time, progress=stop_at_known, **settings)
    return {
        "value": found.value,
        "of_optimum": of_optimum(found.value, found.optimum),  # the paper's, also for costs
        "seconds_to_best": next(line.seconds for line in found.history if line.value >= found.history[-1].value),
        "seconds": found.seconds,
        "leaves": found.policy.num_leaves,
    }


def line(model: str, depth: int, runs: list[dict[str, Any]], paper: float | None) -> str:
    """Median, worst and best of the runs of one cell."""
    values = [run["of_optimum"] for run in runs]
    median = statistics.median(values)
    numbers = "".join(f" {number:>10.6f}" for number in (median, min(values), max(values)))
    seconds = statistics.median(run["seconds_to_best"] for run in runs)
    known = (
        f"{'-':>10}       "
        if paper is None
        else f"{paper:>10.5f}  {'yes' if median >= paper - ROUNDING else 'NO':<5}"
    )
    return f"{model:<26} {depth:>2}{numbers} {known} {seconds:>9.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--models", nargs="+", default=list(PAPER))
    parser.add_argument("--depths", type=int, nargs="+", default=[3, 4])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--method", default="neighbourhood")
    parser.add_argument("--preset", help="paper: SPOT's settings in the paper")
    parser.add_argument("--until-known", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    settings = {"method": options.method, "time": options.time, "threads": options.threads}
    settings |= {"preset": options.preset} if options.preset else {}
    settings |= {"until_known": True} if options.until_known else {}
    out = options.out or fresh("returns")
    runs = Runs(out, settings)
    published = paper_values(options.method)
    print(f"{settings}, seeds {options.seeds}; J / J*")
    print(f"{'model':<26} {'D':>2} {'median':>10} {'worst':>10} {'best':>10} {'paper':>10}  above  s to best")
    for model in options.models:
        for depth in options.depths:
            found = [runs.get(returned, model, depth, seed) for seed in options.seeds]
            print(line(model, depth, found, published.get((PAPER.get(model, model), depth))), flush=True)
    print(f"runs: {out}")


if __name__ == "__main__":
    main()
