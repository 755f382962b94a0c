"""The improvement step: exact with 1 and 2 threads beside pystreed, on the paper's models and on random problems.

python benchmarks/step.py [--quick] [--depths 2,3,4,5] [--models a,b] [--peer-limit 120] [--no-peer] [--repeat 3]

All times are milliseconds, best of the repeats. "fresh" prepares the features and solves; "again" solves new gains on
prepared features, as policy iteration does. pystreed gets every threshold and costs scaled to 1e7 (at 1e4 some of its
optima are wrong); "reduced" is pystreed on the rows and splits that remain after our reduction, so that the share of
the reduction shows. "off" is (value of exact - value of pystreed) / sum of spreads, positive where exact is better.
A peer that ran into its limit shows as ">".
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: its threads disturb the times of ours

import numpy as np

import spotree
from spotree.common.arrays import Features, PerStateAction
from spotree.evaluation import occupancy
from spotree.evaluation.q_values import action_values
from spotree.improvement.engines.exact import Exact, Preparation
from spotree.improvement.limits import Limits
from spotree.improvement.presolve import reduce
from spotree.improvement.problem import TreeProblem

MODELS = [
    "system_administrator_1",
    "system_administrator_2",
    "tiger_vs_antelope",
    "tictactoe_vs_random",
    "csma_2_2",
    "csma_2_4",
    "firewire",
    "wlan0",
    "wlan1",
    "csma_2_2_paper",
    "csma_2_4_paper",
    "firewire_paper",
]
QUICK = ["tiger_vs_antelope", "tictactoe_vs_random", "csma_2_4_paper", "firewire", "wlan1"]


@dataclass(frozen=True)
class Took:
    """CPU and wall milliseconds, the answer's value, and whether a limit cut it short."""

    cpu: float
    wall: float
    value: float = np.nan
    cut: bool = False

    def __str__(self) -> str:
        return f"{'>' if self.cut else ''}{self.cpu:.2f}"


def timed(work: Callable[[], float], repeat: int) -> Took:
    runs = []
    for _ in range(repeat):
        cpu, wall = time.process_time(), time.perf_counter()
        value = work()
        runs.append(Took(1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall), value))
        if runs[-1].wall > 5e3:
            break
    return Took(min(r.cpu for r in runs), min(r.wall for r in runs), runs[0].value)


def first_step(name: str) -> tuple[Features, PerStateAction]:
    """Values of the first action everywhere, all states weigh the same."""
    mdp = spotree.load(name)
    return mdp.features, action_values(mdp, spotree.policy_value(mdp, np.zeros(mdp.num_states, dtype=np.int32)))


def step_at_optimum(name: str) -> tuple[Features, PerStateAction]:
    """Optimal values, weighed by the visits of the optimal policy."""
    mdp = spotree.load(name)
    best = spotree.optimum(mdp)
    return mdp.features, action_values(mdp, best.values) * occupancy(mdp, best.actions)[:, None]


def random_step(rows: int, features: int, values: int, actions: int) -> tuple[Features, PerStateAction]:
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, values, (rows, features)).astype(float)
    return matrix, rng.normal(size=(rows, actions))


def pystreed(features: Features, gain: PerStateAction, depth: int, limit: float) -> Took:
    from pystreed import STreeDInstanceCostSensitiveClassifier

    columns = [
        features[:, f] < (low + high) / 2
        for f in range(features.shape[1])
        for low, high in zip(np.unique(features[:, f])[:-1], np.unique(features[:, f])[1:], strict=True)
    ]
    binary = np.array(columns).T.astype(np.int32)
    cost = gain.max(axis=1, keepdims=True) - gain
    model = STreeDInstanceCostSensitiveClassifier(max_depth=depth, time_limit=limit)
    cpu, wall = time.process_time(), time.perf_counter()
    model.fit(binary, cost * (1e7 / max(cost.max(), 1e-300)))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    chosen = np.asarray(model.predict(binary), dtype=int)
    value = float(gain[np.arange(len(gain)), chosen].sum())
    return Took(1e3 * cpu, 1e3 * wall, value, cut=not model.fit_result.is_optimal())


