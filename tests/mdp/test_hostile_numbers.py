"""The door takes numbers that it can work with exactly or safely, and says in one line why not for the others."""

import time
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from spotree.api.solve import solve
from spotree.errors import InvalidModelError, SpotreeError
from spotree.evaluation import evaluate, optimum, random_return
from spotree.mdp import MDP, ChoiceRows, build_mdp
from spotree.mdp.check import LARGEST, largest_reward

EYE = np.eye(2)
BIG = 2**53 + 1


def build(transitions: Any = (EYE, EYE), reward: Any = 0.0, discount: Any = 0.9, **more: Any) -> MDP:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return build_mdp(transitions, reward, discount, **more)


def refusal(**given: Any) -> str:
    with pytest.raises(InvalidModelError) as caught:
        build(**given)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 260
    return message


@pytest.mark.parametrize(
    "features",
    [
        np.array([[1, 2], [3, BIG]]),
        np.array([[1, 2], [3, BIG]], dtype=np.uint64),
        np.array([[1, 2], [3, BIG]], dtype=object),
        [[1, 2], [3, BIG]],
        [[1, 2.5], [3, BIG]],
    ],
    ids=["int64", "uint64", "objects", "list", "list of both kinds"],
)
def test_a_whole_feature_that_float64_cannot_hold_is_named_with_its_state(features: Any) -> None:
    assert refusal(features=features, feature_names=["x", "id"], state_number=[7, 40]) == (
        "state 40, feature 'id': value is 9007199254740993, which float64 cannot hold; "
        "subtract an offset from the feature, or split it into two"
    )


def test_numbers_beyond_64_bits_are_named_too() -> None:
    assert "state 0, feature 0: value is 18446744073709551617" in refusal(features=[[2**64 + 1], [0]])
    assert "value is a number of 1329 bits" in refusal(features=[[10**400], [0]])


def test_state_numbers_that_serve_as_feature_must_be_exact() -> None:
    assert "state 9007199254740993, feature 'state'" in refusal(state_number=[BIG, 1])
    assert build(state_number=[BIG, 1], features=[[0], [1]]).state_number[0] == BIG
    assert "state_number is no array of whole numbers" in refusal(
        state_number=np.array([2**63, 0], dtype=np.uint64)
    )


def test_large_whole_numbers_that_float64_holds_are_taken() -> None:
    features = np.array([[2**53], [2**60], [-(2**62)], [2**63 - 1024]])
    assert build([np.eye(4)], features=features).features.ravel().tolist() == features.ravel().tolist()


def test_other_arrays_of_whole_numbers_must_be_exact_as_well() -> None:
    assert "reward[1, 0] is 9007199254740993, which float64 cannot hold" in refusal(reward=[[0, 0], [BIG, 0]])


@pytest.mark.parametrize("discount", [0.0, 0.9, 1 - 2.0**-40])
def test_a_reward_that_could_make_a_value_overflow_is_refused(discount: float) -> None:
    most = largest_reward(discount)
    assert build(reward=most, discount=discount).reward_of_choice.max() == most
    assert "rewards go up to" in refusal(reward=-1.01 * most, discount=discount)
    assert "missing_reward is 1e+308" in refusal(missing_reward=1e308, discount=discount)


def test_the_limit_is_for_undiscounted_rewards_too() -> None:
    ends = {"discount": 1.0, "undiscounted": True, "transitions": [[[0.0]]], "ends": 1.0}
    assert build(reward=LARGEST, **ends).reward_of_choice.tolist() == [LARGEST]
    assert "state 0, action 'action_0': reward is 1e+308" in refusal(reward=1e308, **ends)


def test_an_expected_reward_that_overflows_is_refused() -> None:
    rows = ChoiceRows(np.array([0]), np.array([0]), np.array([0, 1]), np.array([0]), np.array([1.0]))
    assert "reward is inf" in refusal(transitions=rows, reward=1.7e308, transition_reward=[1.7e308])


@pytest.mark.parametrize("discount", [0.0, 0.99, 1 - 2.0**-53])
@pytest.mark.parametrize("size", ["largest", "smallest"])
def test_everything_is_finite_on_the_largest_and_smallest_rewards(discount: float, size: str) -> None:
    rng = np.random.default_rng(5)
    reward = rng.uniform(-1, 1, (6, 2))
    reward[0] = 1, -1
    scale = largest_reward(discount) if size == "largest" else 5e-324
    mdp = build(rng.dirichlet(np.ones(6), (2, 6)), reward * scale, discount, features=np.arange(6)[:, None])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        best = optimum(mdp)
        found = solve(mdp, depth=1, time_limit=1)
        numbers = [
            best.value,
            best.error,
            evaluate(mdp, np.zeros(6, int)),
            random_return(mdp),
            found.value,
            found.bound,
        ]
    assert np.isfinite([*numbers, *best.values]).all()


