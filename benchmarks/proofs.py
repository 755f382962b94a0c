"""Proofs over all trees: value, bound, gap, seconds, and whether both checkers accept the certificate.

python benchmarks/proofs.py [--time 600] [--open SECONDS] [--set all|omdt|protocols|undiscounted]
                            [--models blackjack ...] [--depths 1 2 3 4] [--threads N] [--no-check]
                            [--plain REGIONS] [--out FILE]

One line per model and depth; without a set OMDT's thirteen and the five protocols. "seconds" is the whole run, a short
search for a first tree included; "known" is the optimum that an earlier run of ours, or OMDT, proved. Cells that no run
has proved yet get only --open seconds where that is given. "cpu" and "check" are CPU seconds to prove and to read and
check the certificate, which has "written" regions; with --plain one of at most so many is given to the plain checker
too. "best" is the return of the best policy. All runs go to a JSON file with date, commit and the trees, rewritten
after every run; what an `--out` file of the same settings holds already is not repeated.
"""

import argparse
import math
import os
import tempfile
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from kept import Runs, fresh
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check
from spotree.mdp.model import MDP
from spotree.models import load
from spotree.readers.read import read

SETS = {
    "omdt": (
        "frozenlake_4x4",
        "frozenlake_8x8",
        "frozenlake_12x12",
        "blackjack",
        "traffic_intersection",
        "navigation_3d",
        "inventory_management",
        "system_administrator_tree",
        "system_administrator_1",
        "system_administrator_2",
        "xor",
        "tictactoe_vs_random",
        "tiger_vs_antelope",
    ),
    "protocols": ("csma_2_2", "csma_2_4", "firewire", "wlan0", "wlan1"),
    "undiscounted": ("csma_2_2 Pmax", "csma_2_2 Rmin", "firewire Rmin", "wlan0 Pmax"),
}
DEPTHS = {"omdt": (1, 2, 3, 4), "protocols": (1, 2), "undiscounted": (1, 2)}
READ: dict[str, tuple[str, dict[str, Any]]] = {  # at discount 1: a shipped PRISM file, and what is asked of it
    "csma_2_2 Pmax": (
        "csma",
        {"constants": {"backoff_limit": 2}, "goal": "collisions1=2 & collisions2=2", "reward": "reach"},
    ),
    "csma_2_2 Rmin": (
        "csma",
        {"constants": {"backoff_limit": 2}, "goal": "all_delivered", "reward": "time", "sense": "min"},
    ),
    "firewire Rmin": ("firewire", {"constants": {"delay": 3}, "goal": "done", "reward": "time", "sense": "min"}),
    "wlan0 Pmax": (
        "wlan",
        {"constants": {"max_backoff": 0, "max_collisions": 2}, "goal": "collisions=2", "reward": "reach"},
    ),
}
OPEN = {
    ("system_administrator_2", 3),
    ("tictactoe_vs_random", 3),
    ("tiger_vs_antelope", 3),
    ("frozenlake_12x12", 4),
    ("system_administrator_2", 4),
    ("tictactoe_vs_random", 4),
    ("tiger_vs_antelope", 4),
}
KNOWN = {
    ("frozenlake_4x4", 3): 0.520125,
    ("frozenlake_8x8", 2): 0.387023,
    ("frozenlake_8x8", 3): 0.392685,
    ("frozenlake_8x8", 4): 0.404731,
    ("frozenlake_12x12", 2): 0.117670,
    ("frozenlake_12x12", 3): 0.257358,
    ("blackjack", 1): -2.352616,
    ("blackjack", 2): -2.205272,
    ("blackjack", 3): -2.173209,
    ("traffic_intersection", 1): -72.066847,
    ("traffic_intersection", 2): -0.217401,
    ("traffic_intersection", 3): 2.002556,
    ("traffic_intersection", 4): 2.116718,
    ("navigation_3d", 2): 0.020666,
    ("navigation_3d", 3): 0.351855,
    ("inventory_management", 2): 1024.917283,
    ("inventory_management", 3): 1026.648644,
    ("system_administrator_1", 1): 203.416747,
    ("system_administrator_1", 2): 209.948752,
    ("system_administrator_1", 3): 214.036722,
    ("system_administrator_1", 4): 218.915173,
    ("system_administrator_2", 1): 146.652673,
    ("system_administrator_2", 2): 182.817074,
    ("system_administrator_tree", 2): 414.656198,
    ("system_administrator_tree", 3): 517.328204,
    ("system_administrator_tree", 4): 538.778277,
    ("tiger_vs_antelope", 2): 0.753698,
    ("firewire", 1): -70.525419,
    ("wlan0", 1): -1363.337954,
    ("wlan0", 2): -1283.791410,
    ("wlan1", 1): -1365.777703,
    ("wlan1", 2): -1285.363272,
    ("firewire", 2): -70.278270,
    ("tictactoe_vs_random", 2): 0.247986,
}


