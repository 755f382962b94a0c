"""Row sums as real numbers: what is above 1 by more than rounding is taken away, all else stays bit for bit."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spotree.evaluation import expected_return
from spotree.mdp import MDP, build_mdp
from spotree.mdp.choices import ROUNDING, above_one, at_most_one
from spotree.models import load
from spotree.readers.npz import write_npz
from spotree.readers.read import read


def exact(row: np.ndarray) -> Fraction:
    return sum(map(Fraction, row.tolist()), Fraction(0))


def largest_sum(mdp: MDP) -> Fraction:
    return max(exact(mdp.probability[a:b]) for a, b in zip(mdp.row_start, mdp.row_start[1:], strict=False))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.floats(0, 1), min_size=0, max_size=12), min_size=1, max_size=4))
def test_a_sum_is_found_above_one_where_the_fractions_are(rows: list[list[float]]) -> None:
    parts = [np.array(row) / max(float(np.sum(row)), 1e-300) if row else np.zeros(0) for row in rows]
    start = np.concatenate(([0], np.cumsum([len(part) for part in parts])))
    above = above_one(start, np.concatenate(parts))
    for part, claimed in zip(parts, above, strict=True):
        true = exact(part) - 1
        assert (claimed > 0) == (true > 0) or 0 >= true > -Fraction(1, 2**100)
        assert claimed == pytest.approx(float(true), rel=1e-12, abs=1e-27)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.floats(0, 1e-13))
def test_lowered_sums_are_at_most_one_and_lowering_twice_changes_nothing(seed: int, size: int, more: float) -> None:
    row = np.random.default_rng(seed).dirichlet(np.full(size, 0.5)) * (1 + more)
    start = np.array([0, size])
    once = at_most_one(start, row, slack=0.0)
    assert exact(once) <= 1
    assert (once >= 0).all()
    assert np.abs(once - row).max() < 2e-13
    assert at_most_one(start, once, slack=0.0) is once
    if exact(row) <= 1:
        assert once is row


def test_a_row_that_is_above_one_by_a_billionth_is_scaled_down() -> None:
    given = np.array([[[0.25 + 5e-10, 0.75], [0.5, 0.5]]])
    mdp = build_mdp(given, 0.0, 0.9)
    assert largest_sum(mdp) <= 1
    assert mdp.probability[:2] == pytest.approx(given[0, 0], rel=1e-9)
    assert mdp.probability[2:].tolist() == [0.5, 0.5]


def test_an_initial_distribution_above_one_is_scaled_down() -> None:
    mdp = build_mdp([np.eye(2)], 0.0, 0.9, initial=[0.5 + 9e-10, 0.5])
    assert exact(mdp.initial) <= 1


def test_what_rounding_adds_stays_and_is_known_exactly() -> None:
    mdp = build_mdp([[[0.1, 0.9], [0.5, 0.5]]], 0.0, 0.9)
    assert mdp.probability.tolist() == [0.1, 0.9, 0.5, 0.5]
    assert Fraction(mdp.excess) == Fraction(0.1) + Fraction(0.9) - 1
    assert build_mdp([np.eye(2)], 0.0, 0.9).excess == 0


@pytest.mark.parametrize("discount", [0.9, 1 - 1e-12, 1 - 2.0**-53])
def test_discount_times_row_sum_is_below_one(discount: float) -> None:
    rows = np.random.default_rng(1).dirichlet(np.ones(7), (3, 7)) * (1 + np.linspace(0, 9e-10, 7)[:, None])
    available = np.ones((7, 3), dtype=bool)
    available[::2, 1] = False
    mdp = build_mdp(rows, 0.0, discount, available=available)
    assert Fraction(discount) * largest_sum(mdp) < 1
    assert Fraction(discount) * (1 + Fraction(mdp.excess)) < 1
    assert mdp.excess <= ROUNDING


def test_scaled_rows_come_back_from_a_file_bit_for_bit(tmp_path: Path) -> None:
    rows = np.random.default_rng(2).dirichlet(np.ones(9), (2, 9)) * (1 + 5e-10)
    available = np.arange(18).reshape(9, 2) % 5 > 0
    mdp = build_mdp(rows, 0.0, 1 - 2.0**-50, available=available)
    write_npz(mdp, tmp_path / "model.npz")
    assert read(tmp_path / "model.npz").probability.tobytes() == mdp.probability.tobytes()


def test_undiscounted_rows_are_not_rescaled_further_than_the_tolerance() -> None:
    with pytest.raises(ValueError, match=r"sum to 0\.9999999, not 1"):
        build_mdp([[[0.9999999]]], 0.0, 1.0, undiscounted=True)


def test_shipped_rows_are_above_one_by_rounding_only() -> None:
    assert load("xor").excess == pytest.approx(2e-17, rel=0.1)
    assert load("frozenlake_4x4").excess == 0


@pytest.mark.parametrize("off", [-0.99e-9, 0.99e-9])
@pytest.mark.parametrize("discount", [0.0, 0.9, 0.99, 0.9999, 0.9999999])
def test_rows_that_are_slightly_off_move_no_return_by_more_than_a_millionth(off: float, discount: float) -> None:
    rows = np.array([[[0.5, 0.5 + off], [0.5, 0.5]]])
    mdp = build_mdp(rows, np.ones((2, 1)), discount, initial=0, features=np.array([[0.0], [1.0]]))
    value = expected_return(mdp, np.zeros(2, np.int32))
    assert value * (1 - discount) == pytest.approx(1.0, rel=1.01e-6)  # 1 + discount + discount**2 + ...
    effect = discount / (1 - discount) * abs(off)
    assert ("row sums" in mdp.notes) == (effect > 1e-6)


def test_what_is_said_to_end_the_episode_is_not_scaled_away() -> None:
    rows = np.array([[[0.5, 0.5 - 0.99e-9], [0.5, 0.5]]])
    ends = np.array([[0.99e-9], [0.0]])
    mdp = build_mdp(rows, np.ones((2, 1)), 0.9999999, initial=0, features=np.array([[0.0], [1.0]]), ends=ends)
    assert not mdp.notes
    assert mdp.probability.sum() == pytest.approx(2 - 0.99e-9, abs=1e-15)
