"""Undiscounted ties: a tree as good as the best policy takes few steps, and nothing else of the answer changes."""

import numpy as np
import pytest

from spotree import MDP, Solution, build_mdp, evaluate, simulate, solve
from spotree.evaluation.state_occupancy import expected_steps
from spotree.methods.fewer_steps import with_steps
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import leaf, make_tree

LENGTH = 12
GOAL = LENGTH


def walk(forward: float = 0.9) -> MDP:
    """A line with the goal at its end and a wall at its start: any walk reaches the goal with probability 1."""
    rows = np.zeros((2, LENGTH + 1, LENGTH + 1))
    for action, up in enumerate((1.0 - forward, forward)):
        for place in range(LENGTH):
            rows[action, place, place + 1] += up
            rows[action, place, max(place - 1, 0)] += 1.0 - up
    reward = np.zeros((LENGTH + 1, 2))
    reward[GOAL] = 1.0
    ends = np.zeros((LENGTH + 1, 2))
    ends[GOAL] = 1.0
    return build_mdp(
        rows,
        reward,
        1.0,
        initial=0,
        ends=ends,
        action_names=["back", "on"],
        feature_names=["place"],
        undiscounted=True,
    )


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_of_trees_that_reach_the_goal_surely_the_quickest_is_the_answer(depth: int) -> None:
    mdp = walk()
    found = solve(mdp, depth, time_limit=3, threads=1)
    assert found.value == pytest.approx(1.0)
    assert found.proved_optimal
    assert found.steps == pytest.approx(expected_steps(mdp, np.ones(LENGTH + 1, dtype=int)).value)
    assert simulate(mdp, found, episodes=100).cut == 0


def test_a_slow_start_is_replaced_by_a_quick_tree_of_the_same_return() -> None:
    mdp = walk(0.75)
    slow = TreePolicy(leaf(0), mdp.feature_names, mdp.action_names)
    found = solve(mdp, 1, time_limit=3, threads=1, start=slow)
    assert evaluate(mdp, slow) == pytest.approx(1.0)
    assert expected_steps(mdp, slow).value > 1e5
    assert found.steps is not None
    assert found.steps < 30


def test_the_expected_steps_are_those_that_are_played() -> None:
    mdp = walk()
    found = solve(mdp, 0, time_limit=3, threads=1)
    run = simulate(mdp, found, episodes=2000)
    assert run.steps / 2000 == pytest.approx(found.steps, rel=0.05)


def test_a_quick_tree_that_returns_less_is_not_taken() -> None:
    """A lottery ends at once with chance 0.999; the long way surely reaches the goal."""
    rows = np.zeros((2, 4, 4))
    rows[0, 0, 1] = rows[0, 1, 2] = rows[0, 2, 3] = 1.0
    rows[1, 0, 3] = rows[1, 1, 3] = rows[1, 2, 3] = 0.999
    ends = np.zeros((4, 2))
    ends[:3, 1], ends[3] = 0.001, 1.0
    reward = np.zeros((4, 2))
    reward[3] = 1.0
    mdp = build_mdp(rows, reward, 1.0, initial=0, ends=ends, undiscounted=True)
    found = solve(mdp, 1, time_limit=3, threads=1)
    assert found.value == 1.0
    assert found.steps == 4.0  # three moves, and the step in which the goal pays


def test_other_methods_keep_their_tree_and_say_its_steps() -> None:
    found = solve(walk(), 1, method="viper", time_limit=3)
    assert found.steps is not None
    assert found.method == "viper"


def test_a_tree_below_the_best_policy_is_left_alone() -> None:
    mdp = walk()
    found = solve(mdp, 1, time_limit=3, threads=1)
    split = make_tree([0, -1, -1], [6.5, 0.0, 0.0], [1, -1, -1], [2, -1, -1], [-1, 1, 0])
    worse = Solution(
        policy=TreePolicy(split, mdp.feature_names, mdp.action_names),
        value=0.5,
        bound=1.0,
        optimum=1.0,
        random_value=1.0,
        depth=1,
        status=found.status,
        method="",
        seconds=0.0,
        discount=1.0,
    )
    kept = with_steps(mdp, worse, None)
    assert kept.policy is worse.policy
    assert kept.steps is not None


def test_a_discounted_solution_counts_no_steps() -> None:
    assert solve(build_mdp([[[1.0]]], 1.0, 0.9), 0, time_limit=1).steps is None