def model(name: str) -> MDP:
    """A shipped model, or one at discount 1."""
    if name not in READ:
        return load(name)
    file, asked = READ[name]
    return read(files("spotree.models") / f"{file}.prism", discount=1, **asked)


def proof(
    name: str,
    depth: int,
    time_limit: float,
    time_if_open: float | None,
    threads: int | None,
    checked: bool,
    plain: int,
) -> dict[str, Any]:
    """Prove one cell and check its certificate."""
    mdp = model(name)
    if time_if_open is not None and (name, depth) in OPEN:
        time_limit = time_if_open
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.cert"
        began, used = time.perf_counter(), time.process_time()
        solution = certify(
            mdp, depth, time_limit=time_limit, threads=threads, certificate=path if checked else None
        )
        row: dict[str, Any] = {
            "model": name,
            "depth": depth,
            "value": solution.value,
            "bound": solution.bound,
            "gap": solution.gap,
            "optimum": solution.optimum,
            "proved": solution.proved_optimal,
            "seconds": time.perf_counter() - began,
            "cpu_seconds": time.process_time() - used,
            "regions": solution.history[-1].round,
            "known": KNOWN.get((name, depth)),
            "tree": solution.as_dict()["tree"],
            "tree_found": min(line.seconds for line in solution.history if line.value == solution.value),
        }
        for kind in ("native", "plain") if checked else ():
            if kind == "plain" and row["certificate_regions"] > plain:
                continue
            row["certificate_bytes"] = path.stat().st_size
            used = time.process_time()
            verdict = check(mdp, Certificate.load(path), plain=kind == "plain")
            row[f"{kind}_cpu_seconds"] = time.process_time() - used
            row["accepted"], row["reason"] = row.get("accepted", True) and verdict.accepted, verdict.reason
            row["certificate_regions"] = verdict.regions
    return row


def verdict_text(row: dict[str, Any]) -> str:
    known = row["known"]
    if known is None:
        return ""
    difference = row["value"] - known
    scale = 2e-6 * max(1.0, abs(known))
    if difference > scale:
        return "BETTER than known"
    return "as known" if difference >= -scale else "below known"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=600.0)
    parser.add_argument("--open", type=float, metavar="SECONDS")
    parser.add_argument("--set", choices=("all", *SETS), default="all")
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--depths", nargs="*", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--plain", type=int, default=0, metavar="REGIONS")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    settings = {
        "time_limit": given.time,
        "time_if_open": given.open,
        "threads": given.threads,
        "checked": not given.no_check,
        "plain": given.plain,
    }
    runs = Runs(given.out or fresh("proofs"), settings)
    print(f"{settings}, {os.cpu_count()} cores")
    print(
        f"{'model':26}{'D':>2} {'value':>13} {'bound':>13} {'best':>13} {'gap':>9} {'proved':>7} {'seconds':>8}"
        f" {'cpu':>7} {'regions':>8} {'written':>8} {'MB':>6} {'check':>7} {'plain':>7} {'certificate':>12}  known"
    )
    sets = ("omdt", "protocols") if given.set == "all" else (given.set,)
    for depth in given.depths or (1, 2, 3, 4):
        names = given.models or [name for one in sets if depth in DEPTHS[one] for name in SETS[one]]
        mine = [shown(runs.get(proof, name, depth)) for name in names]
        if mine:
            print(f"depth {depth}: {sum(row['proved'] for row in mine)} of {len(mine)} proved", flush=True)
    print(f"runs: {runs.path}")


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """The row, printed."""
    holds = {True: "accepted", False: "REJECTED", None: "unchecked"}[row.get("accepted")]
    print(
        f"{row['model']:26}{row['depth']:2} {row['value']:13.6f} {row['bound']:13.6f} {row['optimum']:13.6f}"
        f" {row['gap']:9.2e} {'yes' if row['proved'] else 'no':>7} {row['seconds']:8.2f} {row['cpu_seconds']:7.2f}"
        f" {row['regions']:8} {row.get('certificate_regions', 0):8} {row.get('certificate_bytes', 0) / 1e6:6.2f}"
        f" {row.get('native_cpu_seconds', math.nan):7.2f} {row.get('plain_cpu_seconds', math.nan):7.2f}"
        f" {holds:>12}  {verdict_text(row)}",
        flush=True,
    )
    return row


if __name__ == "__main__":
    main()
