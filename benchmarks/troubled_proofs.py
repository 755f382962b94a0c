"""Is every claim of a spread proof true, whoever is lost, stopped or resumed on the way?

python benchmarks/troubled_proofs.py [--count 2000] [--seed 0] [--first 0]

Random small models are proved by threads that lose answers, do them twice and are slow, in tasks of a few regions,
with early stops, Ctrl-C, kills (an earlier checkpoint is resumed), both rules, symmetries and levels; both checkers see
every certificate, and every claim is held against the returns of all trees. `--first K --count 1` draws model K again;
the clock decides what becomes of it, so what went wrong once may not do so again.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from kept import ROOT

sys.path.append(str(ROOT / "tests"))

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
