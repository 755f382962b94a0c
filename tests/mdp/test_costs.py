"""`build_mdp(..., sense="min")` takes a table of costs, and every way on keeps their meaning."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import spotree
from spotree.errors import InvalidModelError
from spotree.evaluation import random_return
from spotree.mdp import ChoiceRows
from spotree.mdp.transforms import rebuilt, with_random_action
from spotree.readers.read import write

STAY = np.ones((2, 1, 1))
COSTS = np.array([[3.0, 5.0]])  # one state: the first action costs 3 a step, the second 5


def model(**given: object) -> spotree.MDP:
    return spotree.build_mdp(STAY, COSTS, 0.5, sense="min", **given)  # type: ignore[arg-type]


def lacking(**given: object) -> spotree.MDP:
    """The second state offers the first action alone."""
    moves = np.stack([np.eye(2), np.eye(2)])
    available = np.array([[True, True], [True, False]])
    costs = np.array([[1.0, 2.0], [1.0, 0.0]])
    return spotree.build_mdp(moves, costs, 0.5, available=available, sense="min", **given)  # type: ignore[arg-type]


def test_a_table_of_costs_is_minimised() -> None:
    mdp = model()
    solution = spotree.solve(mdp, depth=0, time_limit=5)
    assert solution.cost == pytest.approx(6.0)  # 3 / (1 - 0.5)
    assert solution.value == spotree.optimum(mdp).value == pytest.approx(-6.0)
    assert str(solution.policy) == "action_0"
    assert mdp.reward.tolist() == [[-3.0, -5.0]]  # inside, more is better


@pytest.mark.parametrize(
    "given",
    [
        (STAY, 3.0),
        (STAY, [3.0]),
        (STAY, np.full((2, 1, 1), 3.0)),
        ([sp.csr_matrix(np.eye(1))] * 2, [sp.csr_matrix(3 * np.eye(1))] * 2),
        (ChoiceRows([0], [0], [0, 1], [0], [1.0]), [3.0]),
    ],
)
def test_every_form_of_a_table_holds_costs(given: tuple[object, object]) -> None:
    mdp = spotree.build_mdp(*given, 0.5, sense="min")  # type: ignore[call-overload]
    assert set(mdp.reward_of_choice.tolist()) == {-3.0}


def test_a_cost_per_transition_is_a_cost() -> None:
    rows = ChoiceRows([0], [0], [0, 1], [0], [1.0])
    mdp = spotree.build_mdp(rows, 1.0, 0.5, transition_reward=[2.0], sense="min")
    assert mdp.reward_of_choice.tolist() == [-3.0]


def test_no_cost_is_a_plain_zero() -> None:
    assert not np.signbit(spotree.build_mdp(STAY, 0.0, 0.5, sense="min").reward).any()


def test_an_error_names_the_cost_as_it_was_given() -> None:
    with pytest.raises(InvalidModelError, match="action 'action_1': reward is inf; rewards must be finite"):
        spotree.build_mdp(STAY, [[1.0, np.inf]], 0.5, sense="min")
    with pytest.raises(InvalidModelError, match="cost -2 can be had again and again"):
        spotree.build_mdp(STAY, -2.0, 1.0, sense="min")


@pytest.mark.parametrize("suffix", [".npz", ".umb"])
def test_a_saved_table_of_costs_keeps_its_value(tmp_path: Path, suffix: str) -> None:
    mdp = model()
    write(mdp, tmp_path / f"copy{suffix}")
    again = spotree.read(tmp_path / f"copy{suffix}")
    assert again.sense == "min"
    assert again.reward_of_choice.tobytes() == mdp.reward_of_choice.tobytes()
    assert spotree.optimum(again).value == spotree.optimum(mdp).value


def test_a_file_holds_negated_costs_as_files_always_did(tmp_path: Path) -> None:
    # What version 1 of the schema has meant from the start: `reward` is a return, `sense` says how it is shown.
    spotree.write_npz(model(), tmp_path / "costs.npz")
    with np.load(tmp_path / "costs.npz") as stored:
        assert stored["reward"].tolist() == [-3.0, -5.0]
        assert (int(stored["version"]), str(stored["sense"])) == (1, "min")


def test_a_file_with_an_unknown_sense_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.npz"
    spotree.write_npz(model(), path)
    with np.load(path) as stored:
        arrays = dict(stored) | {"sense": np.array("low")}
    np.savez(path, **arrays)
    with pytest.raises(InvalidModelError, match="sense='low' is unknown"):
        spotree.read(path)


def test_the_same_model_under_another_discount_keeps_its_costs() -> None:
    again = rebuilt(model(), discount=0.9)
    assert again.sense == "min"
    assert spotree.optimum(again).value == pytest.approx(-30.0)  # 3 / (1 - 0.9)


def test_a_random_action_more_keeps_costs_costs() -> None:
    mdp = lacking()
    more = with_random_action(mdp)
    assert more.sense == "min"
    assert spotree.optimum(more).value == pytest.approx(spotree.optimum(mdp).value)
    assert random_return(more) == pytest.approx(random_return(mdp))


def test_minimising_a_file_of_costs_turns_it_round_and_back(tmp_path: Path) -> None:
    write(model(), tmp_path / "copy.umb")
    turned = spotree.read(tmp_path / "copy.umb", sense="min")  # the least of the negated costs: the largest cost
    assert (turned.sense, spotree.optimum(turned).value) == ("max", pytest.approx(10.0))


def test_what_a_missing_action_pays_is_a_reward_also_with_costs() -> None:
    mdp = lacking(missing="end", missing_reward=-40.0)
    assert mdp.missing_reward == -40.0
    assert mdp.reward.tolist() == [[-1.0, -2.0], [-1.0, -40.0]]
    assert rebuilt(mdp, discount=0.9).reward.tolist() == mdp.reward.tolist()


def test_ending_early_must_have_a_price_where_costs_are_saved_by_it() -> None:
    with pytest.raises(InvalidModelError, match=r"cost of 1, which may be cheaper.* missing_reward=-1000"):
        lacking(missing="end")
    assert lacking().missing_reward == -1.0  # only "end" pays it
    assert model(missing="end").missing_reward == -1.0  # nothing is missing
    assert lacking(missing="end", missing_reward=-1.0).missing_reward == -1.0


def test_a_price_with_the_wrong_sign_is_refused() -> None:
    with pytest.raises(InvalidModelError, match=r"missing_reward=40 .*a cost of 40 is missing_reward=-40"):
        lacking(missing="end", missing_reward=40)
    gains = replace(lacking(missing="end", missing_reward=-1.0), missing_reward=2.0)
    assert gains.missing_reward == 2.0  # the door alone checks
    moves, available = np.stack([np.eye(2)] * 2), np.array([[True, True], [True, False]])
    earned = [[-1.0, -2.0], [-1.0, 0.0]]  # costs below 0 are gains: ending may bring one, too
    mdp = spotree.build_mdp(moves, earned, 0.5, available=available, missing="end", missing_reward=2.0, sense="min")
    assert mdp.reward.tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_a_random_action_more_leaves_forbidden_actions_forbidden() -> None:
    # The second action leads to a state that costs 1 a step without end; at discount 1 it is forbidden.
    onward = np.zeros((2, 2, 2))
    onward[1, 0, 1] = onward[:, 1, 1] = 1.0
    ends = np.array([[1.0, 0.0], [0.0, 0.0]])
    mdp = spotree.build_mdp(
        onward, 1.0, 1, initial=0, ends=ends, missing="end", missing_reward=0.0, must_end=True, sense="min"
    )
    more = with_random_action(mdp)
    assert spotree.optimum(more).value == spotree.optimum(mdp).value == pytest.approx(-1.0)
    assert more.must_end
