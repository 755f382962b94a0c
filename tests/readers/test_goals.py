"""Undiscounted goals: Pmax, Pmin, Rmin and Rmax as Storm computes them in exact arithmetic."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from spotree.api.solve import solve
from spotree.errors import InfeasibleError, InvalidModelError, ReadError, SpotreeError
from spotree.evaluation import evaluate, optimum, random_return
from spotree.mdp import MDP
from spotree.readers.npz import write_npz
from spotree.readers.read import read
from spotree.readers.umb.writer import write_umb

stormpy = pytest.importorskip("stormpy", reason="the extra 'prism' is not installed")
MODELS = Path(__file__).parents[2] / "src" / "spotree" / "models"

# Going round between 0 and 1 is free; from 1 one can try: half of the tries reach the goal 3, half the trap 2.
# From 0 a slow way reaches the goal surely. The trap lets one walk about for ever.
LOOPS = """
mdp
module walk
    s : [0..5] init 0;
    t : [0..1] init 0;
    [round] s=0 -> (s'=1);
    [round] s=1 -> (s'=0);
    [try]   s=1 -> 0.5:(s'=3) + 0.5:(s'=2);
    [slow]  s=0 -> 0.25:(s'=4) + 0.75:(s'=0);
    [slow]  s=4 -> 0.5:(s'=3) + 0.5:(s'=0);
    [round] s=2 -> (t'=1-t);
    [wait]  s=2 -> true;
    [round] s=4 -> (s'=4);
    [done]  s=3 -> true;
endmodule
label "goal" = s=3;
label "trap" = s=2;
rewards "steps"
    [slow] true : 1;
    [try] true : 0.125;
endrewards
rewards "all"
    true : 1;
endrewards
"""
# Every way ends, but not every way at the goal's price.
ENDS = """
mdp
module race
    s : [0..3] init 0;
    [a] s=0 -> 1/3:(s'=1) + 2/3:(s'=2);
    [b] s=0 -> 0.1:(s'=0) + 0.9:(s'=1);
    [a] s=1 -> 0.5:(s'=0) + 0.5:(s'=3);
    [b] s=2 -> (s'=3);
    [a] s=3 -> true;
endmodule
label "goal" = s=3;
label "half" = s=1;
rewards "steps"
    true : 1;
endrewards
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "loops.prism").write_text(LOOPS)
    (tmp_path / "ends.prism").write_text(ENDS)
    return tmp_path


def storms(path: Path, text: str, constants: str = "") -> float:
    """What Storm says about a property, in exact arithmetic."""
    program, _ = stormpy.instantiate_constants(
        stormpy.parse_prism_program(str(path), prism_compatibility=True), constants
    )
    asked = stormpy.parse_properties(text, program)
    model = stormpy.build_model[stormpy.Rational](program, asked)
    value = str(stormpy.model_checking(model, asked[0]).get_value(model.initial_states[0]))
    return np.inf if "inf" in value else float(Fraction(value))


def ours(path: Path, sense: str, goal: str, reward: str, constants: dict[str, int] | None = None) -> float:
    mdp = read(path, constants=constants, sense=sense, goal=goal, reward=reward, discount=1, missing="forbid")
    best = optimum(mdp)
    assert best.error <= 1e-9 * max(1.0, abs(best.value))
    return best.value if sense == "max" else -best.value


def property_of(sense: str, goal: str, reward: str) -> str:
    shown = goal if "=" in goal else f'"{goal}"'
    return f"P{sense}=? [F {shown}]" if reward == "reach" else f'R{{"{reward}"}}{sense}=? [F {shown}]'


@pytest.mark.parametrize("sense", ["max", "min"])
@pytest.mark.parametrize(
    ("model", "goal", "reward"),
    [
        ("loops", "goal", "reach"),
        ("loops", "trap", "reach"),
        ("loops", "s=4", "reach"),
        ("ends", "goal", "reach"),
        ("ends", "half", "reach"),
        ("ends", "goal", "steps"),
    ],
)
def test_little_models_have_storms_values(model: str, goal: str, reward: str, sense: str, folder: Path) -> None:
    path = folder / f"{model}.prism"
    assert ours(path, sense, goal, reward) == pytest.approx(
        storms(path, property_of(sense, goal, reward)), rel=1e-12, abs=0
    )


@pytest.mark.parametrize("reward", ["steps", "all"])
def test_the_least_cost_until_a_goal_is_that_of_policies_that_reach_it(reward: str, folder: Path) -> None:
    path = folder / "loops.prism"
    expected = storms(path, property_of("min", "goal", reward))
    assert expected > 0  # going round for ever would cost nothing
    assert ours(path, "min", "goal", reward) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sense", ["max", "min"])
@pytest.mark.parametrize(
    ("file", "constants", "goal", "reward"),
    [
        ("csma.prism", {"backoff_limit": 2}, "all_delivered", "time"),
        ("csma.prism", {"backoff_limit": 2}, "one_delivered", "reach"),
        ("firewire.prism", {"delay": 3}, "done", "time"),
        ("firewire.prism", {"delay": 3}, "done", "time_sending"),
        ("wlan.prism", {"max_backoff": 0, "max_collisions": 0}, "all_sent", "time"),
        ("wlan.prism", {"max_backoff": 0, "max_collisions": 2}, "collisions=2", "reach"),
    ],
)
def test_protocols_have_storms_values(
    file: str, constants: dict[str, int], goal: str, reward: str, sense: str
) -> None:
    text = ",".join(f"{name}={value}" for name, value in constants.items())
    expected = storms(MODELS / file, property_of(sense, goal, reward), text)
    assert ours(MODELS / file, sense, goal, reward, constants) == pytest.approx(expected, rel=1e-9, abs=0)


def test_an_infinite_maximum_is_an_error_that_names_a_state(folder: Path) -> None:
    path = folder / "loops.prism"
    for reward in ("steps", "all"):
        assert storms(path, property_of("max", "goal", reward)) == np.inf
        with pytest.raises(InvalidModelError, match=r"loops.prism: state \d+.* for ever"):
            read(path, sense="max", goal="goal", reward=reward, discount=1)


def test_an_infinite_minimum_is_an_error_that_names_the_initial_state(folder: Path) -> None:
    path = folder / "loops.prism"
    assert storms(path, property_of("min", "s=5", "steps")) == np.inf
    with pytest.raises(ReadError, match="holds in no reachable state"):
        read(path, sense="min", goal="s=5", reward="steps", discount=1)
    with pytest.raises(InfeasibleError, match="initial state 0: no policy surely ends"):
        read(path, sense="min", goal="t=1", reward="steps", discount=1)
    assert storms(path, property_of("min", "t=1", "steps")) == np.inf


def test_a_file_without_rewards_is_about_reaching_the_goal(folder: Path) -> None:
    path = folder / "bare.prism"
    path.write_text(ENDS[: ENDS.index("rewards")])
    mdp = read(path, goal="goal", discount=1)
    assert mdp.notes["reward"] == "1 for reaching goal"
    assert optimum(mdp).value == pytest.approx(1.0)


def test_reach_needs_a_goal(folder: Path) -> None:
    with pytest.raises(ReadError, match="reward='reach' pays 1 for reaching the goal; say which"):
        read(folder / "ends.prism", reward="reach")


def test_a_discounted_reach_pays_on_arrival(folder: Path) -> None:
    (folder / "line.prism").write_text(
        "mdp\nmodule m\ns:[0..2] init 0;\n[a] s<2 -> (s'=s+1);\n[b] s=0 -> true;\n[a] s=2 -> true;\nendmodule\n"
    )
    mdp = read(folder / "line.prism", goal="s=2", reward="reach", discount=0.5)
    assert optimum(mdp).value == 0.25  # two steps, 0.5 each


@pytest.mark.parametrize("missing", ["random", "end", "stay", "forbid"])
def test_every_rule_for_missing_actions_has_finite_best_values(missing: str, folder: Path) -> None:
    cheapest = -storms(folder / "loops.prism", property_of("min", "goal", "all"))
    for reward, sense in (("reach", "max"), ("reach", "min"), ("all", "min")):
        mdp = read(
            folder / "loops.prism",
            goal="goal",
            reward=reward,
            sense=sense,
            discount=1,
            missing=missing,
            missing_reward=0 if missing == "end" else None,
        )
        best = optimum(mdp)
        assert np.isfinite(best.values).all()
        assert best.error < 1e-9
        if reward == "all" and missing != "end":  # more ways to act, none of them cheaper
            assert best.value == pytest.approx(cheapest, rel=1e-12)


def tree_solution(mdp: MDP, method: str = "neighbourhood") -> float:
    settings = {"max_rounds": 4} if method == "neighbourhood" else {"rounds": 8}
    found = solve(mdp, 3, method=method, time_limit=5.0, threads=1, **settings)
    assert evaluate(mdp, found.policy.tree) == pytest.approx(found.value, rel=1e-12)
    assert found.value <= found.bound
    return found.value


@pytest.mark.parametrize(("goal", "reward", "sense"), [("goal", "reach", "max"), ("goal", "all", "min")])
@pytest.mark.parametrize("missing", ["random", "forbid", "stay"])
def test_trees_reach_the_optimum_where_it_takes_little(
    goal: str, reward: str, sense: str, missing: str, folder: Path
) -> None:
    mdp = read(folder / "loops.prism", goal=goal, reward=reward, sense=sense, discount=1, missing=missing)
    assert tree_solution(mdp) == pytest.approx(optimum(mdp).value, rel=1e-9)


def test_a_tree_that_goes_round_for_ever_is_worth_minus_infinity(folder: Path) -> None:
    mdp = read(folder / "loops.prism", goal="goal", reward="steps", sense="min", discount=1)
    around = np.full(mdp.num_states, mdp.action_names.index("round"))
    assert evaluate(mdp, around) == -np.inf
    assert np.isfinite(random_return(mdp))  # the random policy avoids what cannot be undone, and gets there


def test_spot_works_where_most_trees_never_end(folder: Path) -> None:
    mdp = read(folder / "loops.prism", goal="goal", reward="all", sense="min", discount=1)
    assert tree_solution(mdp, "spot") == pytest.approx(optimum(mdp).value, rel=1e-9)


@pytest.mark.parametrize("suffix", [".npz", ".umb"])
def test_undiscounted_models_come_back_from_files(suffix: str, folder: Path) -> None:
    mdp = read(folder / "loops.prism", goal="goal", reward="steps", sense="min", discount=1)
    assert mdp.forbidden.any()
    assert mdp.must_end
    (write_npz if suffix == ".npz" else write_umb)(mdp, folder / f"copy{suffix}")
    again = read(folder / f"copy{suffix}")
    assert again.must_end
    assert again.discount == 1
    for name in ("choice_start", "choice_of", "row_start", "target", "reward_of_choice", "state_number"):
        assert getattr(again, name).tolist() == getattr(mdp, name).tolist(), name
    assert optimum(again).value == optimum(mdp).value


def test_omdt_refuses_what_it_cannot_do(folder: Path) -> None:
    mdp = read(folder / "ends.prism", goal="goal", reward="steps", sense="min", discount=1)
    with pytest.raises(SpotreeError, match="discount"):
        solve(mdp, 1, method="omdt", time_limit=1.0)
