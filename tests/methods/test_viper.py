"""VIPER and its CART student."""

from functools import partial

import numpy as np
import pytest

import spotree
from small_models import random_mdp
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.evaluation import expected_return
from spotree.results.solution import SolveStatus
from spotree.search.cart import cart
from spotree.trees.tree import leaf

viper = partial(spotree.solve, method="viper")


def agreement(tree, features, label, weight):
    return weight[tree.actions(features) == label].sum()


def test_cart_splits_where_the_labels_change():
    features = np.array([[1.0, 7], [2, 7], [3, 7], [4, 7]])
    tree = cart(features, np.array([2, 2, 0, 0], np.int32), np.ones(4), 3)
    assert (tree.feature.tolist(), tree.threshold[0]) == ([0, -1, -1], 2.5)
    assert tree.action.tolist() == [-1, 2, 0]


def test_cart_ignores_rows_of_weight_zero():
    features, label = np.array([[1.0], [2], [3]]), np.array([0, 1, 0], np.int32)
    assert cart(features, label, np.array([1.0, 0.0, 1.0]), 3).num_nodes == 1


def test_cart_learns_exclusive_or_although_no_first_split_helps():
    features = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    label = np.array([0, 1, 1, 0], np.int32)
    tree = cart(features, label, np.ones(4), 2)
    assert tree.actions(features).tolist() == label.tolist()


def test_cart_with_few_leaves_takes_the_split_that_helps_most():
    features = np.arange(6.0)[:, None]
    label = np.array([0, 0, 0, 1, 2, 2], np.int32)
    weight = np.array([5.0, 5, 5, 1, 5, 5])
    tree = cart(features, label, weight, 2, max_leaves=2)
    assert tree.num_leaves == 2
    assert agreement(tree, features, label, weight) == 25  # all but the row of weight 1


def test_cart_is_as_good_as_scikit_learns():
    sklearn = pytest.importorskip("sklearn.tree")
    rng = np.random.default_rng(0)
    for depth in (1, 2, 3, 4) * 5:
        features = rng.normal(size=(60, 3)).round(1)
        label = ((features[:, 0] > 0.3) + 2 * (features @ [0.2, 1, -1] > 0)).astype(np.int32)
        weight = rng.integers(1, 9, 60).astype(float)
        theirs = sklearn.DecisionTreeClassifier(max_depth=depth, random_state=0).fit(features, label, weight)
        ours = cart(features, label, weight, depth)
        reached = weight[theirs.predict(features) == label].sum()
        # the first split is the same up to ties; below, ties may lead elsewhere
        assert agreement(ours, features, label, weight) >= 0.97 * reached


def test_a_deep_student_becomes_the_teacher():
    rng = np.random.default_rng(3)
    for missing in ("random", "end", "stay"):
        found = viper(random_mdp(rng, 12, 3, missing=missing, offered=0.7), 6)
        assert found.value == pytest.approx(found.optimum)
        assert found.proved_optimal


def test_a_student_of_a_model_with_forbidden_actions_avoids_them_or_says_that_it_cannot():
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(10):
        mdp = random_mdp(rng, 8, 3, missing="forbid", offered=0.6)
        try:
            assert np.isfinite(viper(mdp, 3, rounds=10).value)
            found += 1
        except InfeasibleError:
            continue
    assert found > 0


@pytest.mark.parametrize("name", ["frozenlake_4x4", "system_administrator_1", "blackjack"])
def test_a_small_student_is_far_better_than_chance(name):
    found = viper(spotree.load(name), 3, rounds=20)
    assert found.over_random > 0.5
    assert found.policy.depth <= 3
    assert found.value <= found.bound == found.optimum


def test_a_seed_gives_one_student():
    mdp = spotree.load("tiger_vs_antelope")
    one, other = (viper(mdp, 3, seed=5, rounds=5) for _ in range(2))
    assert str(one.policy) == str(other.policy)
    assert [line.value for line in one.history] == [line.value for line in other.history]


def test_it_keeps_to_a_number_of_leaves():
    assert viper(spotree.load("blackjack"), 4, max_leaves=3, rounds=5).policy.num_leaves <= 3


def test_the_answer_is_the_best_round_and_never_worse_than_the_start():
    mdp = spotree.load("frozenlake_8x8")
    found = viper(mdp, 2, rounds=15)
    assert found.value == pytest.approx(max(line.current for line in found.history))
    assert viper(mdp, 1, start=leaf(2), rounds=1).value >= expected_return(mdp, leaf(2))


def test_without_time_there_is_one_round():
    found = viper(spotree.load("frozenlake_8x8"), 2, time_limit=0)
    assert len(found.history) == 1
    assert found.status is SolveStatus.TIME_LIMIT


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(InvalidProblemError, match="rounds is 0"):
        viper(spotree.load("frozenlake_4x4"), 2, rounds=0)
