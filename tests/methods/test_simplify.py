"""A tree from anywhere gets smaller, never larger, and never worse than asked."""

import json

import numpy as np
import pytest

import spotree
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.mdp import MDP, build_mdp
from spotree.search.leaf_search import LeafSearch, Sized
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import leaf, make_tree


def simpler(mdp: MDP, policy, tolerance: float = 0.0, **asked) -> spotree.Smallest:
    return spotree.simplify(mdp, policy, tolerance, **{"max_rounds": 1, "time_limit": 20, "threads": 1} | asked)


@pytest.mark.parametrize("name", ["frozenlake_4x4", "blackjack", "navigation_3d"])
@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_the_tree_is_no_larger_and_no_worse_than_asked(name: str, tolerance: float) -> None:
    mdp = spotree.load(name)
    policy = spotree.solve(mdp, 4, max_rounds=1, time_limit=20, threads=1).policy
    value = spotree.evaluate(mdp, policy)
    found = simpler(mdp, policy, tolerance)
    assert found.reached
    assert found.leaves <= policy.num_leaves
    assert found.value >= value - tolerance * abs(value) - 1e-9
    assert found.asked.startswith("the smallest tree")


def test_a_tree_of_scikit_learn() -> None:
    from sklearn.tree import DecisionTreeClassifier

    mdp = spotree.load("frozenlake_8x8")
    actions = spotree.optimum(mdp).actions
    fitted = DecisionTreeClassifier(random_state=0).fit(mdp.features, np.array(mdp.action_names)[actions])
    policy = spotree.import_tree(fitted, mdp.feature_names, mdp.action_names)
    found = simpler(mdp, policy)
    assert found.leaves < policy.num_leaves
    assert found.value >= spotree.evaluate(mdp, policy) - 1e-9


def test_a_tree_of_dtcontrol(tmp_path) -> None:
    mdp = spotree.load("frozenlake_4x4")
    x, y = ({"lhs": {"coeff": 1, "var": name}, "op": "<=", "rhs": 1} for name in mdp.feature_names[:2])
    leaves = [{"actual_label": [name], "children": [], "split": None} for name in mdp.action_names]
    below = {"actual_label": None, "children": [leaves[0], leaves[0]], "split": y}
    tree = {"actual_label": None, "children": [below, leaves[1]], "split": x}
    (tmp_path / "controller.json").write_text(json.dumps(tree))
    policy = spotree.import_tree(tmp_path / "controller.json", mdp.feature_names, mdp.action_names)
    found = simpler(mdp, policy)
    assert found.leaves <= 2 < policy.num_leaves
    assert found.value >= spotree.evaluate(mdp, policy) - 1e-9


@pytest.mark.slow
def test_no_time_gives_the_tree_itself_at_worst() -> None:
    mdp = spotree.load("frozenlake_8x8")
    policy = spotree.smallest(mdp, 0.05, time_limit=3).policy
    for asked in ({"time_limit": 0.0}, {"max_rounds": 0}):
        found = simpler(mdp, policy, **asked)
        assert found.reached
        assert found.leaves <= policy.num_leaves


def test_what_has_no_return_to_keep_is_refused() -> None:
    mdp = build_mdp(
        np.stack([np.eye(2)] * 2), np.ones((2, 2)), 0.5, available=np.eye(2, dtype=bool), missing="forbid"
    )
    with pytest.raises(InfeasibleError, match="forbidden action"):
        simpler(mdp, leaf(0))
    with pytest.raises(InvalidProblemError, match="tolerance is nan"):
        simpler(mdp, leaf(0), float("nan"))
    with pytest.raises(InvalidProblemError):
        simpler(mdp, None)
    with pytest.raises(InvalidProblemError, match="feature 'w'"):
        simpler(
            mdp,
            TreePolicy(
                make_tree([0, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1]), ("w",), mdp.action_names
            ),
        )


def test_the_answer_is_the_tree_itself_where_the_search_is_wrong_about_the_others(monkeypatch) -> None:
    mdp = spotree.load("frozenlake_4x4")
    policy = spotree.smallest(mdp, 0.0, time_limit=20, threads=1).policy
    wrong = [Sized(1, 0.0, leaf(0))]
    monkeypatch.setattr(LeafSearch, "archive", property(lambda _: wrong))
    found = simpler(mdp, policy)
    assert found.reached
    assert found.value == pytest.approx(spotree.evaluate(mdp, policy))
