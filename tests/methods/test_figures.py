"""What a person reads: costs are positive, nothing beats the best, a ratio without meaning is not shown."""

import math
from dataclasses import replace

import pytest

from spotree.mdp.model import Sense
from spotree.results.metrics import Figures, aim_text, gap_share, number_text, percent_text
from spotree.results.solution import Solution, SolveStatus
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import make_tree

COSTS = Figures(optimum=-100.0, random=-250.0, value=-103.2, bound=-101.0, sense="min")
RETURNS = Figures(optimum=4.0, random=1.0, value=3.0, bound=3.5)


def test_costs_are_shown_as_positive_costs_and_the_bound_from_below() -> None:
    assert dict(COSTS.marks) == {"best policy": 100.0, "bound": 101.0, "this tree": 103.2, "random": 250.0}
    assert COSTS.word == "cost"
    assert COSTS.beside_best == "3.2 % more than the best policy"
    assert COSTS.bound_words == "no tree of the size costs less; gap 2.18 %"
    assert COSTS.verdict == (
        "An expected cost of 103.200000, 3.2 % more than the best policy; "
        "no tree of this size costs less than 101.000000 (gap 2.18 %)."
    )


def test_returns_are_a_share_of_the_best() -> None:
    assert RETURNS.of_optimum == 0.75
    assert RETURNS.over_random == pytest.approx(2 / 3)
    assert RETURNS.beside_best == "75.00 % of the best policy's"
    assert "no tree of this size returns more than 3.500000" in RETURNS.verdict
    assert "proved: no tree of this size is better" in replace(RETURNS, bound=3.0, proved=True).verdict


@pytest.mark.parametrize("sense", ["max", "min"])
@pytest.mark.parametrize(
    ("optimum", "value"), [(-5.0, -7.0), (-5.0, -5.0 + 1e-13), (5.0, -7.0), (5.0, 4.0), (5.0, 5.0 + 1e-13)]
)
def test_no_figure_reads_as_better_than_the_best(sense, optimum: float, value: float) -> None:
    seen = Figures(optimum=optimum, random=optimum - 9.0, value=value, bound=optimum, sense=sense)
    assert seen.loss is not None
    assert seen.loss >= 0
    assert seen.of_optimum is None or seen.of_optimum <= 1
    assert seen.over_random is not None
    assert seen.over_random <= 1
    assert seen.above_best is None or seen.above_best >= 0


@pytest.mark.parametrize(
    ("value", "words"), [(4.0, "100 %"), (3.9999992, "99.99998 %"), (1.16, "29.00 %"), (0.0, "0.00 %")]
)
def test_only_the_whole_is_a_hundred_per_cent(value: float, words: str) -> None:
    assert replace(RETURNS, value=value).beside_best == f"{words} of the best policy's"


def test_a_small_gap_is_not_shown_as_none() -> None:
    assert replace(RETURNS, value=4 - 1.8e-4, bound=4.0).gap_text == "gap 0.0045 %"
    assert replace(RETURNS, value=4.0, bound=4.0).gap_text == "gap 0 %"


def test_a_negative_return_is_less_than_the_best_one_and_no_share_above_1() -> None:
    seen = Figures(optimum=-120.0, random=-300.0, value=-138.0, bound=-120.0)
    assert seen.of_optimum is None
    assert seen.beside_best == "15 % less than the best policy"


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"optimum": 0.0, "value": -1.0}, "is 0 up to the error"),
        ({"optimum": 1e-3, "value": 5e-4, "error": 1e-4}, "is 0 up to the error"),
        ({"optimum": 1.0, "value": -1.0}, "different signs"),
        ({"optimum": 0.1, "value": 0.05, "random": -50.0}, "near 0 beside"),
        ({"optimum": -0.01, "value": -5.0, "random": -6.0}, "near 0 beside"),
    ],
)
def test_a_ratio_that_means_nothing_is_not_shown_and_a_word_says_why(changed: dict, word: str) -> None:
    seen = replace(RETURNS, **changed)
    assert seen.of_optimum is seen.above_best is seen.beside_best is None
    assert word in seen.as_dict()["why_null"]["of_optimum"]
    assert seen.as_dict()["of_optimum"] is None


@pytest.mark.parametrize(
    ("changed", "word"), [({"random": -math.inf}, "infinite"), ({"random": 4.0}, "worth as much as the best")]
)
def test_nothing_is_measured_from_a_random_policy_that_is_infinite_or_as_good(changed: dict, word: str) -> None:
    seen = replace(RETURNS, **changed)
    assert seen.over_random is None
    assert word in seen.as_dict()["why_null"]["over_random"]
    assert seen.of_optimum == 0.75


