"""The time limit and Ctrl-C reach everything that comes before the search."""

import signal
import threading
import time

import numpy as np
import pytest

import spotree
from spotree import _core
from spotree.evaluation import certified_return, optimum, uniform
from spotree.mdp import ChoiceRows, build_mdp
from spotree.results.solution import SolveStatus

SIZE = 150_000


@pytest.fixture(scope="module")
def large() -> spotree.MDP:
    """A random strongly connected graph: one component, too large to factor."""
    rng = np.random.default_rng(0)
    actions, width = 4, 4
    state = np.repeat(np.arange(SIZE), actions)
    target = rng.integers(0, SIZE, size=(len(state), width))
    target[:, 0] = (state + 1) % SIZE
    target.sort(axis=1)
    chance = rng.random(target.shape)
    chance /= chance.sum(axis=1, keepdims=True)
    start = np.arange(len(state) + 1) * width
    rows = ChoiceRows(state, np.tile(np.arange(actions), SIZE), start, target.ravel(), chance.ravel())
    features = rng.integers(0, 50, size=(SIZE, 3)).astype(float)
    return build_mdp(rows, rng.random(len(state)), 0.999, features=features, initial=0)


@pytest.mark.parametrize("method", ["neighbourhood", "viper"])
def test_a_large_model_keeps_the_limit_and_is_honest(large: spotree.MDP, method: str) -> None:
    started = time.perf_counter()
    solution = spotree.solve(large, 2, time_limit=1.0, method=method, threads=1)
    assert time.perf_counter() - started < 5.0  # about 2, and room for a busy machine; it was above 20
    assert not solution.proved_optimal
    assert solution.bound <= large.reward_of_choice.max() / (1 - large.discount) * (1 + 1e-6)
    known = certified_return(large, solution.policy)
    assert abs(known.value - solution.value) <= solution.error + known.error
    assert known.value - known.error <= solution.bound


def test_what_is_broken_off_knows_its_error(large: spotree.MDP) -> None:
    truth = certified_return(large, uniform(large))
    assert truth.error < 1e-6
    for seconds in (0.0, 0.3, 0.8):
        rough = certified_return(large, uniform(large), stop=_core.Stop(seconds))
        assert abs(rough.value - truth.value) <= rough.error + truth.error
        best = optimum(large, stop=_core.Stop(seconds))
        assert best.value + best.error >= truth.value - truth.error


def test_ctrl_c_is_heard_while_the_optimum_is_computed(large: spotree.MDP) -> None:
    alarm = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    alarm.start()
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        optimum(large)
    assert time.perf_counter() - started < 2.0
    alarm.join()


@pytest.mark.parametrize("method", ["neighbourhood", "spot", "viper"])
def test_ctrl_c_before_the_search_returns_a_tree_with_a_bound(large: spotree.MDP, method: str) -> None:
    alarm = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    alarm.start()
    started = time.perf_counter()
    solution = spotree.solve(large, 2, time_limit=60.0, method=method, threads=1)
    assert time.perf_counter() - started < 10.0  # about 2, and room for a busy machine
    assert solution.status is SolveStatus.INTERRUPTED
    assert solution.value <= solution.bound <= large.reward_of_choice.max() / (1 - large.discount) * (1 + 1e-6)
    alarm.join()
