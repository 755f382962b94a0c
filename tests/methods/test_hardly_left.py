"""States that are hardly ever left: trying every tree proves nothing where their returns cannot be told."""

import numpy as np
import pytest

import spotree
from oracles.fractions_of_trees import exact_return
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP


def hardly_left(chance: float, discount: float) -> MDP:
    """A leaf with action 0 ends for -1; one with action 1 stays for long, for -1/2 in all; two leaves end for 0."""
    onward, ends, reward = np.zeros((2, 3, 3)), np.zeros((3, 2)), np.zeros((3, 2))
    ends[0, 0], reward[0, 0], onward[1, 0, 1] = 1, -1, 1
    onward[1, 1] = [0, 1 - chance, chance]
    reward[1, 1] = -(1 - discount * (1 - chance)) / 2
    ends[1, 0] = ends[2] = 1
    features = np.arange(3)[:, None].astype(float)
    return build_mdp(onward, reward, discount, initial=0, features=features, ends=ends, undiscounted=discount == 1)


@pytest.mark.parametrize(
    ("chance", "discount"),
    [(1e-8, 1.0), (9e-13, 1.0), (1e-14, 1.0), (0.0, 1 - 1e-9), (0.0, 1 - 1e-12), (0.0, 1 - 1e-14)],
)
def test_a_leaf_that_the_search_takes_for_endless_is_not_ruled_out(chance: float, discount: float) -> None:
    mdp = hardly_left(chance, discount)
    best = float(exact_return(mdp, np.ones(3, int)))
    assert best == pytest.approx(-0.5, rel=1e-2)
    for more in ({"depth": 0}, {"depth": 1, "max_leaves": 1}):
        found = spotree.solve(mdp, time_limit=None, max_rounds=2, threads=1, **more)
        assert found.bound >= best - found.error
        assert not found.proved_optimal or found.value >= best - max(found.error, 1e-8)


@pytest.mark.parametrize(("chance", "rungs"), [(2.2e-6, 2), (3e-4, 3)])
def test_a_ladder_that_is_climbed_once_in_a_trillion_steps_is_not_ruled_out(chance: float, rungs: int) -> None:
    # Action 1 begins to climb; each step goes up with that chance, else back to the foot, which costs a little.
    states = rungs + 2
    onward, ends, reward = np.zeros((2, states, states)), np.zeros((states, 2)), np.zeros((states, 2))
    ends[0, 0], ends[1:-1, 0], ends[-1], onward[1, 0, 1] = 1, 1, 1, 1
    for foot in range(1, rungs + 1):
        onward[1, foot, foot + 1], onward[1, foot, 1] = chance, 1 - chance
    reward[1, 1] = -0.5 * chance**rungs
    features = np.minimum(np.arange(states), 1.0)[:, None]
    best = float(
        exact_return(
            build_mdp(onward, reward, 1.0, 0, features, ends=ends, undiscounted=True), np.ones(states, int)
        )
    )
    reward[0, 0] = best * (1 + 1e-7)  # a little worse
    mdp = build_mdp(onward, reward, 1.0, 0, features, ends=ends, undiscounted=True)
    found = spotree.solve(mdp, 0, time_limit=None, max_rounds=2, threads=1, prove=False)
    assert found.bound >= best - found.error
    assert not found.proved_optimal or found.value >= best - max(found.error, 1e-9)


def test_what_is_left_often_enough_is_proved() -> None:
    for chance, discount in ((0.01, 1.0), (0.5, 0.999)):
        found = spotree.solve(hardly_left(chance, discount), 0, time_limit=None, max_rounds=2, threads=1)
        assert found.proved_optimal
        assert found.value == pytest.approx(-0.5, rel=1e-2)
