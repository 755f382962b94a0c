"""From rules to an MDP."""

import pytest

from spotree.mdp import MDP
from spotree.models.from_rules import mdp_from_rules


def coin() -> MDP:
    """A coin is tossed until it shows heads; then the game is over and may not be tossed again."""

    def outcomes(shown: str, action: str) -> list[tuple[float, str, float]]:
        if action == "wait":
            return [(1.0, shown, 0.0)]
        return [(0.5, "heads", 3.0), (0.25, "tails", 1.0), (0.25, "tails", -2.0)] if shown == "tails" else []

    return mdp_from_rules(
        start={"tails": 1.0},
        outcomes=outcomes,
        features=lambda shown: [float(shown == "heads")],
        feature_names=["heads"],
        action_names=["toss", "wait"],
        discount=0.5,
    )


def test_states_are_numbered_as_they_are_met() -> None:
    assert coin().features.tolist() == [[0], [1]]
    assert coin().initial.tolist() == [1, 0]


def test_outcomes_with_the_same_next_state_are_added() -> None:
    mdp = coin()
    assert mdp.transition_matrix("toss").toarray()[0].tolist() == [0.5, 0.5]
    assert mdp.reward[0, 0] == pytest.approx(0.5 * 3 + 0.25 * 1 - 0.25 * 2)


def test_an_action_without_outcomes_is_not_available() -> None:
    assert coin().available.tolist() == [[True, True], [False, True]]
