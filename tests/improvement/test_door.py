"""One door to the step: what is frozen and what is started from is checked before any engine sees it."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import spotree
from spotree.errors import InvalidProblemError
from spotree.improvement.engine import Engine, best_tree
from spotree.improvement.engines.registry import ENGINES, engine_named
from spotree.improvement.limits import Limits
from spotree.improvement.problem import FREE, UNSPLIT, Frozen, TreeProblem
from spotree.improvement.result import Status, StepResult
from spotree.trees.tree import Tree, leaf, make_tree

FEATURES = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [2.0, 0.0], [3.0, 5.0]])
GAIN = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [2.0, 0.0], [4.0, 4.0]])
STUMP = make_tree([0, -1, -1], [1.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])


def frozen(feature=(FREE,), threshold=(0.0,), action=(FREE, FREE)) -> Frozen:
    return Frozen(np.array(feature), np.array(threshold), np.array(action))


BAD_FROZEN = {
    "feature too large": (frozen(feature=[2]), r"frozen feature of node 0 is 2; features are 0 to 1"),
    "feature far too large": (frozen(feature=[500_000]), "frozen feature of node 0 is 500000"),
    "feature below FREE": (frozen(feature=[-3]), "frozen feature of node 0 is -3"),
    "feature not whole": (frozen(feature=[0.5]), "frozen feature is of type float64; it must hold whole numbers"),
    "feature nan": (frozen(feature=[np.nan]), "frozen feature is of type float64"),
    "threshold nan": (frozen(feature=[0], threshold=[np.nan]), "frozen threshold of node 0 is nan"),
    "threshold infinite": (frozen(feature=[0], threshold=[np.inf]), "frozen threshold of node 0 is inf"),
    "threshold no number": (frozen(feature=[0], threshold=["a"]), "frozen threshold is of type"),
    "action too large": (frozen(action=[FREE, 2]), "frozen action of leaf 1 is 2; actions are 0 to 1"),
    "action far too large": (frozen(action=[500_000, 0]), "frozen action of leaf 0 is 500000"),
    "action -1": (frozen(action=[-1, 0]), "frozen action of leaf 0 is -1"),
    "action not whole": (frozen(action=[0.0, 1.0]), "frozen action is of type float64"),
    "no nodes": (
        frozen([], [], [0]),
        "frozen describes 0 inner nodes, 0 thresholds and 1 leaves; a tree of depth 1",
    ),
    "too few thresholds": (frozen(threshold=[]), "frozen describes 1 inner nodes, 0 thresholds"),
    "too many leaves": (frozen(action=[0, 0, 0]), "and 3 leaves"),
    "two axes": (frozen(feature=[[0]]), "frozen describes"),
}


@pytest.mark.parametrize("engine", sorted(ENGINES))
@pytest.mark.parametrize("case", BAD_FROZEN)
def test_frozen_nodes_outside_the_problem_are_refused_before_any_engine(engine: str, case: str) -> None:
    given, words = BAD_FROZEN[case]
    with pytest.raises(InvalidProblemError, match=words):
        spotree.improve(FEATURES, GAIN, 1, engine=engine, threads=1, frozen=given)


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_frozen_nodes_of_any_whole_type_and_idle_thresholds_are_taken(engine: str) -> None:
    given = Frozen(np.array([UNSPLIT], np.int8), np.array([np.nan]), np.array([FREE, 1], np.int64))
    step = spotree.improve(FEATURES, GAIN, 1, engine=engine, threads=1, frozen=given)
    assert step.value == pytest.approx(6.0)
    assert step.optimal


def tree(feature: int, threshold: float, action: int) -> Tree:
    return make_tree([feature, -1, -1], [threshold, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, action])


BAD_START = {
    "too deep": (TreeProblem(FEATURES, GAIN, 0), STUMP, "start has depth 1; trees of depth 0"),
    "too many leaves": (TreeProblem(FEATURES, GAIN, 2, 1), STUMP, "start has 2 leaves; trees of at most 1"),
    "a feature too many": (TreeProblem(FEATURES, GAIN, 1), tree(2, 1.5, 1), "start asks for feature 2"),
    "an action too many": (TreeProblem(FEATURES, GAIN, 1), tree(0, 1.5, 2), "start takes action 2"),
    "an action far too many": (TreeProblem(FEATURES, GAIN, 1), leaf(500_000), "start takes action 500000"),
    "other than frozen": (
        TreeProblem(FEATURES, GAIN, 1, frozen=frozen(feature=[1], threshold=[0.5])),
        STUMP,
        "start differs from the frozen nodes",
    ),
}


@pytest.mark.parametrize("engine", sorted(ENGINES))
@pytest.mark.parametrize("case", BAD_START)
def test_every_engine_itself_refuses_a_start_that_is_no_tree_of_its_problem(engine: str, case: str) -> None:
    problem, start, words = BAD_START[case]
    with pytest.raises(InvalidProblemError, match=words):
        engine_named(engine).best_tree(problem, Limits(time=5, threads=1), start)


@pytest.mark.parametrize("engine", sorted(set(ENGINES) - {"exhaustive"}))
def test_without_time_the_answer_is_not_worse_than_a_start_laid_out_in_its_own_way(engine: str) -> None:
    rng = np.random.default_rng(0)
    features, gain = rng.random((40, 3)), rng.random((40, 3))
    start = tree(0, 0.5, 1)
    below = Frozen(np.array([FREE, 0, FREE]), np.array([0.0, 0.5, 0.0]), np.full(4, FREE))  # the split stands lower
    problem = TreeProblem(features, gain, 2, frozen=below)
    step = engine_named(engine).best_tree(problem, Limits(time=0, threads=1), start)
    assert step.value >= gain[np.arange(40), start.actions(features)].sum() - 1e-12


@pytest.mark.parametrize("engine", sorted(ENGINES))
@pytest.mark.parametrize("given", [{0: 1}, [0], 2, "x"])
def test_what_is_no_tree_and_no_frozen_nodes_is_refused_by_its_type(engine: str, given: object) -> None:
    name = type(given).__name__
    with pytest.raises(InvalidProblemError, match=f"start is of type {name}; give a Tree"):
        spotree.improve(FEATURES, GAIN, 1, engine=engine, start=given)
    with pytest.raises(InvalidProblemError, match=f"frozen is of type {name}; give a Frozen"):
        spotree.improve(FEATURES, GAIN, 1, engine=engine, frozen=given)


@dataclass(frozen=True, slots=True)
class Recorder(Engine):
    """Notes the size of what it is handed and answers by another engine."""

    rows: list[int] = field(default_factory=list)
    answers: str = "exact"

    @property
    def name(self) -> str:
        return "recorder"

    def search(self, problem: TreeProblem, limits: Limits, start: Tree | None) -> StepResult:
        self.rows.append(len(problem.gain))
        return engine_named(self.answers).search(problem, limits, start)


def test_an_engine_of_ones_own_is_handed_checked_starts_and_reduced_rows() -> None:
    engine = Recorder()
    step = best_tree(TreeProblem(FEATURES, GAIN, 1), engine, Limits(threads=1), STUMP)
    assert engine.rows == [3]  # rows 2 and 3 are alike, row 4 has no preference
    assert step.value == pytest.approx(9.0)  # all but the 1 of row 0
    for problem, start, words in BAD_START.values():
        with pytest.raises(InvalidProblemError, match=words):
            best_tree(problem, engine, Limits(), start)
        with pytest.raises(InvalidProblemError, match=words):
            engine.best_tree(problem, Limits(), start)
    assert engine.rows == [3]


def test_a_start_is_checked_once_on_every_way_to_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from spotree.improvement import engine as direct
    from spotree.improvement import engine as door
    from spotree.improvement.problem import check_start

    checked: list[Tree | None] = []

    def counted(problem: TreeProblem, start: Tree | None) -> None:
        checked.append(start)
        check_start(problem, start)

    for module in (door, direct):
        monkeypatch.setattr(module, "check_start", counted)
    problem = TreeProblem(FEATURES, GAIN, 1)
    for number, name in enumerate(ENGINES):
        best_tree(problem, engine_named(name), Limits(threads=1), STUMP)
        assert len(checked) == 2 * number + 1
        engine_named(name).best_tree(problem, Limits(threads=1), STUMP)
        assert len(checked) == 2 * number + 2


def test_a_thing_that_is_no_engine_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="engine is of type int; give one of exact, rsbb"):
        spotree.improve(FEATURES, GAIN, 1, engine=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "bound", "gap"), [(2.0, 4.0, 0.5), (-4.0, -2.0, 0.5), (0.0, 0.0, 0.0)])
def test_the_gap_of_a_step_is_relative_as_that_of_a_solution(value: float, bound: float, gap: float) -> None:
    step = StepResult(leaf(0), value, bound, Status.TIME_LIMIT, 0.0, "exact")
    assert step.gap == gap
    assert not step.optimal
    assert not step.proved_optimal
