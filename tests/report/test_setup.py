"""What was solved, in words: costs as costs."""

from dataclasses import replace

import numpy as np

import spotree
from spotree.report.summary import missing_text, setup_words


def model(sense: str, missing: str) -> spotree.MDP:
    """State 1 does not offer the second action."""
    return spotree.build_mdp(
        transitions=np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]]),
        reward=np.array([[1.0, 2.0], [1.0, 0.0]]) if sense == "min" else np.ones((2, 2)),
        discount=0.9,
        available=np.array([[True, True], [True, False]]),
        missing=missing,
        missing_reward=-40.0,
        sense=sense,
        notes={"reward": "-(time)" if sense == "min" else "time", "goal": "done: 1 state, where the episode ends"},
    )


def test_costs_and_their_goal_are_named_as_costs() -> None:
    mdp = model("min", "end")
    said = dict(setup_words(spotree.solve(mdp, 1, max_rounds=1, threads=1), mdp))
    assert said["aim"] == "the smallest expected cost (time) until done"
    assert said["cost"] == "time"
    assert "reward" not in said
    assert said["unavailable actions"] == "end the episode with a cost of 40"


def test_rewards_are_named_as_rewards() -> None:
    mdp = model("max", "end")
    solution = spotree.solve(mdp, 1, max_rounds=1, threads=1)
    said = dict(setup_words(replace(solution, notes=mdp.notes), mdp))
    assert (said["aim"], said["reward"]) == ("the largest expected return (time) until done", "time")
    assert missing_text("end", mdp) == "end the episode with a reward of -40"
    assert missing_text("stay", model("max", "stay")) == "stay in the state with no reward"
