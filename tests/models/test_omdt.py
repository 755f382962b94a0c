"""The thirteen models of OMDT: the same arrays as there, by their fingerprint, and by rules that fit in the head."""

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from facts.fingerprint import arrays_of, fingerprint, known
from spotree import models
from spotree.mdp import MDP

FACTS = Path(__file__).parents[1] / "facts"
NAMES = [
    "blackjack",
    "frozenlake_4x4",
    "frozenlake_8x8",
    "frozenlake_12x12",
    "inventory_management",
    "navigation_3d",
    "system_administrator_1",
    "system_administrator_2",
    "system_administrator_tree",
    "tictactoe_vs_random",
    "tiger_vs_antelope",
    "traffic_intersection",
    "xor",
]
NAME_THERE = {"navigation_3d": "3d_navigation"}


@pytest.mark.parametrize("name", NAMES)
def test_the_model_has_the_fingerprint_of_omdts_arrays(name: str) -> None:
    mdp = models.load(name)
    there = known()[name]
    assert fingerprint(arrays_of(mdp)).differences(there) == []
    assert list(there.probability) == list(mdp.action_names)


@pytest.mark.parametrize("name", NAMES)
def test_optimal_random_and_worst_return_equal_the_published_ones_to_six_digits(name: str) -> None:
    facts = published(name)
    mdp = models.load(name)
    matrices = [mdp.transition_matrix(action) for action in range(mdp.num_actions)]
    random_value = value_of(mdp, sum(matrices) / mdp.num_actions, mdp.reward.mean(axis=1))
    assert mdp.initial @ random_value == pytest.approx(float(facts["random_return"]), abs=6e-7)
    assert best_return(mdp, matrices, mdp.reward) == pytest.approx(float(facts["optimal_return"]), abs=6e-7)
    assert -best_return(mdp, matrices, -mdp.reward) == pytest.approx(float(facts["worst_return"]), abs=6e-7)


@pytest.mark.parametrize("name", NAMES)
def test_sizes_are_the_published_ones(name: str) -> None:
    mdp = models.load(name)
    splits = sum(len(np.unique(column)) - 1 for column in mdp.features.T)
    sizes = {"states": mdp.num_states, "actions": mdp.num_actions, "features": mdp.num_features}
    facts = published(name)
    assert sizes | {"candidate_splits": splits} == {kind: int(facts[kind]) for kind in (*sizes, "candidate_splits")}


def published(name: str) -> dict[str, str]:
    with (FACTS / "omdt_facts.csv").open() as file:
        return {row["mdp"]: row for row in csv.DictReader(file)}[NAME_THERE.get(name, name)]


def value_of(mdp: MDP, matrix: sp.csr_matrix, reward: np.ndarray) -> np.ndarray:
    return np.asarray(spsolve(sp.csc_matrix(sp.identity(mdp.num_states) - mdp.discount * matrix), reward))


def best_return(mdp: MDP, matrices: list[sp.csr_matrix], reward: np.ndarray) -> float:
    """Plain policy iteration: stay with an action unless another is better by more than rounding."""
    states = np.arange(mdp.num_states)
    actions = np.zeros(mdp.num_states, dtype=int)
    rows = sp.csr_matrix(sp.vstack(matrices))
    while True:
        value = value_of(mdp, rows[actions * mdp.num_states + states], reward[states, actions])
        action_value = reward + mdp.discount * np.stack([matrix @ value for matrix in matrices], axis=1)
        better = action_value.max(axis=1) > action_value[states, actions] + 1e-10 * (1 + abs(value).max())
        if not better.any():
            return float(mdp.initial @ value)
        actions = np.where(better, action_value.argmax(axis=1), actions)


def state_with(mdp: MDP, **wanted: float) -> int:
    columns = [mdp.feature_names.index(feature) for feature in wanted]
    (state,) = np.flatnonzero((mdp.features[:, columns] == list(wanted.values())).all(axis=1))
    return int(state)


def chance(mdp: MDP, state: int, action: str, following: int) -> float:
    return float(mdp.transition_matrix(action)[state, following])


@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_available_everywhere_and_rows_sum_to_one(name: str) -> None:
    mdp = models.load(name)
    assert mdp.discount == 0.99
    assert mdp.available.all()
    np.testing.assert_allclose(np.asarray(mdp.rows.sum(axis=1)).ravel(), 1, rtol=0, atol=1e-12)


