"""What is asked of a search is checked before any work: one sentence that names the offender and the way out."""

import numpy as np
import pytest

import spotree
from oracles.neighbourhood import random_mdp
from spotree.api.solve import solve
from spotree.errors import InvalidProblemError
from spotree.improvement.engine import Engine
from spotree.improvement.result import Status, StepResult
from spotree.methods.registry import METHODS
from spotree.methods.spot.algorithm import Spot
from spotree.results.solution import SolveStatus
from spotree.trees.tree import leaf

MDP = random_mdp(np.random.default_rng(0))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"depth": 1.5}, "depth is 1.5"),
        ({"depth": -1}, "depth is -1"),
        ({"max_leaves": 0}, "max_leaves is 0"),
        ({"max_leaves": 2.0}, "max_leaves is 2.0"),
        ({"time_limit": float("nan")}, "time_limit is nan"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"time_limit": "long"}, "time_limit is 'long'"),
        ({"seed": -1}, "seed is -1"),
        ({"threads": 0}, "threads is 0"),
        ({"start": "run.json"}, "Solution.load"),
        ({"mdp": "abc"}, "expected an MDP, got str 'abc'"),
    ],
)
def test_a_bad_request_is_refused_by_every_method(method, asked, words):
    with pytest.raises(InvalidProblemError, match=words.replace("(", r"\(")):
        solve(**({"mdp": MDP, "depth": 1, "method": method} | asked))


def test_an_unknown_setting_is_named_with_those_there_are():
    with pytest.raises(InvalidProblemError, match="'viper' has no setting 'weight'; it has rounds, samples"):
        solve(MDP, 1, method="viper", weight=1)


def test_a_text_is_no_model_and_no_matrix():
    with pytest.raises(InvalidProblemError, match="load"):
        spotree.certify("abc", 3)
    with pytest.raises(InvalidProblemError, match=r"features is of type str; .*\[row, feature\]"):
        spotree.improve("abc", np.zeros((2, 2)))


def test_a_step_whose_value_meets_its_bound_is_optimal_even_without_time():
    step = spotree.improve(np.zeros((3, 1)), np.array([[1.0, 0.0]] * 3), 2, time_limit=0)
    assert step.value == step.bound == 3.0
    assert step.optimal


def test_models_and_results_are_shown_in_one_line():
    solution = solve(MDP, 0, time_limit=1, threads=1)
    step = spotree.improve(MDP.features, np.eye(2)[[0, 1, 0, 1, 0, 1]], 1)
    for shown in (repr(MDP), repr(solution), repr(step)):
        assert "\n" not in shown
        assert len(shown) < 200
    assert "6 states, 2 actions, 2 features" in repr(MDP)
    assert "depth 0, 1 leaf," in repr(solution)


def test_an_interrupted_step_ends_policy_iteration_and_its_tree_counts():
    class Interrupted(Engine):
        name = "interrupted"

        def search(self, problem, limits, start=None):
            return StepResult(leaf(1), 0.0, 1.0, Status.INTERRUPTED, 0.0, self.name)

    found = solve(MDP, 1, method=Spot(engine=Interrupted(), patience=200), time_limit=None)
    assert found.status is SolveStatus.INTERRUPTED
    assert found.policy.tree.action.tolist() == [1]
    assert len(found.history) == 1
