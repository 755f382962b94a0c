"""The schedule of levels and of searches, as pure functions: no core, no clock."""

import math
from dataclasses import replace

import pytest

from spotree.proof.incumbent import search_due
from spotree.proof.schedule import Standing, Tried, Turn, first_turn, next_turn


def at(seconds, value=1.0, bound=9.0, margin=1e-3):
    """A run with 100 seconds in all."""
    return Standing(seconds, 100.0, value, bound, margin)


def test_the_incumbent_comes_first_for_most_of_the_time_and_is_doubtful_after_a_part_of_it():
    turn = first_turn(at(20.0), levels=True)
    assert (turn.level, turn.seconds) == (None, pytest.approx(56.0))  # 0.7 * 80
    assert turn.doubtful == pytest.approx(48.0)  # 20 + 0.35 * 80


def test_without_levels_the_incumbent_has_all_of_the_time_and_nothing_follows():
    turn = first_turn(at(20.0), levels=False)
    assert (turn.level, turn.seconds, turn.doubtful) == (None, 80.0, math.inf)
    assert next_turn(turn, at(90.0)) is None


def test_levels_that_take_no_time_go_down_in_growing_parts_and_bisect_after_a_failure():
    turn, seen = first_turn(at(0.0), levels=True), []
    for now in (
        at(40.0),  # 9 - (9 - 1) / 16
        at(40.5, bound=8.5),  # proved in half a second: 8.5 - (8.5 - 1) / 8
        at(41.5, bound=7.5625),  # proved in a second: 7.5625 - (7.5625 - 1) / 4
        at(50.5, bound=7.5625),  # failed in all of its time: half of the way to it at most
    ):
        turn = next_turn(turn, now)
        seen.append((turn.level, turn.seconds))
    # 0.15 of the 60 s left; then 3 * 3 times the least that counts, 1 s.
    assert seen[:3] == [(8.5, 9.0), (7.5625, 9.0), (5.921875, 9.0)]
    # Seconds grew by 9 or more on 1.640625, so by 1.75 times ln(9) / 1.640625: they treble within 0.468750.
    assert seen[3] == (pytest.approx(7.5625 - 1.640625 / 2 / 1.75), 9.0)


def test_the_next_level_is_to_take_three_times_as_long_as_the_last_one():
    last = Turn(40.0, 6.0, began=20.0, part=1 / 2, proved=(Tried(7.0, 2.0),))
    turn = next_turn(last, at(24.0, bound=6.0))  # 4 s after 2 s: seconds double on the way from 7 to 6
    assert turn.level == pytest.approx(6.0 - math.log(3) / (1.75 * math.log(2)))
    assert turn.seconds == pytest.approx(36.0)  # three times the 12 s that it is to take


def test_parts_grow_where_seconds_do_not_although_levels_take_time():
    turn = next_turn(Turn(9.0, 8.5, began=40.0, proved=(Tried(8.75, 5.0),)), at(45.0, bound=8.5))
    assert turn.level == 8.5 - 7.5 / 8  # 5 s after 5 s: no longer a sixteenth of the way
    turn = next_turn(Turn(9.0, 8.5, began=40.0), at(45.0, bound=8.5))
    assert turn.level == 8.5 - 7.5 / 16  # nothing to compare with


def test_a_level_that_took_long_is_followed_by_one_that_the_time_left_is_enough_for():
    last = Turn(40.0, 6.0, began=20.0, part=1 / 2, proved=(Tried(7.0, 20.0),))
    turn = next_turn(last, at(60.0, bound=6.0))  # 40 s after 20 s; half of 40 s is too short, nearly all of it too
    assert turn is None
    turn = next_turn(replace(last, began=30.0), at(60.0, bound=6.0))  # 30 s: 36 s are enough for a little
    assert turn.seconds == pytest.approx(36.0)
    assert turn.level == pytest.approx(6.0 - math.log(36 / 30) / (1.75 * math.log(30 / 20)))


def test_a_level_that_is_proved_up_to_the_margin_counts_as_proved():
    last = Turn(10.0, level=5.0, began=40.0, part=1 / 4)
    assert next_turn(last, at(50.0, bound=5.0 + 0.5e-3)).proved == (Tried(5.0, 10.0),)
    assert next_turn(last, at(50.0, bound=5.0 + 6e-3)).failed == (Tried(5.0, 10.0),)


def test_no_level_lies_below_the_best_tree_or_one_that_failed():
    last = Turn(10.0, level=5.0, began=40.0, failed=(Tried(4.0, 10.0),))
    assert 5.0 < next_turn(last, at(50.0, bound=6.0)).level < 6.0
    assert 5.5 < next_turn(last, at(50.0, value=5.5, bound=6.0)).level < 6.0


@pytest.mark.parametrize(
    ("why", "now"),
    [
        ("it ended long before it was doubtful", at(31.0)),  # 0.9 * 35 = 31.5
        ("the time is up", at(97.0)),  # less than 4 of 100 seconds are left
        ("no tree is known", at(40.0, value=-math.inf)),
        ("no bound is known", at(40.0, bound=math.inf)),
        ("the bound is within four margins", at(40.0, bound=1.0 + 3.9e-3)),
    ],
)
def test_no_level_follows_where(why, now):
    assert next_turn(first_turn(at(0.0), levels=True), now) is None, why


def test_each_search_is_twice_as_long_comes_after_twice_its_length_and_fits_into_the_budget():
    assert [search_due(0, seconds, budget=60.0) for seconds in (1.0, 2.0, 2.1)] == [None, None, 1.0]
    assert [search_due(made, 1e9, budget=60.0) for made in range(7)] == [1.0, 2.0, 4.0, 8.0, 16.0, None, None]
    assert search_due(0, 1e9, budget=1.9) is None
