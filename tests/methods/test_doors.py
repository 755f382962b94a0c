"""Every public call checks what it is given, before any work: a grid of calls and of values that make no sense."""

import inspect
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spotree
from oracles.neighbourhood import random_mdp
from spotree import _core
from spotree.certificates.verify import check
from spotree.errors import InvalidProblemError
from spotree.improvement.limits import MOST_PER_CORE, Limits, started_threads
from spotree.proof.problem import useful_size
from spotree.trees.ranks import useful_depth
from spotree.trees.tree import leaf

MDP = random_mdp(np.random.default_rng(0))
GAIN = np.zeros((MDP.num_states, MDP.num_actions))


def verified(**asked: Any) -> object:
    return check(MDP, spotree.Certificate({}, np.zeros(0, np.int32), np.zeros(0)), **asked)


DOORS: dict[str, tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]] = {
    "solve": (spotree.solve, (MDP,), {"depth": 1}),
    "certify": (spotree.certify, (MDP,), {"depth": 1}),
    "smallest": (spotree.smallest, (MDP,), {}),
    "frontier": (spotree.frontier, (MDP,), {}),
    "simplify": (spotree.simplify, (MDP, leaf(0)), {}),
    "improve": (spotree.improve, (MDP.features, GAIN), {}),
    "simulate": (spotree.simulate, (MDP, leaf(0)), {}),
    "sweep": (spotree.sweep, ([MDP],), {"depths": [1]}),
    "Limits": (Limits, (), {}),
    "Request": (spotree.Request, (1,), {}),
    "check": (verified, (), {}),
}
NO_COUNT = (-1, 1.5, math.nan, math.inf, "2", True, [1], 10**400)
BAD: dict[str, tuple[Any, ...]] = {
    "depth": NO_COUNT,
    "max_leaves": (0, *NO_COUNT),
    "threads": (0, 2**31, *NO_COUNT),
    "memory_limit": (0, 2**63, *NO_COUNT),
    "memory": (0, 2**63, *NO_COUNT),
    "seed": (None, 2**63, *NO_COUNT),
    "time_limit": (-1, -1e-300, math.nan, -math.inf, "1", True, [1], 10**400, 1j),
    "time": (-1, math.nan, -math.inf, "1", True, 10**400),
    "search": (-1, math.nan, "1", True, 10**400),
    "tolerance": (-1, math.nan, math.inf, "1", True, 10**400, None),
    "gap_tolerance": (-1, math.nan, math.inf, "1", True, 10**400, None),
    "max_rounds": (-1, math.nan, "1", True, 10**400),
    "episodes": (0, None, 10**12, *NO_COUNT),
    "horizon": (0, *NO_COUNT),
    "confidence": (0, 1, -0.5, math.nan, "1", None, [0.5]),
}


def parameters(door: str) -> set[str]:
    if door == "check":
        return {"threads"}
    return set(inspect.signature(DOORS[door][0]).parameters)


GRID = [(door, name, value) for door in DOORS for name in BAD if name in parameters(door) for value in BAD[name]]
GRID = [
    each for each in GRID if each[:2] not in {("Request", "depth"), ("Request", "max_leaves")}
]  # with the model


@pytest.mark.parametrize(("door", "name", "value"), GRID, ids=lambda each: f"{each!s:.20}")
def test_a_value_that_makes_no_sense_is_refused_by_name_in_one_line(door: str, name: str, value: Any) -> None:
    call, args, usual = DOORS[door]
    with pytest.raises(InvalidProblemError, match=name.replace("_", "[ _]")) as told:
        call(*args, **usual | {name: value})
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 300


def test_the_grid_has_every_public_call_that_takes_threads_a_seed_or_a_limit() -> None:
    public = {name: getattr(spotree, name) for name in spotree.__all__}
    taking = {
        name
        for name, call in public.items()
        if inspect.isfunction(call) and set(inspect.signature(call).parameters) & {"threads", "seed", "time_limit"}
    }
    assert taking <= set(DOORS)


def test_a_proof_without_a_time_limit_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="time_limit is None"):
        spotree.certify(MDP, 1, time_limit=None)  # type: ignore[arg-type]


def test_more_threads_than_the_machine_can_use_are_not_started() -> None:
    cores = os.cpu_count() or 1
    assert started_threads(None) == cores
    assert started_threads(1) == 1
    assert started_threads(10**6) == MOST_PER_CORE * cores


