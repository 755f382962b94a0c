"""Both rules, with every ingredient switched off in turn, prove the same optimum, also where wrong cuts show.

Tiny models do not catch every wrong cut, so these are of middle size, and the start is either weak (cuts come from
trees that the proof finds itself) or just below the optimum (cuts are as sharp as can be). Here are runs of a second
at most; `make bench-rules-agree` has the whole grid.
"""

import sys
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from spotree.api.certify import certify
from spotree.models import load
from spotree.proof.options import ProofOptions
from spotree.trees.tree import leaf

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
grid = import_module("rules_agree")

QUICK = [
    *[("frozenlake_8x8", 2, rule, off) for rule in grid.RULES for off in grid.OFF],
    *[("frozenlake_8x8", 3, "state", off) for off in grid.OFF if off != "regret"],
    *[("traffic_intersection", 2, "state", off) for off in grid.OFF if off not in ("regret", "filter")],
]


@cache
def best(name, depth):
    """The optimum by both rules together, and the two starts."""
    mdp = load(name)
    solution = certify(mdp, depth, time_limit=60, search=0.0)
    assert solution.proved_optimal
    tolerance = grid.tolerance_of(solution)
    return solution, tolerance, {"weak": leaf(0), "just below": grid.just_below(solution, mdp, tolerance)}


@pytest.mark.parametrize("start", ["weak", "just below"])
@pytest.mark.parametrize(("name", "depth", "rule", "off"), QUICK)
def test_one_optimum(name, depth, rule, off, start):
    solution, tolerance, starts = best(name, depth)
    use = ProofOptions(rules=(rule,), before_floors=0.0)
    use = use if off == "nothing" else replace(use, **{off: False})
    found = certify(load(name), depth, start=starts[start], time_limit=120, search=0.0, threads=1, ingredients=use)
    assert grid.judged(found, solution.value, tolerance) == "agrees"


def test_a_wrong_answer_is_called_wrong():
    """The judge of the grid: a value above the optimum, a bound below it, and a worse tree that is "proved"."""
    solution, tolerance, _ = best("frozenlake_8x8", 2)
    assert grid.judged(solution, solution.value - 3 * tolerance, tolerance) == "DISAGREES"
    assert (
        grid.judged(replace(solution, bound=solution.value), solution.value + 3 * tolerance, tolerance)
        == "DISAGREES"
    )
    worse = replace(solution, value=solution.value - 3 * tolerance)
    assert grid.judged(worse, solution.value, tolerance) == "DISAGREES"
