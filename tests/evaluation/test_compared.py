"""The difference of two returns is the sum of what each visited state adds."""

import math

import numpy as np
import pytest

import spotree
from small_models import random_mdp
from spotree.evaluation import difference, optimum


@pytest.mark.parametrize("name", ["tiger_vs_antelope", "frozenlake_4x4", "tictactoe_vs_random"])
def test_the_costs_sum_to_the_difference_from_the_best_policy(name: str) -> None:
    mdp = spotree.load(name)
    best = optimum(mdp)
    actions = np.zeros(mdp.num_states, dtype=int)
    split = difference(mdp, actions, values=best.values)
    assert math.fsum(split.loss) == pytest.approx(best.value - spotree.evaluate(mdp, actions), abs=1e-10)
    assert split.regret.min() >= -1e-12


def test_two_policies_in_either_order_give_opposite_sums() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        mdp = random_mdp(rng, 12, 3, offered=0.7)
        one, two = (rng.integers(mdp.num_actions, size=mdp.num_states) for _ in range(2))
        gap = spotree.evaluate(mdp, two) - spotree.evaluate(mdp, one)
        assert math.fsum(difference(mdp, one, two).loss) == pytest.approx(gap, abs=1e-9)
        assert math.fsum(difference(mdp, two, one).loss) == pytest.approx(-gap, abs=1e-9)


def test_undiscounted_a_policy_that_goes_round_for_ever_loses_what_the_other_still_wins() -> None:
    # from 0: action 0 waits for ever (worth 0), action 1 wins 1 and ends
    mdp = spotree.build_mdp(
        transitions=np.array([[[1.0]], [[0.0]]]),
        reward=np.array([[0.0, 1.0]]),
        discount=1.0,
        initial=[1.0],
        features=[[0.0]],
        feature_names=["x"],
        action_names=["wait", "win"],
        undiscounted=True,
        ends=np.array([[0.0, 1.0]]),
    )
    assert math.fsum(difference(mdp, np.array([0]), np.array([1])).loss) == pytest.approx(1.0)