def row(label: str, features: Features, gain: PerStateAction, depth: int, arguments: argparse.Namespace) -> str:
    problem = TreeProblem(features, gain, depth)
    one, two = Limits(threads=1), Limits(threads=2)
    prepared = Exact(preparation=Preparation(problem.features))
    result = prepared.best_tree(problem, one)
    fresh = timed(lambda: Exact().best_tree(problem, one).value, arguments.repeat)
    again = timed(lambda: prepared.best_tree(problem, one).value, arguments.repeat)
    both = timed(lambda: prepared.best_tree(problem, two).value, arguments.repeat)
    sizes = f"{len(gain)}>{result.counts['rows']}"
    cells = [label, str(depth), sizes, str(result.counts["splits"]), str(result.counts["actions"])]
    cells += [f"{fresh}", f"{again}", f"{again.wall:.2f}", f"{both.wall:.2f}", f"{again.wall / both.wall:.2f}"]
    if arguments.peer and len(gain) * result.counts["splits"] < 2e7:
        spread = float((gain.max(axis=1) - gain.min(axis=1)).sum())
        peer = pystreed(features, gain, depth, arguments.peer_limit)
        smaller = reduce(problem).problem
        peer_reduced = pystreed(smaller.features, smaller.gain, depth, arguments.peer_limit)
        off = (result.value - peer.value) / spread
        cells += [f"{peer}", f"{peer.wall:.2f}", f"{peer.cpu / fresh.cpu:.1f}x"]
        cells += [f"{peer_reduced}", f"{peer_reduced.cpu / fresh.cpu:.1f}x", f"{off:.1e}"]
    return "| " + " | ".join(cells) + " |"


def cases(arguments: argparse.Namespace) -> Iterator[tuple[str, Features, PerStateAction, list[int]]]:
    for name in arguments.models:
        for kind, make in (("first", first_step), ("optimum", step_at_optimum)):
            features, gain = make(name)
            yield f"{name} {kind}", features, gain, arguments.depths
    if arguments.random:
        yield "random 2,000 x 200 x 2 values", *random_step(2000, 200, 2, 6), [3]
        yield "random 8,000 x 100 x 2 values", *random_step(8000, 100, 2, 8), [3]
        if not arguments.quick:
            yield "random 100,000 x 10 x 50 values", *random_step(100_000, 10, 50, 6), [3]
            yield "random 1,000,000 x 13 x 10 values", *random_step(1_000_000, 13, 10, 6), [3]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="five models, D = 2 and 3, a peer limit of 40 s")
    parser.add_argument("--models", type=lambda text: [m for m in text.split(",") if m])
    parser.add_argument("--depths", type=lambda text: [int(d) for d in text.split(",")])
    parser.add_argument("--peer-limit", type=float, help="seconds that pystreed may take for one cell")
    parser.add_argument("--no-peer", dest="peer", action="store_false")
    parser.add_argument("--no-random", dest="random", action="store_false")
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.models is None:
        arguments.models = QUICK if arguments.quick else MODELS
    arguments.depths = arguments.depths or ([2, 3] if arguments.quick else [2, 3, 4, 5])
    arguments.peer_limit = arguments.peer_limit or (40.0 if arguments.quick else 120.0)
    return arguments


def main() -> None:
    arguments = parse()
    head = ["problem and step", "D", "rows", "splits", "actions", "fresh CPU", "again CPU", "again wall"]
    head += ["2 threads wall", "gain of 2"]
    if arguments.peer:
        head += ["pystreed CPU", "wall", "CPU factor", "reduced CPU", "factor", "off"]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for label, features, gain, depths in cases(arguments):
        for depth in depths:
            print(row(label, features, gain, depth, arguments), flush=True)


if __name__ == "__main__":
    main()
