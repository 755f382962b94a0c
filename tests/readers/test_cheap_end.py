"""missing="end" with costs: nobody is led to a policy that ends at once because that is cheaper than to go on."""

from typing import Any

import numpy as np
import pytest

from spotree.errors import ReadError
from spotree.mdp import MDP
from spotree.readers.explicit_model import ExplicitModel, Kind, RewardStructure
from spotree.readers.options import ReadOptions
from spotree.readers.select import choose

# 0 -> 1 -> 2 by "go", each at a cost of 5; "wait" is offered in 0 only.
MODEL = ExplicitModel(
    choice_start=np.array([0, 2, 3, 4]),
    row_start=np.arange(5),
    target=np.array([1, 0, 2, 2]),
    probability=np.ones(4),
    kind_of=np.array([0, 1, 0, 0]),
    kinds=(Kind("go"), Kind("wait")),
    initial=np.array([1.0, 0, 0]),
    rewards={"cost": RewardStructure(None, np.array([5.0, 1, 5, 0])), "profit": RewardStructure(None, np.ones(4))},
    labels={"done": np.array([False, False, True])},
    variables={"x": np.arange(3.0)},
)


def chosen(**options: Any) -> MDP:
    return choose(MODEL, ReadOptions(**options), "walk.umb")


def test_costs_until_a_goal_with_missing_end_are_refused_with_the_way_out() -> None:
    with pytest.raises(ReadError) as caught:
        chosen(reward="cost", sense="min", goal="done", missing="end")
    assert str(caught.value) == (
        "walk.umb: with missing='end' an action that is not available ends the episode at a cost of 1, which may be "
        "cheaper than to go on; pass missing='random', or a missing_reward worse than any sum of costs"
    )


def test_costs_without_a_goal_are_refused_too() -> None:
    with pytest.raises(ReadError, match="which may be cheaper than to go on"):
        chosen(reward="cost", sense="min", missing="end")


def test_a_price_that_was_named_counts() -> None:
    assert (
        chosen(reward="cost", sense="min", goal="done", missing="end", missing_reward=-20.0).missing_reward == -20
    )
    assert chosen(reward="cost", sense="min", goal="done", missing="end", missing_reward=-1.0).missing_reward == -1


def test_other_rules_rewards_and_goals_alone_are_left_as_they_are() -> None:
    assert chosen(reward="cost", sense="min", goal="done").missing == "random"
    assert chosen(reward="profit", missing="end").missing_reward == -1
    assert chosen(reward="reach", goal="done", missing="end").missing_reward == -1
    assert chosen(reward="reach", goal="done", sense="min", missing="end").missing_reward == -1
    assert chosen(reward="cost", sense="min", missing="end", drop_actions=("wait",)).num_actions == 1
