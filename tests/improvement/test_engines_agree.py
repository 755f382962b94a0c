"""The grid: engines x problems x switches; every engine gives the referee's value on 2,400 random problems.

Problems have up to 60 rows, 4 features, 5 actions and depth 0 to 3, with ties, constant features, duplicate rows
and gains scaled by 1e-9 to 1e9; in the last blocks they have frozen nodes or a leaf limit. A slow engine takes the
problems that suit it: the third entry of its line says how many these are at least.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from spotree.improvement.engine import Engine
from spotree.improvement.engines.exact import Exact
from spotree.improvement.engines.exhaustive import Exhaustive
from spotree.improvement.engines.milp import Milp
from spotree.improvement.engines.rsbb import Rsbb
from spotree.improvement.improve import improve
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem

BLOCKS, PER_BLOCK = 24, 100
WITH_LIMITS = range(18, 24)  # blocks in which problems have frozen nodes or a leaf limit
AGREEMENT = 1e-9  # of the sum of spreads


@dataclass(frozen=True)
class Entry:
    """An engine of the grid and the problems it takes."""

    engine: Engine
    takes: Callable[[TreeProblem, int], bool] = lambda problem, number: True
    least: int = BLOCKS * PER_BLOCK  # problems it must meet


def splits(problem: TreeProblem) -> int:
    return sum(len(np.unique(column)) - 1 for column in problem.features.T)


def small(problem: TreeProblem, number: int) -> bool:
    """For the branch and bound: its number of regions grows with splits ** nodes."""
    return problem.depth < 2 or (problem.depth == 2 and splits(problem) <= 12) or splits(problem) <= 4


def smaller(problem: TreeProblem, number: int) -> bool:
    """For the branch and bound without its group bound or with branching on actions."""
    return number % 2 == 0 and (problem.depth < 2 or (problem.depth == 2 and splits(problem) <= 5))


def tiny(problem: TreeProblem, number: int) -> bool:
    """For the paper's program: rows x leaves x actions rows each."""
    return number % 12 == 0 and problem.gain.size * 4**problem.depth <= 240


ENGINES = {
    "exact": Entry(Exact()),
    "exact, no cache": Entry(Exact(cache=False)),
    "exact, no interval bound": Entry(Exact(interval_bound=False)),
    "exact, table": Entry(Exact(kernel="table")),
    "exact, sweep": Entry(Exact(kernel="sweep")),
    "exact, incremental": Entry(Exact(kernel="incremental")),
    "exact, triple": Entry(Exact(kernel="triple")),
    "rsbb": Entry(Rsbb(actions=False), small, 1800),
    "rsbb, serial": Entry(Rsbb(actions=False, parallel=False), small, 1800),
    "rsbb, nothing settled": Entry(Rsbb(actions=False, settled=False), small, 1800),
    "rsbb, no primal": Entry(Rsbb(actions=False, primal=False), small, 1800),
    "rsbb, not snapped": Entry(Rsbb(actions=False, snapped=False), small, 1800),
    "rsbb, on actions": Entry(Rsbb(), smaller, 700),
    "rsbb, not grouped": Entry(Rsbb(grouped=False), smaller, 700),
    "milp": Entry(Milp(), tiny, 40),
}


def random_problem(rng: np.random.Generator, limited: bool) -> TreeProblem:
    depth = int(rng.integers(0, 4))
    rows, num_features, num_actions = (int(rng.integers(low, high + 1)) for low, high in ((1, 60), (1, 4), (1, 5)))
    most = {0: 60, 1: 60, 2: 30, 3: 6}[depth] if rng.random() < 0.6 else 3  # distinct values of a feature
    features = np.array([rng.integers(0, rng.integers(1, most + 1), rows) for _ in range(num_features)]).T.astype(
        float
    )
    features *= rng.choice([1.0, 0.1, 1e-7, 1e7], num_features)
    gain = (
        rng.integers(-3, 4, (rows, num_actions)).astype(float)
        if rng.random() < 0.5
        else rng.normal(size=(rows, num_actions))
    )
    if rng.random() < 0.3:  # duplicates
        again = rng.integers(0, rows, rows)
        features, gain = features[again], gain[rng.integers(0, rows, rows)]
    if rng.random() < 0.3:  # rows without a preference
        gain[rng.random(rows) < 0.5] = 1.5
    gain = gain * 10.0 ** rng.integers(-9, 10)
    if not limited:
        return TreeProblem(features, gain, depth)
    if rng.random() < 0.5:
        return TreeProblem(features, gain, depth, max_leaves=int(rng.integers(1, 2**depth + 1)))
    return TreeProblem(features, gain, depth, frozen=random_frozen(rng, features, num_actions, depth))


