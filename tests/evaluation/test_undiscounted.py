"""Undiscounted values against all policies in turn."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

from oracles.undiscounted import all_policies, best_values, policy_values, tangled
from spotree.errors import InfeasibleError, InvalidModelError
from spotree.evaluation import (
    certified_occupancy,
    certified_return,
    certified_values,
    expected_return,
    mixture,
    occupancy,
    optimum,
    over_random,
    policy_value,
    random_return,
    uniform,
)
from spotree.evaluation.optimality_gap import most_missed
from spotree.mdp import MDP, ChoiceRows, build_mdp
from spotree.mdp.graph import end_components
from spotree.mdp.total_reward import finite_part
from spotree.search.gain import gain


def chain_of(rows, reward, ends=None, **more) -> MDP:
    """Rows by (state, action): a list of next states, each with the same probability, none: the episode ends."""
    pairs = sorted(rows)
    targets = [rows[pair] for pair in pairs]
    probability = [1.0 / len(t) for t in targets for _ in t]
    return build_mdp(
        ChoiceRows(
            np.array([s for s, _ in pairs]),
            np.array([a for _, a in pairs]),
            np.concatenate(([0], np.cumsum([len(t) for t in targets]))),
            np.array([t for each in targets for t in each], dtype=int),
            np.array(probability),
        ),
        np.array([reward.get(pair, 0.0) for pair in pairs]),
        1.0,
        ends=np.array([0.0 if t else 1.0 for t in targets]),
        undiscounted=True,
        **{"missing": "forbid", "initial": 0, **more},
    )


# 0 can wait for ever or move on; 1 goes back or ends. Reward 1 for the end.
WAIT = {(0, 0): [0], (0, 1): [1], (1, 0): [0], (1, 1): []}


def test_the_best_policy_leaves_a_loop_that_is_as_good_by_its_value() -> None:
    # With V = 1 everywhere waiting looks as good as moving; a policy that waits is worth 0.
    best = optimum(chain_of(WAIT, {(1, 1): 1.0}))
    assert best.value == 1.0
    assert best.actions.tolist() == [1, 1]
    assert best.error < 1e-12


def test_a_policy_that_waits_for_ever_is_worth_nothing() -> None:
    mdp = chain_of(WAIT, {(1, 1): 1.0})
    assert policy_value(mdp, [0, 1]).tolist() == [0.0, 1.0]
    assert policy_value(mdp, [1, 0]).tolist() == [0.0, 0.0]
    assert certified_values(mdp, [0, 1]).error < 1e-12


def test_avoiding_a_bad_end_by_waiting_is_best() -> None:
    best = optimum(chain_of(WAIT, {(1, 1): -1.0}))
    assert best.value == 0.0
    assert best.error < 1e-12


def test_waiting_where_the_episode_must_end_is_worth_minus_infinity() -> None:
    mdp = chain_of(WAIT, {(1, 1): -1.0}, must_end=True)
    assert optimum(mdp).value == -1.0
    assert optimum(mdp).actions.tolist() == [1, 1]
    assert optimum(mdp).error < 1e-12
    assert policy_value(mdp, [0, 1]).tolist() == [-np.inf, -1.0]
    assert certified_return(mdp, [0, 1]).value == -np.inf
    assert certified_return(mdp, [0, 1]).error == 0.0


def test_paying_for_ever_is_worth_minus_infinity() -> None:
    mdp = chain_of(WAIT, {(0, 0): -0.5, (1, 1): -3.0})
    assert expected_return(mdp, [0, 1]) == -np.inf
    assert optimum(mdp).value == 0.0  # back and forth costs nothing


def test_earning_for_ever_is_refused() -> None:
    with pytest.raises(InvalidModelError, match="state 0, action 'action_0': reward 2 can be had again and again"):
        chain_of(WAIT, {(0, 0): 2.0})


def test_no_policy_that_ends_is_refused() -> None:
    with pytest.raises(InfeasibleError, match="initial state 0: no policy surely ends"):
        chain_of({(0, 0): [0, 1], (1, 0): [1], (2, 0): []}, {}, must_end=True)


def test_states_that_cannot_end_are_left_out_and_the_ways_there_forbidden() -> None:
    mdp = chain_of({(0, 0): [1, 2], (0, 1): [2], (1, 0): [1], (2, 0): []}, {(2, 0): -1.0}, must_end=True)
    assert mdp.state_number.tolist() == [0, 2]
    assert mdp.choice_of.tolist() == [[-1, 0], [1, -1]]
    assert random_return(mdp) == -1.0
    assert "1 states of value -inf left out, 1 choices" in mdp.notes["undiscounted"]
    with pytest.raises(InfeasibleError):
        expected_return(mdp, [0, 0])


def test_visits_to_a_class_that_is_never_left_count_how_often_it_is_entered() -> None:
    mdp = chain_of({(0, 0): [0, 1, 2], (1, 0): [2], (2, 0): [1]}, {})
    # 0 is left with probability 2/3 a step: 3/2 visits; 1 and 2 are each entered with 1/2.
    assert occupancy(mdp, [0, 0, 0]) == pytest.approx([1.5, 0.5, 0.5])
    assert certified_occupancy(mdp, [0, 0, 0]).error < 1e-12


def test_the_bound_counts_steps() -> None:
    # A walk on 0 .. 99 that ends at 99 and stays at 0 half of the time takes 100 * 99 steps from 0.
    size = 100
    rows = {(s, 0): [max(s - 1, 0), s + 1] for s in range(size - 1)} | {(size - 1, 0): []}
    walk = chain_of(rows, {(s, 0): -1.0 for s in range(size - 1)}, must_end=True)
    value = certified_return(walk, np.zeros(size, int))
    assert value.value == pytest.approx(-100 * 99, rel=1e-12)
    assert abs(value.value + 100 * 99) <= value.error < 1e-6
    best = optimum(walk)
    assert abs(best.value + 100 * 99) <= best.error < 1e-3


def test_the_bound_holds_where_costs_can_be_paid_again_and_again() -> None:
    # A line of 50 states, 0.5 a step in either direction, that ends behind the last one.
    size = 50
    rows = (
        {(s, 0): [s + 1] for s in range(size - 1)} | {(s, 1): [s - 1] for s in range(1, size)} | {(size - 1, 0): []}
    )
    line = chain_of(rows, dict.fromkeys(rows, -0.5), must_end=True)
    truth = optimum(line).values
    assert truth == pytest.approx(-0.5 * (size - np.arange(size)))
    worse = 1.01 * truth
    assert (truth - worse).max() <= most_missed(line, worse) < 1.0


def test_the_random_policy_may_be_worth_minus_infinity() -> None:
    # 0 waits for ever, for nothing or at a cost.
    mdp = chain_of({(0, 0): [0], (0, 1): [0]}, {(0, 1): -1.0})
    assert random_return(mdp) == -np.inf
    assert np.isnan(over_random(0.0, optimum(mdp).value, random_return(mdp)))


def test_gains_are_finite_where_values_are_not() -> None:
    mdp = chain_of(WAIT, {(1, 1): -1.0}, must_end=True)
    gains = gain(mdp, policy_value(mdp, [0, 0]), np.ones(2))
    assert np.isfinite(gains).all()
    assert gains[1, 1] > gains[1, 0]


def test_end_components_are_found_one_inside_the_other() -> None:
    # {0, 1} by going round; 2 leaves for 3, from where nothing returns.
    mdp = chain_of({(0, 0): [1], (1, 0): [0, 1], (1, 1): [2], (2, 0): [1, 3], (3, 0): []}, {})
    found = end_components(mdp, np.ones(5, dtype=bool))
    assert found.component_of[0] == found.component_of[1] >= 0
    assert found.component_of[2:].tolist() == [-1, -1]
    assert found.inside.tolist() == [True, True, False, False, False]


def test_rows_that_are_a_little_off_do_not_end_the_episode() -> None:
    mdp = build_mdp([[[0.5, 0.5 - 4e-10], [0.5, 0.5 - 4e-10]]], 0.0, 1.0, undiscounted=True)
    assert policy_value(mdp, [0, 0]).tolist() == [0.0, 0.0]
    assert occupancy(mdp, [0, 0]).sum() == pytest.approx(1.0)


@settings(max_examples=150, deadline=None)
@given(tangled())
def test_values_of_every_policy_and_the_optimum_are_those_of_the_plain_twin(build) -> None:
    try:
        mdp = build()
    except InfeasibleError:
        assume(False)
    policies = list(all_policies(mdp))
    rng = np.random.default_rng(len(policies))
    for rows in [policies[i] for i in rng.choice(len(policies), size=min(10, len(policies)), replace=False)]:
        actions = np.argmax(mdp.choice_of == np.array(rows)[:, None], axis=1)
        found = certified_values(mdp, actions)
        truth = policy_values(mdp, rows)
        assert (np.isneginf(found.value) == np.isneginf(truth)).all()
        finite = np.isfinite(truth)
        assert found.value[finite] == pytest.approx(truth[finite], rel=1e-9, abs=1e-9)
        assert found.error < 1e-8
    best = optimum(mdp)
    truth = best_values(mdp)
    assert np.isfinite(truth).all()  # what finite_part promises
    assert best.values == pytest.approx(truth, rel=1e-9, abs=1e-9)
    assert policy_value(mdp, best.actions) == pytest.approx(truth, rel=1e-9, abs=1e-9)
    assert best.error < 1e-7
    if mdp.must_end:
        if (
            mdp.missing != "end"
        ):  # there a missing action may be the only way to end, and the random policy takes none
            assert np.isfinite(policy_value(mdp, uniform(mdp))).all()
        assert np.isfinite(policy_value(mdp, mixture(mdp, best.actions, 0.1))).all()


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(tangled())
def test_the_bound_holds_for_values_that_are_off(build) -> None:
    try:
        mdp = build()
    except InfeasibleError:
        assume(False)
    truth = best_values(mdp)
    rng = np.random.default_rng(mdp.num_states)
    for size in (1e-6, 1e-3, 1.0):
        value = truth + size * rng.normal(size=mdp.num_states)
        missed = most_missed(mdp, value)  # below 0 where all values are too high
        assert (truth - value).max() <= missed + 1e-12 * (1 + abs(missed))
    assert most_missed(mdp, truth + 1e-6 * rng.normal(size=mdp.num_states)) < 1e-2  # and it is of use


@settings(max_examples=100, deadline=None)
@given(tangled(missing=("forbid", "stay")))
def test_what_is_left_out_is_worth_minus_infinity_under_every_policy(build) -> None:
    import spotree.mdp.build as door

    original, door.finite_part = door.finite_part, lambda mdp: mdp
    try:
        whole = build()
    finally:
        door.finite_part = original
    truth = best_values(whole)
    if np.isneginf(truth[whole.initial > 0]).any():
        with pytest.raises(InfeasibleError):
            finite_part(whole)
        return
    part = finite_part(whole)
    assert part.state_number.tolist() == np.flatnonzero(np.isfinite(truth)).tolist()
    assert optimum(part).values == pytest.approx(truth[part.state_number], rel=1e-9, abs=1e-9)
