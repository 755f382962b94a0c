"""How much faster two workers are than one: the search and the branch and bound on local clusters, one thread each.

python benchmarks/scale.py [--seconds 20] [--repeats 3] [--only search rsbb]

Rounds per second of the islands (tiger_vs_antelope, D = 4, no proof) and regions per second of `rsbb` (the first step
of tiger_vs_antelope, D = 3, 1 % gap), as the workers count them, over the whole run; also what one empty task
costs. local:1 and local:2 take turns; the ratio of the medians is printed. Needs two idle cores.
"""

import argparse
import statistics
import time

import numpy as np

from spotree.cluster.crew import Crew
from spotree.cluster.open import crewed
from spotree.methods.gain import gain
from spotree.methods.solve import solve
from spotree.models import load
from spotree.step.improve import improve
from spotree.step.rsbb import Rsbb
from spotree.values import policy_value


def rate(crew: Crew, began: float) -> float:
    return sum(share.work for share in crew.shares.values()) / (time.monotonic() - began)


def search(workers: int, seconds: float) -> float:
    mdp = load("tiger_vs_antelope")
    with crewed(f"local:{workers}") as crew:
        began = time.monotonic()
        solve(mdp, 4, time_limit=seconds, prove=False, cluster=crew)
        return rate(crew, began)


def rsbb(workers: int, seconds: float) -> float:
    mdp = load("tiger_vs_antelope")
    first = np.zeros(mdp.num_states, np.int32)
    gains = gain(mdp, policy_value(mdp, first), np.ones(mdp.num_states))
    with crewed(f"local:{workers}") as crew:
        began = time.monotonic()
        improve(mdp.features, gains, 3, Rsbb(cluster=crew), seconds, gap_tolerance=0.01)
        return rate(crew, began)


def task_seconds(count: int = 200) -> float:
    """What one empty task costs, one after the other."""
    with crewed("local:1") as crew:
        crew.add(abs, 1)
        crew.wait(10.0)
        began = time.monotonic()
        for _ in range(count):
            crew.add(abs, 1)
            crew.wait(10.0)
        return (time.monotonic() - began) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=["search", "rsbb"], choices=["search", "rsbb"])
    args = parser.parse_args()
    print(f"an empty task: {1000 * task_seconds():.1f} ms")
    for name, run in (("search", search), ("rsbb", rsbb)):
        if name not in args.only:
            continue
        one, two = zip(*((run(1, args.seconds), run(2, args.seconds)) for _ in range(args.repeats)), strict=True)
        first, second = statistics.median(one), statistics.median(two)
        unit = "rounds" if name == "search" else "regions"
        print(f"{name}: local:1 {first:,.4g} {unit}/s, local:2 {second:,.4g} {unit}/s, ratio {second / first:.2f}")


if __name__ == "__main__":
    main()