HUGE = {
    "solve": lambda: spotree.solve(MDP, 10**9, time_limit=1),
    "solve by leaves": lambda: spotree.solve(MDP, max_leaves=10**9, time_limit=1),
    "viper": lambda: spotree.solve(MDP, 10**9, method="viper", time_limit=1),
    "spot": lambda: spotree.solve(MDP, 10**9, method="spot", time_limit=1, rounds=2),
    "omdt": lambda: spotree.solve(MDP, 10**9, method="omdt", time_limit=1),
    "certify": lambda: spotree.certify(MDP, 10**9, time_limit=1),
    "certify with leaves": lambda: spotree.certify(MDP, 10**9, max_leaves=10**9, time_limit=1),
    "smallest": lambda: spotree.smallest(MDP, depth=10**9, time_limit=1),
    "frontier": lambda: spotree.frontier(MDP, 10**9, depth=10**9, time_limit=1),
    "exact": lambda: spotree.improve(MDP.features, GAIN, 2**53, max_leaves=2**53),
    "rsbb": lambda: spotree.improve(MDP.features, GAIN, 10**9, "rsbb"),
    "milp": lambda: spotree.improve(MDP.features, GAIN, 10**9, "milp"),
    "exhaustive": lambda: spotree.improve(MDP.features, GAIN, 10**9, "exhaustive"),
}


@pytest.mark.parametrize("run", HUGE.values(), ids=HUGE)
def test_a_size_of_a_thousand_million_is_what_the_states_can_use(run: Callable[[], Any]) -> None:
    """They are few here, so each gives an answer: a complete tree or a list of levels of that size would not fit."""
    assert run() is not None


def test_the_certificate_of_a_huge_size_is_about_what_the_states_can_use(tmp_path: Path) -> None:
    proved = spotree.certify(MDP, 10**9, time_limit=5, certificate=tmp_path / "run.cert")
    assert proved.proved_optimal
    assert proved.depth == 10**9
    verdict = spotree.check(tmp_path / "run.cert", MDP)
    assert verdict.accepted, verdict.reason


def test_a_certificate_that_no_checker_would_read_is_not_begun(tmp_path: Path) -> None:
    mdp = spotree.load("tiger_vs_antelope")
    with pytest.raises(InvalidProblemError, match="depth is 599; a certificate is about depth 64 at most"):
        spotree.certify(mdp, 10**9, time_limit=5, certificate=tmp_path / "run.cert")
    assert list(tmp_path.iterdir()) == []


def test_a_size_that_is_not_huge_is_taken_as_it_is() -> None:
    assert useful_size(20, None, 3) == (20, None)
    assert useful_size(20, 1000, 3) == (20, 1000)
    assert useful_size(40, None, 3) == (2, None)
    assert useful_size(10**9, 10**9, 3) == (2, None)
    assert useful_size(10**9, 5, 100) == (4, 5)
    assert useful_size(10**9, None, 0) == (0, None)


def test_a_depth_is_capped_at_the_number_of_distinct_rows_less_one() -> None:
    assert useful_depth(9, np.repeat(np.arange(5.0), 3)[:, None]) == 4
    assert useful_depth(9, np.arange(50.0)[:, None]) == 9
    assert useful_depth(10**9, np.zeros((3, 0))) == 0


@pytest.mark.parametrize("threads", [-1, 0, 2**16 + 1, 2**31 - 1])
def test_the_core_refuses_a_number_of_threads_that_it_cannot_have(threads: int) -> None:
    with pytest.raises(ValueError, match=f"threads is {threads}"):
        _core.ExactSettings(
            depth=1,
            max_leaves=0,
            threads=threads,
            seconds=1.0,
            memory=1,
            gap_tolerance=0.0,
            cache=True,
            interval_bound=True,
            share_small=False,
            kernel=0,
        )


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"threads": -1}, "threads is -1"),
        ({"memory_limit": -1}, "memory_limit is -1"),
        ({"memory_limit": 0}, "memory_limit is 0"),
        ({"listed": -1}, "listed is -1"),
    ],
)
def test_a_proof_of_the_core_refuses_what_it_cannot_count_with(bad: dict[str, int], words: str) -> None:
    from spotree.proof.problem import make_problem

    usual = {"seconds": 1.0, "threads": 1, "state_rule": True, "tree_rule": True, "regret": True, "floors": True}
    usual |= {"filter": True, "solo": True, "journal": False, "keep_left": False, "before_floors": 0.4}
    proof = make_problem(MDP, 1, None, 10.0).attempt().proof
    with pytest.raises(ValueError, match=words):
        proof.start(**usual | {"memory_limit": 1000, "listed": 0} | bad)
