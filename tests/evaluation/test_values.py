"""Values, occupancy, returns, optimum and mixtures of MDPs against their plain twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import values as plain
from oracles.mdps import mdps
from spotree import evaluation as values
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.mdp import build_mdp
from spotree.trees.tree import leaf

ALLOWED = ("random", "end", "stay")


def two_rooms(missing="random", discount=0.5):
    """Room 0: "go" to room 1 for 2, or "wait" for 1; room 1 offers only "wait" for 0."""
    go, wait = [[0.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]
    return build_mdp(
        np.array([go, wait]),
        np.array([[2.0, 1.0], [0.0, 0.0]]),
        discount,
        initial=0,
        available=[[True, True], [False, True]],
        action_names=["go", "wait"],
        missing=missing,
    )


def test_values_of_two_rooms_are_their_sums():
    mdp = two_rooms()
    assert values.policy_value(mdp, [0, 1]).tolist() == [2.0, 0.0]
    assert values.policy_value(mdp, [1, 1]).tolist() == [2.0, 0.0]  # 1 / (1 - 0.5)
    assert values.evaluate(mdp, leaf(1)) == 2.0
    assert values.occupancy(mdp, [0, 1]).tolist() == [1.0, 1.0]  # 0.5 / (1 - 0.5) in room 1
    assert values.random_return(mdp) == 2.0  # 1.5 / (1 - 0.25)


@settings(max_examples=150, deadline=None)
@given(mdps(missing=ALLOWED))
def test_values_and_visits_of_a_policy_agree_with_dense_solves(made):
    mdp, rng = made
    policy = rng.integers(0, mdp.num_actions, mdp.num_states)
    found = values.certified_values(mdp, policy)
    np.testing.assert_allclose(found.value, plain.policy_value(mdp, policy), rtol=1e-11, atol=1e-11)
    assert found.error <= 1e-11
    np.testing.assert_allclose(values.occupancy(mdp, policy), plain.occupancy(mdp, policy), rtol=1e-11, atol=1e-13)
    returned = values.certified_return(mdp, policy)
    assert returned.value == pytest.approx(mdp.initial @ found.value, rel=1e-11, abs=1e-11)
    assert returned.value == pytest.approx(
        plain.occupancy(mdp, policy) @ mdp.reward[range(mdp.num_states), policy], rel=1e-10, abs=1e-10
    )
    assert 0.0 <= returned.error <= 1e-11


@settings(max_examples=100, deadline=None)
@given(mdps(missing=ALLOWED), st.sampled_from([0.0, 0.1, 1.0]))
def test_mixtures_agree_with_dense_solves(made, rate):
    mdp, rng = made
    mixed = values.mixture(mdp, rng.integers(0, mdp.num_actions, mdp.num_states), rate)
    np.testing.assert_allclose(np.add.reduceat(mixed.weight, mdp.choice_start[:-1]), 1.0)
    np.testing.assert_allclose(
        values.policy_value(mdp, mixed), plain.policy_value(mdp, mixed), rtol=1e-10, atol=1e-11
    )
    np.testing.assert_allclose(values.occupancy(mdp, mixed), plain.occupancy(mdp, mixed), rtol=1e-10, atol=1e-13)


@settings(max_examples=60, deadline=None)
@given(mdps())
def test_a_mixture_runs_from_the_policy_to_the_random_one(made):
    mdp, rng = made
    policy = np.array([rng.choice(np.flatnonzero(mdp.choice_of[s] >= 0)) for s in range(mdp.num_states)])
    assert values.evaluate(mdp, values.mixture(mdp, policy, 0.0)) == pytest.approx(values.evaluate(mdp, policy))
    np.testing.assert_allclose(values.mixture(mdp, policy, 1.0).weight, values.uniform(mdp).weight)


@settings(max_examples=60, deadline=None)
@given(mdps())
def test_action_values_look_one_step_ahead(made):
    mdp, rng = made
    value = rng.normal(size=mdp.num_states)
    np.testing.assert_allclose(
        values.action_values(mdp, value), plain.action_values(mdp, value), rtol=1e-12, atol=1e-13
    )


@settings(max_examples=100, deadline=None)
@given(mdps())
def test_the_optimum_agrees_with_value_iteration(made):
    mdp, _ = made
    found = values.optimum(mdp)
    np.testing.assert_allclose(found.values, plain.optimal_value(mdp), rtol=1e-9, atol=1e-9)
    assert found.value == pytest.approx(values.evaluate(mdp, found.actions), rel=1e-10, abs=1e-11)
    assert found.error <= 1e-10 * max(1.0, np.abs(found.values).max())


@settings(max_examples=60, deadline=None)
@given(mdps(most_states=5))
def test_no_policy_beats_the_optimum_by_more_than_its_error(made):
    mdp, _ = made
    found = values.optimum(mdp)
    for policy in np.ndindex(*[mdp.num_actions] * mdp.num_states):
        if (mdp.choice_of[range(mdp.num_states), policy] >= 0).all():
            judged = values.certified_return(mdp, np.array(policy))
            assert judged.value - judged.error <= found.value + found.error


def test_visits_sum_to_the_horizon_when_no_episode_ends():
    mdp = two_rooms(discount=0.99)
    assert values.occupancy(mdp, [1, 1]).sum() == pytest.approx(100.0)  # 1 / (1 - 0.99)
    ends = two_rooms(missing="end", discount=0.99)
    assert values.occupancy(ends, [0, 0]).tolist() == [1.0, 0.99]
    assert values.policy_value(ends, [0, 0]).tolist() == [2.0 - 0.99, -1.0]


def test_a_forbidden_action_matters_only_where_the_policy_comes():
    mdp = two_rooms(missing="forbid")
    with pytest.raises(InfeasibleError, match="state 1, action 'go': the policy can reach the state"):
        values.evaluate(mdp, [0, 0])
    with pytest.raises(InfeasibleError, match="state 1, action 'go'"):
        values.policy_value(mdp, leaf(0))
    assert values.evaluate(mdp, [1, 0]) == 2.0
    assert values.policy_value(mdp, [1, 0]).tolist() == [2.0, -np.inf]
    assert values.occupancy(mdp, [1, 0]).tolist() == [2.0, 0.0]
    assert values.action_values(mdp, np.zeros(2)).tolist() == [[2.0, 1.0], [-np.inf, 0.0]]


def test_a_forbidden_action_that_cannot_be_avoided_makes_a_whole_component_worthless():
    steps = np.zeros((2, 4, 4))
    steps[0] = [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0.5, 0, 0.5], [0, 0, 0, 0]]
    steps[1, 3, 3] = 1
    mdp = build_mdp(
        steps, 1.0, 0.5, initial=0, available=steps.sum(axis=2).T > 0, action_names=["a", "b"], missing="forbid"
    )
    found = values.certified_values(mdp, [0, 0, 0, 0])
    assert found.value.tolist() == [2.0, -np.inf, -np.inf, -np.inf]
    assert found.error < 1e-15


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ([0], "one whole number per state, here 2; this one has shape"),
        ([0.5, 1.0], "type float64"),
        ([0, 2], "state 1: the policy picks action 2; actions are 0 to 1"),
        ([-1, 0], "state 0: the policy picks action -1"),
        (values.Mixture(np.ones(2)), "2 weights, the MDP 4 choices"),
    ],
)
def test_a_policy_that_does_not_fit_is_refused(policy, message):
    with pytest.raises(InvalidProblemError, match=message):
        values.evaluate(two_rooms(), policy)


def test_values_of_another_mdp_are_refused():
    with pytest.raises(InvalidProblemError, match=r"values have shape \(3,\); the MDP has 2 states"):
        values.action_values(two_rooms(), np.zeros(3))


def test_an_exploration_rate_is_a_probability():
    with pytest.raises(InvalidProblemError, match=r"exploration rate is 1\.5"):
        values.mixture(two_rooms(), [0, 0], 1.5)


def test_scales_of_returns():
    assert values.of_optimum(203.417, 223.970) == pytest.approx(0.90823, abs=1e-5)
    assert values.over_random(3.0, 5.0, 1.0) == 0.5
    assert np.isnan(values.of_optimum(0.0, 0.0))
    assert np.isnan(values.over_random(1.0, 1.0, 1.0))


def test_one_chain_answers_all_questions_with_one_factorisation():
    chain = values.policy_chain(two_rooms(), [0, 1])
    assert chain.values().value.tolist() == [2.0, 0.0]
    assert chain.occupancy().value.tolist() == [1.0, 1.0]
    assert chain.expected_return().value == 2.0
    assert chain.expected_return().relative <= 1e-14