def random_frozen(rng: np.random.Generator, features: np.ndarray, num_actions: int, depth: int) -> Frozen:
    inner = 2**depth - 1
    feature = np.where(rng.random(inner) < 0.3, rng.integers(UNSPLIT, features.shape[1], inner), FREE)
    between = features.min(axis=0) + rng.random((inner, features.shape[1])) * np.ptp(features, axis=0)
    action = np.where(rng.random(inner + 1) < 0.2, rng.integers(0, num_actions, inner + 1), FREE)
    return Frozen(
        feature.astype(np.int32), between[np.arange(inner), np.maximum(feature, 0)], action.astype(np.int32)
    )


def tolerance(problem: TreeProblem) -> float:
    """1e-9 of the sum of spreads, and what adding up the gains in another order can change."""
    return float(AGREEMENT * np.ptp(problem.gain, axis=1).sum() + 1e-14 * np.abs(problem.gain).sum())


@cache
def block(number: int) -> list[tuple[TreeProblem, float]]:
    """A block of problems with the referee's values."""
    rng = np.random.default_rng([2024, number])
    problems = [random_problem(rng, number in WITH_LIMITS) for _ in range(PER_BLOCK)]
    return [(problem, Exhaustive().best_tree(problem, Limits()).value) for problem in problems]


@pytest.mark.parametrize("number", range(BLOCKS))
@pytest.mark.parametrize("name", ENGINES)
def test_the_engine_gives_the_referees_value(name: str, number: int) -> None:
    entry = ENGINES[name]
    for place, (problem, best) in enumerate(block(number)):
        if not entry.takes(problem, place):
            continue
        slack = tolerance(problem)
        step = entry.engine.best_tree(problem, Limits(threads=1 + place % 2))
        case = f"block {number}, problem {place}"
        assert step.optimal, case
        assert abs(step.value - best) <= slack, case
        assert step.value <= step.bound <= best + slack, case
        assert step.tree.depth <= problem.depth, case
        assert step.tree.num_leaves <= (problem.max_leaves or 2**problem.depth), case


@pytest.mark.parametrize("name", ["exact", "rsbb", "milp"])
def test_improve_gives_the_referees_value_for_the_reduced_problem(name: str) -> None:
    entry = ENGINES[name]
    for number in range(0, BLOCKS, 4):
        for place, (problem, best) in enumerate(block(number)):
            if not entry.takes(problem, place):
                continue
            step = improve(
                problem.features,
                problem.gain,
                problem.depth,
                engine=entry.engine,
                frozen=problem.frozen,
                max_leaves=problem.max_leaves,
            )
            slack = tolerance(problem)
            assert abs(step.value - best) <= slack, f"block {number}, problem {place}"
            assert step.bound <= best + slack, f"block {number}, problem {place}"


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_meets_enough_problems(name: str) -> None:
    entry = ENGINES[name]
    met = sum(
        entry.takes(problem, place) for number in range(BLOCKS) for place, (problem, _) in enumerate(block(number))
    )
    assert met >= entry.least


def test_the_grid_has_what_it_says() -> None:
    problems = [problem for number in range(BLOCKS) for problem, _ in block(number)]
    assert len(problems) >= 2000
    assert {problem.depth for problem in problems} == {0, 1, 2, 3}
    assert max(len(problem.gain) for problem in problems) == 60
    assert max(problem.features.shape[1] for problem in problems) == 4
    assert max(problem.gain.shape[1] for problem in problems) == 5
    assert sum(bool((np.ptp(problem.features, axis=0) == 0).any()) for problem in problems) > 100
    assert sum(len(np.unique(problem.features, axis=0)) < len(problem.features) for problem in problems) > 500
    assert sum(problem.frozen is not None for problem in problems) > 200
    sizes = [np.abs(problem.gain).max() for problem in problems]
    assert min(sizes) < 1e-8
    assert max(sizes) > 1e8