def test_two_aces_are_bust_at_once_in_blackjack() -> None:
    mdp = models.load("blackjack")
    bust = state_with(mdp, skipped=0, player_total=22, dealer_total=2)
    deal = int(mdp.initial.argmax())
    assert chance(mdp, deal, "Skip", bust) == pytest.approx(1 / 13**3)  # ace, ace, and a two for the dealer
    assert mdp.reward[bust].tolist() == [-1, -1]


def test_a_tie_is_lost_and_twenty_one_pays_half_as_much_again_in_blackjack() -> None:
    mdp = models.load("blackjack")
    for player, dealer, payoff in [(18, 18, -1.0), (18, 17, 1.0), (21, 20, 1.5), (21, 21, -1.0), (21, 22, 1.0)]:
        assert mdp.reward[state_with(mdp, skipped=1, player_total=player, dealer_total=dealer), 0] == payoff


def test_ice_is_slippery_and_the_rim_holds() -> None:
    mdp = models.load("frozenlake_4x4")
    corner = state_with(mdp, X=0, Y=0)
    assert chance(mdp, corner, "Left", corner) == pytest.approx(2 / 3)  # straight into the rim, or slipped up
    assert chance(mdp, corner, "Left", state_with(mdp, X=0, Y=1)) == pytest.approx(1 / 3)  # slipped down


def test_inventory_reward_weighs_each_outcome_with_its_squared_probability() -> None:
    mdp = models.load("inventory_management")
    unsold = np.exp(-15)  # nobody comes
    assert mdp.reward[1, 0] == pytest.approx((1 - unsold) ** 2 * (4 - 1) - unsold**2 * 1, abs=1e-14)


def test_a_robot_that_reaches_the_goal_is_brought_back_to_the_start() -> None:
    mdp = models.load("navigation_3d")
    start, goal = state_with(mdp, x=0, y=0, z=0), state_with(mdp, x=4, y=4, z=4)
    assert chance(mdp, goal, "left", start) == 1
    before = state_with(mdp, x=3, y=4, z=4)
    assert mdp.reward[before, 0] == chance(mdp, before, "right", goal)


def test_a_computer_runs_with_the_share_of_its_dependencies_that_run() -> None:
    mdp = models.load("system_administrator_tree")
    only_root = state_with(mdp, **{name: float(name == "computer_0_running") for name in mdp.feature_names})
    # The root stays up, its two children come back, the four leaves hang on failed ones.
    following = state_with(mdp, **{name: float(name[9] in "012") for name in mdp.feature_names})
    assert chance(mdp, only_root, "wait", following) == pytest.approx(0.95 * 0.05**2)
    assert mdp.reward[only_root].tolist() == [pytest.approx(1 - 0.45)] * 7 + [1.0]


def test_a_mark_on_a_taken_square_loses_the_game() -> None:
    mdp = models.load("tictactoe_vs_random")
    assert mdp.num_states == 2424
    taken = np.flatnonzero(mdp.features[:, mdp.feature_names.index("center_free")] == 0)
    assert (mdp.reward[taken, mdp.action_names.index("center")] == -1).all()


def test_the_antelope_never_moves_onto_the_tiger() -> None:
    mdp = models.load("tiger_vs_antelope")
    cornered = state_with(mdp, antelope_x=0, antelope_y=0, tiger_x=0, tiger_y=1)
    fled = state_with(mdp, antelope_x=1, antelope_y=0, tiger_x=0, tiger_y=1)
    assert chance(mdp, cornered, "wait", fled) == 1
    assert mdp.reward[state_with(mdp, antelope_x=1, antelope_y=0, tiger_x=1, tiger_y=0)].tolist() == [1] * 5


def test_a_switched_light_lets_the_old_side_pass_once_more() -> None:
    mdp = models.load("traffic_intersection")
    full = state_with(mdp, green_side=0, cars_left=5, cars_right=5, waiting_time=3)
    after = state_with(mdp, green_side=1, cars_left=4, cars_right=5, waiting_time=1)
    assert chance(mdp, full, "switch_light", after) == pytest.approx(1 / 1.1)  # none or one arrives, Poisson 0.1
    assert mdp.reward[full, 0] == pytest.approx(1 - 2 - 0.1 * 2**3 * 5)


def test_xor_pays_for_naming_the_quadrant() -> None:
    mdp = models.load("xor")
    x, y = mdp.features[0]  # 0.55, 0.72: both above one half
    assert x > 0.5
    assert y > 0.5
    assert mdp.reward[0].tolist() == [1, -1]
