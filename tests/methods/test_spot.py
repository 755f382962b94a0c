"""SPOT: the propositions of the paper, the best of all rounds, and what ends a run."""

from dataclasses import replace

import numpy as np
import pytest

from small_models import random_mdp
from spotree.api.solve import solve
from spotree.errors import InvalidProblemError
from spotree.evaluation import expected_return, mixture, occupancy, optimum, policy_value
from spotree.improvement.engines.exact import Exact, Preparation
from spotree.improvement.engines.rsbb import Rsbb
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, TreeProblem
from spotree.methods.spot.options import WEIGHTINGS, Stop, freeze
from spotree.results.progress import Progress
from spotree.search.gain import gain
from spotree.trees.tree import leaf, make_tree


@pytest.mark.parametrize("weights", WEIGHTINGS)
@pytest.mark.parametrize("seed", range(5))
def test_with_a_tree_rich_enough_and_positive_weights_spot_reaches_the_optimum(seed: int, weights: str) -> None:
    mdp = random_mdp(np.random.default_rng(seed), states=8, actions=3)  # 8 states, told apart by 3 levels of splits
    solution = solve(
        mdp, 3, method="spot", weights=weights, exploration="none", free_probability=1.0, rounds=30, time_limit=None
    )
    assert solution.value == pytest.approx(optimum(mdp).value, rel=1e-9)
    assert solution.proved_optimal


@pytest.mark.parametrize("seed", range(5))
def test_a_step_with_occupancy_weights_climbs_the_policy_gradient_furthest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, states=6, actions=2)
    old = rng.integers(2, size=6).astype(np.int32)
    value, visits = policy_value(mdp, old), occupancy(mdp, old)
    gains = gain(mdp, value, visits)
    step = Exact().best_tree(TreeProblem(mdp.features, gains, 1), Limits())

    def slope(new: np.ndarray) -> float:
        """Derivative of the return on the way from the old policy to the new one, by Proposition 1."""
        return float(gains[np.arange(6), new].sum() - visits @ value)

    def slope_by_difference(new: np.ndarray) -> float:
        # A mixture of 0.001 of the uniformly random policy with either; the small share of `new` is what differs.
        step_size = 1e-6
        rows = (1 - step_size) * mdp.rows[mdp.choice_of[np.arange(6), old]]
        rows = rows + step_size * mdp.rows[mdp.choice_of[np.arange(6), new]]
        reward = (1 - step_size) * mdp.reward[np.arange(6), old] + step_size * mdp.reward[np.arange(6), new]
        moved = np.linalg.solve(np.eye(6) - mdp.discount * rows.toarray(), reward)
        return float(mdp.initial @ moved - mdp.initial @ value) / step_size

    best = step.tree.actions(mdp.features)
    assert slope(best) == pytest.approx(slope_by_difference(best), abs=1e-3)
    for cut in range(7):  # every tree of depth 1 on the one feature
        for left in range(2):
            for right in range(2):
                other = np.where(np.arange(6) < cut, left, right)
                assert slope(other) <= slope(best) + 1e-9


def test_the_best_of_all_rounds_is_returned_though_rounds_get_worse() -> None:
    mdp = random_mdp(np.random.default_rng(3), states=12, actions=3, features=2)
    solution = solve(mdp, 2, method="spot", rounds=25, time_limit=None)
    assert solution.value == pytest.approx(max(line.current for line in solution.history))
    assert [line.value for line in solution.history] == sorted(line.value for line in solution.history)
    assert solution.value <= solution.bound <= solution.optimum * (1 + 1e-12) + 1e-12


def test_the_same_seed_gives_the_same_rounds() -> None:
    mdp = random_mdp(np.random.default_rng(4), states=12, actions=3, features=2)
    first, second = (solve(mdp, 2, method="spot", rounds=10, time_limit=None, seed=7) for _ in range(2))
    assert [line.current for line in first.history] == [line.current for line in second.history]


def test_a_start_is_never_lost() -> None:
    mdp = random_mdp(np.random.default_rng(5), states=12, actions=3, features=2)
    good = solve(mdp, 2, method="spot", rounds=20, time_limit=None)
    again = solve(mdp, 2, method="spot", rounds=1, time_limit=None, start=good, seed=9)
    assert again.value >= good.value - 1e-12


def test_forbidden_actions_are_avoided_where_a_tree_can() -> None:
    mdp = random_mdp(np.random.default_rng(6), states=8, actions=3, missing="forbid", offered=0.6)
    solution = solve(mdp, 3, method="spot", rounds=20, time_limit=None)
    taken = solution.policy.actions(mdp.features)
    assert (mdp.choice_of[np.arange(8), taken] >= 0).all()


