"""Environments that publish their transition table."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spotree import Solution, TreePolicy, solve
from spotree.errors import InvalidProblemError, ReadError
from spotree.mdp import MDP
from spotree.readers.read import read

gymnasium = pytest.importorskip("gymnasium")


def best_return(mdp: MDP) -> float:
    """Value iteration until nothing moves."""
    value, change = np.zeros(mdp.num_states), 1.0
    while change > 1e-10:
        of_choice = mdp.reward_of_choice + mdp.discount * (mdp.rows @ value)
        better = np.maximum.reduceat(of_choice, mdp.choice_start[:-1])
        value, change = better, float(np.abs(better - value).max())
    return float(mdp.initial @ value)


def test_taxi_ends_when_the_passenger_is_dropped_off() -> None:
    """If it went on, the reward of 20 would be earned again and again: 835 instead of 6.33."""
    mdp = read("Taxi-v4", discount=0.99)
    assert best_return(mdp) == pytest.approx(6.3275, abs=1e-4)
    assert (mdp.num_states, mdp.num_choices) == (500, 3000)
    assert mdp.action_names == ("south", "north", "east", "west", "pickup", "dropoff")


def test_taxi_features_are_what_the_environment_decodes() -> None:
    mdp = read(env := gymnasium.make("Taxi-v4"))
    assert mdp.feature_names == ("taxi_row", "taxi_col", "passenger", "destination")
    for state in range(0, 500, 7):
        assert tuple(mdp.features[state]) == tuple(env.unwrapped.decode(state))


def test_a_path_of_thirteen_steps_is_the_best_of_cliff_walking() -> None:
    mdp = read("CliffWalking-v1", discount=0.99)
    assert best_return(mdp) == pytest.approx(-(1 - 0.99**13) / 0.01, rel=1e-9)  # -1 a step, discounted
    assert mdp.feature_names == ("row", "col")
    assert mdp.features[np.argmax(mdp.initial)].tolist() == [3, 0]
    right_of_start = mdp.transition_matrix("right").getrow(36)
    assert right_of_start.indices.tolist() == [36]  # over the cliff and back to the start


def test_frozen_lake_has_rows_and_columns_of_its_map() -> None:
    mdp = read(gymnasium.make("FrozenLake-v1", desc=["SFF", "FHG"], is_slippery=False))
    assert mdp.features.tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert mdp.action_names == ("left", "down", "right", "up")
    assert best_return(mdp) == pytest.approx(0.99**2)  # right, right, and down earns 1
    assert mdp.reward[2].tolist() == [0, 1, 0, 0]


def test_frozen_lake_that_is_slippery_has_its_known_value() -> None:
    assert best_return(read("FrozenLake-v1")) == pytest.approx(0.5420259, abs=1e-6)


def test_reachable_leaves_out_the_cliff() -> None:
    assert (
        read("CliffWalking-v1", reachable=True).num_states == 37
    )  # 48 less 10 of cliff and the goal, where it ends


@pytest.mark.filterwarnings("error")
def test_an_old_id_is_refused_without_a_warning_beside_it() -> None:
    with pytest.raises(ReadError, match="ask for Taxi-v4"):
        read("Taxi-v3")


def played(env: Any, policy: TreePolicy) -> float:
    observation, _ = env.reset(seed=0)
    total, done = 0.0, False
    while not done:
        observation, reward, terminated, truncated, _ = env.step(policy.act(observation))
        total, done = total + float(reward), terminated or truncated
    return total


def test_a_policy_acts_on_what_the_environment_gives(tmp_path: Path) -> None:
    """Over the ice that is not slippery it comes to the goal, which earns 1."""
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    mdp = read(env)
    solution = solve(mdp, 3, max_rounds=3, threads=1, time_limit=10)
    assert played(env, solution.policy) == 1
    solution.save(tmp_path / "run.json")
    loaded = Solution.load(tmp_path / "run.json").policy
    with pytest.raises(
        InvalidProblemError, match=r"features of state 0: call policy = policy\.for_model\(mdp\) once"
    ):
        loaded.act(0)
    assert played(env, loaded.for_model(mdp)) == 1


def test_a_state_keeps_its_number_where_others_are_left_out() -> None:
    mdp = read("CliffWalking-v1", reachable=True)
    policy = solve(mdp, 2, max_rounds=1, threads=1, time_limit=5).policy
    start = policy.act(np.int64(36))  # the 37 states that are left have the numbers 0 to 36
    assert start == policy.act([3.0, 0.0]) == policy.predict(mdp.features[mdp.state_number == 36])[0]
    with pytest.raises(InvalidProblemError, match="no state of the model has the number 47"):
        policy.act(47)


def tabular(table: Any, **more: Any) -> Any:
    inner = SimpleNamespace(P=table, **more)
    return SimpleNamespace(unwrapped=inner, spec=SimpleNamespace(id="Own-v0"))


TABLE = {
    0: {0: [(0.5, 0, 1.0, False), (0.5, 1, 3.0, True)], 1: [(1.0, 1, 0.0, False)]},
    1: {1: [(1.0, 1, 2.0, True)]},
}


def test_any_environment_with_a_table_is_read() -> None:
    mdp = read(tabular(TABLE, initial_state_distrib=np.array([1.0, 0.0])), missing="end")
    assert mdp.rows.toarray().tolist() == [[0.5, 0], [0, 1], [0, 0], [0, 0]]
    assert mdp.reward.tolist() == [[2, 0], [-1, 2]]  # 0.5 * 1 + 0.5 * 3; action 0 is missing in state 1
    assert (mdp.feature_names, mdp.name, mdp.discount) == (("state",), "Own-v0", 0.99)


def test_an_initial_distribution_that_is_not_said_is_noted() -> None:
    mdp = read(tabular(TABLE))
    assert mdp.initial.tolist() == [0.5, 0.5]
    assert mdp.notes["initial"] == "uniform over all states (the environment does not say)"


def test_costs_are_negated() -> None:
    assert read(tabular(TABLE), sense="min").reward[0].tolist() == [-2, 0]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (lambda: "Blackjack-v1", "Blackjack-v1: the environment has no transition table P"),
        (lambda: "CartPole-v1", r"count transitions .* and hand them to build_mdp \(docs/gymnasium\.md\)"),
        (lambda: "Taxi-v3", "^Taxi-v3: the installed gymnasium has Taxi-v4 in its place; ask for Taxi-v4$"),
        (lambda: "Taxi-v9", "^Taxi-v9: the installed gymnasium has Taxi-v4 in its place; ask for Taxi-v4$"),
        (lambda: "CliffWalking-v0", "ask for CliffWalking-v1$"),
        (lambda: "NoSuchGame-v7", "NoSuchGame-v7: gymnasium cannot make it"),
        (lambda: gymnasium.make("Taxi-v4", fickle_passenger=True), "fickle_passenger=True is not in the table"),
        (lambda: tabular({0: {0: [(1.0, 0)]}}), r"P\[0\]\[0\] is no list of"),
        (lambda: tabular({1: {0: [(1.0, 1, 0.0, True)]}}), "not numbered 0 to 0"),
        (lambda: tabular({0: {0: []}}), "holds no transition"),
    ],
)
def test_what_cannot_be_read_is_said(source: Any, words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read(source())
