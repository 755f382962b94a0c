"""The schedule of levels and of searches, as pure functions: no core, no clock."""

import math

import pytest

from spotree.proof.incumbent import search_due
from spotree.proof.schedule import Standing, Turn, first_turn, next_turn


def at(seconds, value=1.0, bound=9.0, margin=1e-3):
    """A run with 100 seconds in all."""
    return Standing(seconds, 100.0, value, bound, margin)


def test_the_incumbent_comes_first_for_most_of_the_time_and_is_doubtful_after_a_quarter_of_it():
    turn = first_turn(at(20.0), levels=True)
    assert (turn.level, turn.seconds) == (None, pytest.approx(56.0))  # 0.7 * 80
    assert turn.doubtful == pytest.approx(40.0)  # 20 + 0.25 * 80


def test_without_levels_the_incumbent_has_all_of_the_time_and_nothing_follows():
    turn = first_turn(at(20.0), levels=False)
    assert (turn.level, turn.seconds, turn.doubtful) == (None, 80.0, math.inf)
    assert next_turn(turn, at(90.0)) is None


def test_levels_go_down_in_growing_parts_and_bisect_after_a_failure():
    turn, seen = first_turn(at(0.0), levels=True), []
    for now in (
        at(30.0),  # 9 - (9 - 1) / 8
        at(40.0, bound=8.0),  # proved: 8 - (8 - 1) / 4
        at(50.0, bound=6.25),  # proved: 6.25 - (6.25 - 1) / 2
        at(74.0, bound=6.25),  # failed: 6.25 - (6.25 - 3.625) / 2
        at(80.0, bound=4.9375),  # proved, and still nothing up to 3.625: 4.9375 - (4.9375 - 3.625) / 2
        at(90.0, value=4.5, bound=4.9375),  # failed, and a better tree than that level: 4.9375 - 0.4375 / 2
    ):
        turn = next_turn(turn, now)
        seen.append((turn.level, turn.seconds))
    assert seen == [(8.0, 35.0), (6.25, 30.0), (3.625, 25.0), (4.9375, 13.0), (4.28125, 10.0), (4.71875, 5.0)]


def test_a_level_that_is_proved_up_to_the_margin_counts_as_proved():
    last = Turn(10.0, level=5.0, low=1.0, part=1 / 4)
    assert next_turn(last, at(50.0, bound=5.0 + 0.5e-3)).low == 1.0
    assert next_turn(last, at(50.0, bound=5.0 + 6e-3)).low == 5.0


@pytest.mark.parametrize(
    ("why", "now"),
    [
        ("it ended long before it was doubtful", at(22.0)),  # 0.9 * 25 = 22.5
        ("the time is up", at(97.0)),  # less than 4 of 100 seconds are left
        ("no tree is known", at(30.0, value=-math.inf)),
        ("no bound is known", at(30.0, bound=math.inf)),
        ("the bound is within four margins", at(30.0, bound=1.0 + 3.9e-3)),
    ],
)
def test_no_level_follows_where(why, now):
    assert next_turn(first_turn(at(0.0), levels=True), now) is None, why


def test_each_search_is_twice_as_long_comes_after_twice_its_length_and_fits_into_the_budget():
    assert [search_due(0, seconds, budget=60.0) for seconds in (1.0, 2.0, 2.1)] == [None, None, 1.0]
    assert [search_due(made, 1e9, budget=60.0) for made in range(7)] == [1.0, 2.0, 4.0, 8.0, 16.0, None, None]
    assert search_due(0, 1e9, budget=1.9) is None