def test_freezing_lays_a_tree_into_the_complete_tree() -> None:
    tree = make_tree([1, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 3, 4])
    fixed = freeze(tree, 2, 0.0, np.random.default_rng(0))
    assert fixed is not None
    assert fixed.feature.tolist() == [1, UNSPLIT, UNSPLIT]
    assert fixed.threshold[0] == 0.5
    assert fixed.action.tolist() == [FREE, 3, FREE, 4]  # an unsplit node sends every state right
    assert freeze(tree, 2, 1.0, np.random.default_rng(0)) is None
    assert freeze(leaf(2), 0, 0.0, np.random.default_rng(0)).action.tolist() == [2]  # type: ignore[union-attr]


def test_everything_frozen_gives_the_same_tree_back() -> None:
    rng = np.random.default_rng(1)
    features, gains = rng.integers(0, 4, size=(30, 2)).astype(float), rng.normal(size=(30, 5))
    tree = make_tree([1, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 3, 4])
    problem = TreeProblem(features, gains, 2, frozen=freeze(tree, 2, 0.0, rng))
    again = Exact().best_tree(problem, Limits(), start=tree).tree
    assert again.actions(features).tolist() == tree.actions(features).tolist()


def test_stopping_rules() -> None:
    def line(round: int, value: float) -> Progress:
        return Progress(seconds=0.0, round=round, value=value, bound=1.0)

    assert Stop(seconds=5)([], 5.0)
    assert not Stop(seconds=5, patience=None)([line(1, 0.0)], 4.9)
    assert Stop(seconds=None, rounds=1)([line(1, 0.0)], 0.0)
    rising = [line(k, k / 10) for k in range(5)]
    assert not Stop(seconds=None, patience=2)(rising, 0.0)
    assert Stop(seconds=None, patience=2)([*rising, line(5, 0.4), line(6, 0.4)], 0.0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"weights": "heavy"}, "weights 'heavy'"),
        ({"exploration": "wild"}, "exploration 'wild'"),
        ({"free_probability": 1.5}, "free_probability is 1.5"),
        ({"preset": "mine"}, "preset 'mine'"),
        ({"engine": "magic"}, "magic"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, object], words: str) -> None:
    mdp = random_mdp(np.random.default_rng(0), states=4, actions=2)
    with pytest.raises(InvalidProblemError, match=words):
        solve(mdp, 1, method="spot", **settings)


def test_an_unknown_method_is_named_with_the_known_ones() -> None:
    mdp = random_mdp(np.random.default_rng(0), states=4, actions=2)
    with pytest.raises(InvalidProblemError, match="method 'magic' is unknown; choose one of neighbourhood"):
        solve(mdp, 1, method="magic")


def test_exploration_of_one_is_the_random_policy() -> None:
    mdp = random_mdp(np.random.default_rng(2), states=5, actions=2)
    some = np.zeros(5, np.int32)
    assert expected_return(mdp, mixture(mdp, some, 1.0)) == pytest.approx(
        expected_return(mdp, mixture(mdp, some + 1, 1.0))
    )


@pytest.mark.parametrize("engine", ["exact", "rsbb", "milp"])
def test_spot_goes_through_the_door_of_the_step_so_that_like_states_are_one_row(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mdp = random_mdp(np.random.default_rng(2), states=12, actions=2)
    mdp = replace(mdp, features=mdp.features // 4)  # 3 kinds of states
    rows, search = [], Rsbb.search

    def seen(self, problem, limits, start):
        rows.append(len(problem.gain))
        return search(self, problem, limits, start)

    monkeypatch.setattr(Rsbb, "search", seen)
    found = solve(mdp, 1, method="spot", engine=engine, rounds=5, time_limit=20, threads=1, free_probability=0.5)
    assert found.value <= found.bound
    assert rows == ([3] * len(found.history) if engine == "rsbb" else [])


def test_spot_prepares_its_features_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(
        "spotree.improvement.engines.exact.Preparation",
        lambda *given: made.append(given) or Preparation(*given),
    )
    mdp = random_mdp(np.random.default_rng(3), states=12, actions=3, features=2)
    assert len(solve(mdp, 1, method="spot", rounds=5, time_limit=None, round_seconds=0).history) == 5
    assert [seconds for _, seconds in made] == [None]  # not bound by the time of one round
