"""Both rules, with every ingredient switched off in turn, prove the same optimum, also where wrong cuts show.

Tiny models do not catch every wrong cut, so these are of middle size, and the start is either weak (cuts come from
trees the proof finds itself) or just below the optimum (cuts are as sharp as they can be).
"""

import dataclasses

import numpy as np
import pytest

from spotree.certify.certify import certify
from spotree.certify.ingredients import Ingredients
from spotree.models import load
from spotree.tree.tree import leaf

ALL = Ingredients(before_floors=0.0)
OFF = ("", "regret", "floors", "filter", "solo")
QUICK = [("frozenlake_8x8", 2, 0.3870226), ("traffic_intersection", 2, -0.2174012)]


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize("rule", ["state", "tree"])
@pytest.mark.parametrize(("name", "depth", "best"), QUICK)
def test_from_a_weak_start(name, depth, best, rule, off):
    use = dataclasses.replace(ALL, rules=(rule,), **({off: False} if off else {}))
    solution = certify(load(name), depth, start=leaf(0), time_limit=8 if off else 60, search=0.0, ingredients=use)
    scale = max(abs(solution.optimum), solution.optimum - solution.random_value)
    assert solution.bound >= best - 1e-6 * abs(best)
    if solution.proved_optimal:
        assert solution.value == pytest.approx(best, abs=2e-7 * scale)
    else:
        assert off, "with all ingredients this is quick"


def test_from_just_below_the_optimum_both_rules_find_the_rest():
    """A tree that differs from the best one in one rarely visited leaf is not proved optimal."""
    mdp = load("frozenlake_8x8")
    best = certify(mdp, 3, time_limit=60, search=0.0)
    tree = best.policy.tree
    values = {}
    for node in np.flatnonzero(tree.feature < 0):
        for action in range(mdp.num_actions):
            changed = dataclasses.replace(
                tree, action=np.where(np.arange(tree.num_nodes) == node, action, tree.action)
            )
            changed = dataclasses.replace(changed, action=changed.action.astype(np.int32))
            value = certify(mdp, 3, start=changed, time_limit=0.0, search=0.0).value
            if value < best.value - 1e-6:
                values[value] = changed
    near = values[max(values)]
    for rule in ("state", "tree"):
        solution = certify(mdp, 3, start=near, time_limit=60, search=0.0, ingredients=Ingredients(rules=(rule,)))
        assert solution.proved_optimal
        assert solution.value == pytest.approx(best.value, abs=1e-7)
