"""The parts of a run on their own: what the recorder remembers and what the incumbent takes."""

import math
from types import SimpleNamespace

import pytest

from spotree.models import load
from spotree.proof.incumbent import Incumbent
from spotree.proof.problem import make_problem
from spotree.proof.recorder import Recorder
from spotree.trees.tree import leaf


@pytest.fixture(scope="module")
def problem():
    return make_problem(load("frozenlake_4x4"), 2, None, 60.0)


def attempt(regions, bound):
    """What a recorder asks of an attempt."""
    proof = SimpleNamespace(regions=lambda: regions, bound=lambda: bound)
    return SimpleNamespace(proof=proof, bound=bound, close=lambda: None, source=None)


def test_history_has_a_line_for_each_change_while_progress_sees_all(problem):
    shown = []
    recorder = Recorder(problem, progress=shown.append)
    for regions, bound in ((1, 0.5), (2, 0.5), (3, 0.4)):
        recorder.note(attempt(regions, bound), 0.1)
    assert [line.round for line in recorder.history] == [1, 3]
    assert [line.round for line in shown] == [1, 2, 3]


def test_regions_add_up_over_attempts_and_the_bound_only_falls(problem):
    recorder = Recorder(problem)
    for bound in (0.4, 0.5):
        recorder.end(attempt(10, bound))
    recorder.note(attempt(1, 0.6), 0.1)
    assert (recorder.regions, recorder.bound) == (20, 0.4)
    assert (recorder.history[-1].round, recorder.history[-1].bound) == (21, 0.4)


def test_the_incumbent_is_the_best_of_what_was_offered_in_any_order(problem):
    values = [problem.frame.return_of(leaf(action)) for action in range(4)]
    for order in ((0, 1, 2, 3), (3, 2, 1, 0)):
        incumbent = Incumbent(problem, threads=1)
        assert incumbent.value == -math.inf
        for action in order:
            incumbent.offer(leaf(action))
        assert incumbent.value == max(values) == problem.frame.return_of(incumbent.tree)