def test_everything_is_finite_on_the_largest_undiscounted_rewards() -> None:
    mdp = build([[[0.5]]], -LARGEST, 1.0, ends=0.5, undiscounted=True)
    assert optimum(mdp).value == -2 * LARGEST


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"features": [[0.0], [np.nan]]}, "state 1, feature 0: value is nan"),
        ({"features": [[-np.inf], [0.0]]}, "state 0, feature 0: value is -inf"),
        ({"features": np.zeros((2, 0))}, "at least one feature"),
        ({"features": np.ma.array([[1], [2]], mask=[[1], [0]])}, "features is a masked array"),
        ({"features": np.array([["a"], ["b"]])}, "features is no array of numbers"),
        ({"features": np.array([[1], [2]], dtype="M8[s]")}, "features is no array of numbers"),
        ({"features": np.array([[1j], [2]])}, "features is no array of numbers"),
        ({"discount": 10**400}, "discount is a number of 1329 bits; it must be one finite number"),
        ({"discount": True}, "discount is True"),
        ({"discount": b"1"}, "discount is b'1'"),
        ({"discount": np.zeros((9, 9))}, "discount is of type ndarray"),
        ({"missing_reward": np.nan}, "missing_reward is nan"),
        ({"missing": np.zeros(2)}, "is unknown; choose one of random, end, stay, forbid"),
        ({"initial": True}, "initial state True does not exist"),
        ({"initial": [1e308, 1e308]}, "initial probabilities sum to inf"),
        ({"initial": [np.nan, 1]}, "initial probability of state 0 is nan"),
        ({"reward": None}, "reward is no array of numbers"),
        ({"reward": [[1], [2, 3]]}, "reward is no array of numbers"),
        ({"reward": np.longdouble("1e4000")}, "reward is inf"),
        ({"ends": np.nan}, "ends is nan"),
        ({"available": [[1, 7], [1, 1]]}, "available is no array of truth values: 7 is none"),
        ({"forbidden": [[0, -1], [0, 0]]}, "forbidden is no array of truth values: -1 is none"),
        ({"action_names": 3}, "action_names is 3; pass a list of names"),
        ({"action_names": [["a"], ["b", "c"]]}, "action name ['a'] is no text"),
        ({"feature_names": [""]}, "feature name '' is no text"),
        ({"action_names": ["a", "a"]}, "action name 'a' occurs 2 times"),
        ({"transitions": [sp.csr_matrix((0, 0))]}, "transitions of action 0 has shape (0, 0)"),
        ({"transitions": [sp.eye(2), None]}, "transitions of action 1 is no array of numbers"),
        ({"transitions": [sp.eye(2) * 1j]}, "transitions of action 0 is no array of numbers"),
        ({"transitions": np.zeros((0, 2, 2))}, "transitions has shape (0, 2, 2)"),
        ({"transitions": [[[1e308, 1e308], [0, 1]]]}, "probabilities sum to inf"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(given: dict[str, Any], words: str) -> None:
    assert words in refusal(**given)


def test_a_state_or_action_of_absurd_number_takes_no_memory() -> None:
    def rows(state: int, action: int, target: int) -> ChoiceRows:
        return ChoiceRows(
            np.array([0, state]), np.array([0, action]), np.arange(3), np.array([0, target]), np.ones(2)
        )

    assert "state 1 has no choice" in refusal(transitions=rows(2**62, 0, 0))
    assert "state 2 has no choice" in refusal(transitions=rows(1, 0, 2**40))
    assert "number the actions from 0 on" in refusal(transitions=rows(1, 2**40, 0))


def test_one_state_strides_and_small_types_are_taken() -> None:
    one = build([[[1.0]]], features=[[3]])
    assert (one.num_states, optimum(one).value) == (1, 0)
    wide = np.arange(16.0).reshape(4, 4)
    for features in (wide[::2, ::2], np.asfortranarray(wide[:2]), wide[:2].astype(np.float16), wide[:2] > 3):
        assert build(features=features).features.tolist() == features.tolist()
    assert str(build(discount=-0.0).discount) == "0.0"


def test_a_share_of_the_smallest_probability_is_no_transition() -> None:
    rows = [[[1.0, 5e-324], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]]]
    mdp = build(np.array(rows), available=[[True, True, False], [True, True, True]])
    assert (mdp.probability > 0).all()


def test_a_hundred_thousand_states_take_a_moment() -> None:
    states = 100_000
    each = np.arange(2 * states)
    target = np.column_stack((each // 2, (each // 2 + 1) % states)).ravel()
    rows = ChoiceRows(each // 2, each % 2, np.arange(0, 4 * states + 1, 2), target, np.tile([0.1, 0.9], 2 * states))
    begin = time.process_time()
    mdp = build(rows, reward=1.0, features=np.arange(states)[:, None])
    assert mdp.num_states == states
    assert time.process_time() - begin < 5


def test_odd_arguments_raise_nothing_but_our_own_errors() -> None:
    messages: list[str] = []
    odd: list[Any] = [
        None,
        np.nan,
        -np.inf,
        1e308,
        "x",
        1j,
        10**400,
        object(),
        [],
        {},
        np.zeros((2, 2, 2)),
        [1, [2]],
    ]
    odd += [np.array([1, 0], dtype="m8[s]"), [sp.eye(3)], sp.eye(2), range(3), lambda: 0, np.array(["a", "b"])]
    names = [
        "transitions",
        "reward",
        "discount",
        "initial",
        "features",
        "feature_names",
        "action_names",
        "available",
        "missing",
    ]
    for name in [*names, "missing_reward", "ends", "forbidden", "state_number", "transition_reward"]:
        for value in odd:
            try:
                mdp = build(**{name: value})
            except SpotreeError as error:
                messages.append(str(error))
            else:
                assert np.isfinite(mdp.features).all()
                assert np.isfinite(mdp.reward_of_choice).all()
    assert not any("\n" in message for message in messages)
