"""spotree.improve: one door to all engines."""

import numpy as np
import pytest

import spotree
from spotree.errors import InvalidProblemError
from spotree.improvement.engines.registry import ENGINES
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, respects
from spotree.trees.tree import leaf, make_tree

FEATURES = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [2.0, 0.0], [3.0, 5.0]])
GAIN = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [2.0, 0.0], [4.0, 4.0]])


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_every_engine_finds_the_best_tree_and_its_value_on_the_original_gains(engine: str) -> None:
    step = spotree.improve(FEATURES, GAIN, depth=2, engine=engine, threads=1)
    assert step.value == pytest.approx(1 + 2 + 1 + 2 + 4)  # every row gets its best action
    assert step.value <= step.bound <= step.value + 1e-6
    assert step.engine == engine
    assert step.tree.actions(FEATURES)[:4].tolist() == [0, 1, 0, 0]


def test_an_unknown_engine_is_refused_with_the_choices() -> None:
    with pytest.raises(InvalidProblemError, match="choose one of exact, rsbb, milp, exhaustive"):
        spotree.improve(FEATURES, GAIN, engine="magic")


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        (make_tree([0, -1, -1], [1.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1]), "start has depth 1"),
        (leaf(7), "takes action 7"),
    ],
)
def test_a_start_outside_the_problem_is_refused(start: spotree.Tree, complaint: str) -> None:
    with pytest.raises(InvalidProblemError, match=complaint):
        spotree.improve(FEATURES, GAIN, depth=0, start=start)


def test_a_start_asking_for_a_missing_feature_is_refused() -> None:
    start = make_tree([5, -1, -1], [1.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])
    with pytest.raises(InvalidProblemError, match="asks for feature 5"):
        spotree.improve(FEATURES, GAIN, depth=1, start=start)


def test_respects_compares_a_tree_with_the_frozen_nodes() -> None:
    tree = make_tree([0, -1, -1], [1.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])

    def frozen(feature: int, threshold: float, left: int, right: int) -> Frozen:
        return Frozen(np.array([feature], np.int32), np.array([threshold]), np.array([left, right], np.int32))

    assert respects(frozen(0, 1.5, FREE, 1), tree)
    assert respects(frozen(FREE, 0.0, 0, 1), tree)
    assert not respects(frozen(0, 1.0, FREE, FREE), tree)
    assert not respects(frozen(0, 1.5, 1, FREE), tree)
    assert not respects(frozen(UNSPLIT, 0.0, FREE, FREE), tree)
    assert respects(frozen(UNSPLIT, 0.0, FREE, 1), leaf(1))


def test_a_preparation_may_be_handed_in() -> None:
    from spotree.improvement.engines.exact import Preparation

    prepared = Preparation(FEATURES)
    for _ in range(3):
        assert spotree.improve(FEATURES, GAIN, 2, preparation=prepared).value == pytest.approx(10.0)
