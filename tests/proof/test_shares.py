"""How search and proof share the time, as pure functions: no core, no clock."""

from dataclasses import replace

import pytest

from spotree.proof.time_sharing import Moment, due, free_seconds, gets_on, most_seconds

EARLY = Moment(seconds=1.0, time_limit=60.0, rounds=2, better_at=0.9)
LATER = Moment(seconds=20.0, time_limit=60.0, rounds=50, better_at=10.0, spent=2.4, last=2.4)


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [(1.0, 0.1), (5.0, 0.5), (10.0, 0.5), (60.0, 2.4), (600.0, 24.0), (float("inf"), 144.0)],  # 0.04 * 3600
)
def test_what_is_free_is_a_small_part_of_any_time_limit(limit, seconds):
    assert free_seconds(limit) == pytest.approx(seconds)


def test_the_first_attempt_comes_early_but_after_two_rounds():
    assert due(replace(EARLY, rounds=1)) is None
    assert due(EARLY) == pytest.approx(2.4)
    assert due(replace(EARLY, time_limit=600.0)) == pytest.approx(2.4)
    assert due(replace(EARLY, time_limit=1.2)) == pytest.approx(0.12)


def test_a_later_attempt_waits_for_a_search_that_has_stalled():
    promising = replace(LATER, got_on=True)
    assert due(promising) == pytest.approx(4.8)
    assert due(replace(promising, better_at=15.1)) is None


def test_an_attempt_that_got_nowhere_is_not_made_again_beyond_what_is_free():
    assert due(LATER) is None
    long = replace(LATER, time_limit=600.0)  # 24 s are free, 2.4 of them are gone
    assert due(long) == pytest.approx(4.8)
    assert due(replace(long, spent=16.8, last=9.6)) is None  # 19.2 more would be too much


def test_an_attempt_ends_at_half_of_the_time_left_even_if_it_gets_on():
    assert most_seconds(LATER, 4.8) == pytest.approx(20.0)
    assert due(replace(LATER, got_on=True, last=10.1)) is None


def test_a_proof_gets_on_while_what_is_open_shrinks():
    assert gets_on([(1.0, 0.33), (2.0, 0.47)])  # 0.53 <= 0.8 * 0.67
    assert not gets_on([(1.0, 0.125), (2.0, 0.164)])  # 0.836 > 0.8 * 0.875
    assert not gets_on([(1.0, 0.0), (2.0, 0.02)])
    assert gets_on([(0.01, 0.3)])