def test_the_aim_names_reward_sense_and_goal() -> None:
    notes = {"reward": "-(time)", "goal": "done: 2 states, where the episode ends"}
    assert aim_text("min", notes) == "the smallest expected cost (time) until done"
    assert aim_text("max", {"reward": "coins"}) == "the largest expected return (coins)"
    assert aim_text("max", {}) == "the largest expected return"


def test_numbers_keep_their_digits_however_small_or_large() -> None:
    assert number_text(0.0) == "0.000000"
    assert number_text(1.25e-9) == "1.25e-09"
    assert number_text(-math.inf) == "-infinite"
    assert (percent_text(0.000075), percent_text(12.345), percent_text(1e-7), percent_text(1e-9)) == (
        "0.0075 %",
        "1,234 %",
        "under 0.0001 %",
        "0 %",
    )


def test_rounding_is_shown_as_0() -> None:
    assert Figures(optimum=1e-17, random=-1.0, error=1e-12).text(1e-17) == "0.000000"


def test_a_solution_knows_its_cost_and_its_loss() -> None:
    policy = TreePolicy(make_tree([-1], [0], [-1], [-1], [0]), ("x",), ("go",))
    solution = Solution(policy, 0.3, 2.0, 4.0, -1.0, 1, SolveStatus.TIME_LIMIT, "spot", 1.5)
    assert solution.cost is None
    assert solution.loss == pytest.approx(3.7)
    costs = replace(solution, value=-3.0, bound=-2.5, optimum=-2.5, random_value=-9.0, sense="min")
    assert costs.cost == 3.0
    assert costs.loss == 0.5
    assert costs.of_optimum is None  # 1.2 of the best value would be a worse tree
    assert costs.figures.as_dict()["above_best"] == pytest.approx(0.2)
    assert "cost 3 >= 2.5" in repr(costs)
    assert replace(costs, value=-2.5 + 1e-15).loss == 0.0


def test_a_bound_that_is_the_value_is_not_said_to_be_more_by_0() -> None:
    assert Figures(1.0, 0.0, 1.0, 1.0, proved=True).bound_words == "no tree of the size is better"
    near = Figures(1.0, 0.0, 0.5, 0.5 + 1e-10, proved=True)
    assert near.bound_words == "no tree of the size is better by more than 1.0e-10"


@pytest.mark.parametrize(("sense", "what"), [("min", "costs"), ("max", "negative returns")])
def test_no_share_of_the_optimum_is_above_1_for_a_worse_tree(sense: Sense, what: str) -> None:
    seen = Figures(optimum=-100.0, random=-250.0, value=-100.396, bound=-100.0, sense=sense)
    assert seen.of_optimum is seen.as_dict()["of_optimum"] is None
    assert what in seen.as_dict()["why_null"]["of_optimum"]
    assert seen.as_dict()["above_best"] == pytest.approx(0.00396)


def test_a_gap_is_the_same_share_as_the_distance_to_the_best_policy() -> None:
    # cost 105 beside 100: 5 % more than the best policy, and a gap of 5 %, not of 5 / 105
    seen = Figures(optimum=-100.0, random=-250.0, value=-105.0, bound=-100.0, sense="min")
    assert seen.beside_best == "5 % more than the best policy"
    assert seen.gap_text == "gap 5 %"
    assert seen.gap == seen.above_best == seen.as_dict()["gap"] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("value", "bound", "text"),
    [
        (-5.0, 0.5, "gap of 5.500000"),  # not "110.00%"
        (-210.0, -100.0, "gap of 110.000000"),
        (-1e-3, 0.0, "gap of 0.001000"),
        (0.0, 2.0, "gap 100 %"),
        (-math.inf, 2.0, "gap unknown"),
        (2.0, 2.0, "gap 0 %"),
        (1e308, 1e308, "gap 0 %"),
        (-1e308, 1e308, "gap unknown"),
        (5e-324, 1e308, "gap 100 %"),
        (1.0, math.inf, "gap unknown"),
    ],
)
def test_a_gap_in_per_cent_is_a_share(value: float, bound: float, text: str) -> None:
    seen = Figures(optimum=bound, random=value, value=value, bound=bound)
    assert seen.gap_text == text
    assert (seen.gap is None) == ("%" not in text) == ("gap" in seen.as_dict()["why_null"])
    assert math.isinf(gap_share(value, bound)) == (seen.gap is None)


def test_no_zero_has_a_sign() -> None:
    assert number_text(-0.0) == "0.000000"
    assert Figures(optimum=0.0, random=-1.0, sense="min").text(-0.0) == "0.000000"
