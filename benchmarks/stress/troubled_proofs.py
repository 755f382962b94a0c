"""Distributed proofs on unreliable workers: every claim against all trees, every certificate against both checkers.

python benchmarks/stress/troubled_proofs.py [--count 2000] [--seed 0] [--first 0]

Random small models are proved by threads that lose answers, repeat them and delay them, in tasks of a few
subproblems, with early stops, Ctrl-C, kills (an earlier checkpoint is resumed), both branching rules, symmetries and
target values. `--first K --count 1` draws model K again; timing is not repeatable, so a failure may not recur.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))

from oracles.troubled_runs import Told, counts, troubled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    told: list[Told] = []
    began = time.monotonic()
    for number in range(given.first, given.first + given.count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                each = troubled(np.random.default_rng([given.seed, number]), Path(folder))
            except Exception as error:  # a crash is a finding as well
                each = Told("crashed", 0, 0, [f"{type(error).__name__}: {error}"])
        told.append(each)
        for wrong in each.wrong:
            print(f"seed {given.seed}, number {number}, {each.ending}: {wrong}", flush=True)
        if (number + 1) % 250 == 0:
            print(f"{counts(told)}, {time.monotonic() - began:.0f} s", flush=True)
    bad = sum(bool(each.wrong) for each in told)
    print(f"{counts(told)}; wrong: {bad}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
