"""No status and no bound claims more than the error bounds behind it."""

from dataclasses import replace

import numpy as np
import pytest

import spotree
from spotree.errors import InvalidProblemError
from spotree.evaluation import certified_return, optimum
from spotree.results.solution import Solution, SolveStatus
from spotree.search.run_context import RunContext
from spotree.trees.tree import leaf

SO_CLOSE = 1 - 1e-13  # returns of about 1e13 whose error is above 1e9


@pytest.fixture(scope="module")
def patient() -> spotree.MDP:
    return replace(spotree.load("xor"), discount=SO_CLOSE)


@pytest.mark.parametrize("method", ["neighbourhood", "spot", "omdt", "viper"])
def test_nothing_is_proved_where_rounding_is_more_than_the_tolerance(patient: spotree.MDP, method: str) -> None:
    best = optimum(patient)
    assert best.error > 1e-6 * abs(best.value)
    solution = spotree.solve(patient, 2, method=method, time_limit=1.0, threads=1)
    assert not solution.proved_optimal
    assert solution.error >= best.error
    assert solution.bound >= best.value + best.error > solution.value


def test_a_proof_below_rounding_is_refused(patient: spotree.MDP) -> None:
    with pytest.raises(InvalidProblemError, match=r"rounding may move a return by .* lower discount"):
        spotree.certify(patient, 2, time_limit=1.0, threads=1)


@pytest.mark.parametrize("discount", [0.9, 0.99, 0.9999])
def test_proofs_stand_where_rounding_is_small(discount: float) -> None:
    mdp = replace(spotree.load("xor"), discount=discount)
    solution = spotree.solve(mdp, 2, time_limit=10.0, threads=1)
    assert solution.proved_optimal
    assert 0.0 < solution.error < 1e-9 * solution.optimum
    assert abs(solution.value - certified_return(mdp, solution.policy).value) <= solution.error


def test_a_bound_of_omdt_leaves_room_for_the_tolerance_of_its_solver() -> None:
    mdp = spotree.load("frozenlake_4x4")
    solution = spotree.solve(mdp, 1, method="omdt", time_limit=20.0, threads=1)
    assert solution.proved_optimal
    assert 1e-9 <= solution.bound - solution.value <= 1e-6 * solution.optimum


def test_a_file_without_an_error_still_loads(tmp_path) -> None:
    solution = spotree.solve(spotree.load("xor"), 1, time_limit=1.0, max_rounds=1, threads=1)
    solution.save(tmp_path / "new.json")
    text = (tmp_path / "new.json").read_text()
    assert Solution.load(tmp_path / "new.json").error == solution.error
    (tmp_path / "old.json").write_text("\n".join(line for line in text.split("\n") if '"error"' not in line))
    assert Solution.load(tmp_path / "old.json").error == 0.0


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_a_large_reward_that_nobody_comes_to_hides_no_gap(discount: float) -> None:
    over = np.tile([0.0, 0.0, 1.0], (3, 1))  # state 2 is the end of every episode
    reward = np.array([[0.0, 1e-6], [1e9, 1e9], [0.0, 0.0]])  # [state, action]; state 1 is never come to
    mdp = spotree.build_mdp(
        [over, over], reward, discount=discount, initial=[1.0, 0.0, 0.0], undiscounted=discount == 1
    )
    frame = RunContext(mdp, 0, None, "claims")
    assert not frame.closes(0.0, 1e-6)
    assert not frame.solution(leaf(0), SolveStatus.FINISHED).proved_optimal  # the other leaf returns 1e-6
