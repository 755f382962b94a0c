"""A chain that is left with a chance of 1e-17 is singular in float64; its value is unknown then, not infinite."""

import math

import numpy as np
import pytest

import spotree
from oracles.fractions_of_trees import exact_return
from spotree.evaluation import certified_return
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

FOOT, GOAL, ASIDE = range(1, 6), 6, 7


def hardly_left(chance: float, at_goal: float, per_step: float, otherwise: float) -> MDP:
    """Action 1 goes to five states, goes on there and leaves them with a chance; action 0 ends, or leaves at once.

    Beside that, a state where action 1 pays for ever: nobody comes there.
    """
    onward, ends, reward = np.zeros((2, 8, 8)), np.zeros((8, 2)), np.zeros((8, 2))
    onward[1, 0, FOOT] = 0.2
    for state in FOOT:
        onward[1, state, [other for other in FOOT if other != state]] = (1 - chance) / 4
        onward[1, state, GOAL] = chance
        onward[0, state, GOAL] = 1
    onward[1, ASIDE, ASIDE] = 1
    ends[0, 0] = ends[ASIDE, 0] = 1
    ends[GOAL] = 1
    reward[0, 0], reward[FOOT, 1], reward[GOAL], reward[ASIDE] = otherwise, per_step, at_goal, -1
    features = np.minimum(np.arange(8), 1)[:, None].astype(float)
    return build_mdp(onward, reward, 1.0, initial=0, features=features, ends=ends, undiscounted=True)


@pytest.mark.parametrize("chance", [1e-17, 1e-30, 5e-324])
@pytest.mark.parametrize("at_goal", [1.0, -0.5])
def test_what_float64_cannot_solve_is_unknown(chance: float, at_goal: float) -> None:
    mdp = hardly_left(chance, at_goal, 0.0, -1.0)
    found = certified_return(mdp, np.ones(8, int))
    assert float(exact_return(mdp, np.ones(8, int))) == at_goal
    assert math.isfinite(found.value)
    assert found.error == math.inf
    assert certified_return(mdp, np.zeros(8, int)).value == -1.0
    away = np.where(np.arange(8) == 0, 1, 0)
    assert certified_return(mdp, away).value == pytest.approx(at_goal)


def test_what_the_graph_tells_stays_certain() -> None:
    mdp = hardly_left(1e-17, -0.5, 0.0, -1.0)
    start = np.eye(8)[ASIDE]
    beside = build_mdp(
        [mdp.transition_matrix(a) for a in (0, 1)],
        mdp.reward,
        1.0,
        initial=start,
        ends=1 - np.stack([np.asarray(mdp.transition_matrix(a).sum(axis=1)).ravel() for a in (0, 1)], axis=1),
        undiscounted=True,
    )
    for_ever = certified_return(beside, np.ones(8, int))
    assert (for_ever.value, for_ever.error) == (-math.inf, 0.0)


@pytest.mark.parametrize("chance", [1e-17, 1e-20])
def test_nothing_is_proved_beside_a_leaf_that_cannot_be_evaluated(chance: float) -> None:
    """The leaf with action 1 returns -0.5, the other one -1; a tree of two leaves 0."""
    mdp = hardly_left(chance, 0.0, -chance / 2, -1.0)
    assert float(exact_return(mdp, np.ones(8, int))) == pytest.approx(-0.5)
    sizes = spotree.frontier(mdp, 3, time_limit=5, max_rounds=1, threads=1)
    assert all(point.bound >= -0.5 for point in sizes.points)
    assert spotree.smallest(mdp, value=-0.6, time_limit=5, max_rounds=1, threads=1).least_leaves == 1


def test_a_frontier_without_a_known_optimum_has_shares() -> None:
    mdp = hardly_left(1e-17, 1.0, 0.0, 0.001)
    sizes = spotree.frontier(mdp, 3, time_limit=5, max_rounds=1, threads=1)
    assert all(math.isfinite(sizes.share(point)) for point in sizes.points)
