"""DRN: features come from the states' comments or from the file beside, and dtPAYNT's extra action can go."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from spotree.errors import ReadError
from spotree.evaluation import expected_return, optimum, random_return
from spotree.mdp.transforms import with_random_action
from spotree.models import load
from spotree.readers.read import read

pytest.importorskip("stormpy")
FACTS = Path(__file__).parents[1] / "facts"

HEAD = "@type: MDP\n@parameters\n\n@reward_models\npay\n@nr_states\n3\n@nr_choices\n5\n@model\n"
STATES = [
    "state 0 [0] init\n",
    "//[!up\t& x=-3]\n",
    "\taction a [1]\n\t\t0 : 0.5\n\t\t1 : 0.5\n\taction b [2]\n\t\t2 : 1\n",
    "state 1 [4]\n",
    "//[up\t& x=2]\n",
    "\taction a [0]\n\t\t2 : 1\n\taction __random__ [0]\n\t\t1 : 1\n",
    "state 2 [0] sink\n",
    "",
    "\taction a [0]\n\t\t2 : 1\n",
]


def write(tmp_path: Path, states: list[str]) -> Path:
    path = tmp_path / "model.drn"
    path.write_text(HEAD + "".join(states))
    return path


def test_features_stand_in_the_comments_and_a_sink_without_one_counts_as_0(tmp_path: Path) -> None:
    mdp = read(write(tmp_path, STATES))
    assert mdp.feature_names == ("up", "x")
    assert mdp.features.tolist() == [[0, -3], [1, 2], [0, 0]]
    assert mdp.notes["features"] == "from the comments of the states (1 states without one count as 0)"
    assert mdp.reward[1, mdp.action_names.index("a")] == 4  # of the state, 0 of the choice
    assert mdp.reward[0, mdp.action_names.index("b")] == 2


def test_the_file_beside_counts_where_comments_are_missing(tmp_path: Path) -> None:
    path = write(tmp_path, STATES)
    values = [[["up", 0], ["x", -3]], [["up", 1], ["x", 2]], [["up", 7], ["x", 8]]]
    (tmp_path / "state-valuations.json").write_text(json.dumps(values))
    assert read(path).features.tolist() == [[0, -3], [1, 2], [7, 8]]


@pytest.mark.parametrize("parts", ["", "c : bool init true;", "c : bool init true; x : [0..1];"])
def test_what_storm_writes_about_true_booleans_is_read(tmp_path: Path, parts: str) -> None:
    import stormpy

    text = f"mdp module m b : bool init true; {parts} [go] true -> (b'=!b); endmodule rewards true : 1; endrewards"
    (tmp_path / "model.prism").write_text(text)
    building = stormpy.BuilderOptions()
    building.set_build_state_valuations()
    building.set_build_choice_labels()
    building.set_build_all_reward_models()
    program = stormpy.parse_prism_program(str(tmp_path / "model.prism"))
    stormpy.io.export_to_drn(stormpy.build_model(program, options=building), str(tmp_path / "model.drn"))
    assert "//[!b" in (tmp_path / "model.drn").read_text()
    mdp = read(tmp_path / "model.drn")
    assert mdp.feature_names == ("b",)  # the others are constant
    assert mdp.features.tolist() == [[1], [0]]


def test_an_action_can_be_left_out(tmp_path: Path) -> None:
    mdp = read(write(tmp_path, STATES), drop_actions=["__random__"])
    assert mdp.action_names == ("a", "b")
    assert mdp.num_choices == 4


def test_labels_of_states_serve_as_goal(tmp_path: Path) -> None:
    mdp = read(write(tmp_path, STATES), goal="sink")
    assert mdp.transition_matrix("a")[2].nnz == 0


@pytest.mark.parametrize(
    ("states", "beside", "message"),
    [
        ([line for line in STATES if not line.startswith("//")], None, "no state valuations, neither as comments"),
        ([*STATES[:4], "//[x=2]\n", *STATES[5:]], None, "state 1 has the variables x, not up, x"),
        ([STATES[0], "//[up\t& x=red]\n", *STATES[2:]], None, "state valuation 'x=red' is no number"),
        ([STATES[0], "//[!up\t& x=1\t& x=2]\n", *STATES[2:]], None, "has 'x' twice"),
        (STATES, "[[]]", "1 state valuations in state-valuations.json, but 3 states"),
        (STATES, "{", "not a list of [name, number] pairs per state"),
        (STATES, '[["up"]]', "not a list of [name, number] pairs per state"),
        (STATES[:3], None, "model.drn: "),
        (["state zero"], None, "model.drn: "),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, states: list[str], beside: str | None, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, states)
    if beside is not None:
        (tmp_path / "state-valuations.json").write_text(beside)
    with pytest.raises(ReadError) as caught:
        read(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("count", "claimed"), [("states\n3", "states\n4294967296"), ("choices\n5", "choices\n6")])
def test_counts_that_the_file_does_not_list_are_refused(tmp_path: Path, count: str, claimed: str) -> None:
    path = write(tmp_path, STATES)
    path.write_text(path.read_text().replace(count, claimed))
    with pytest.raises(ReadError, match=r"but the file lists [35]; cut off or corrupt"):
        read(path)


def with_missing_and_random_action(rng: np.random.Generator, states: int = 30) -> str:
    """A DRN file as dtPAYNT writes them: three actions, some of them missing, and __random__ in every state."""
    lines, choices = [], 0
    for state in range(states):
        offered = [action for action in "abc" if rng.random() < 0.6] or ["b"]
        total, pay = np.zeros(states), 0.0
        lines += [f"state {state} [0]" + " init" * (state == 0), f"//[x={state // 5}\t& y={state % 5}]"]
        for action in offered:
            row = rng.dirichlet(np.full(4, 0.5))
            targets = rng.choice(states, 4, replace=False)
            reward = rng.normal()
            total[targets] += row / len(offered)
            pay += reward / len(offered)
            lines += [
                f"\taction {action} [{reward!r}]",
                *(f"\t\t{t} : {p!r}" for t, p in sorted(zip(targets.tolist(), row.tolist(), strict=True))),
            ]
        lines += [
            f"\taction __random__ [{pay!r}]",
            *(f"\t\t{t} : {total[t].item()!r}" for t in np.flatnonzero(total)),
        ]
        choices += len(offered) + 1
    return HEAD.replace("\n3\n", f"\n{states}\n").replace("\n5\n", f"\n{choices}\n") + "\n".join(lines) + "\n"


def test_the_random_action_of_a_file_is_ours_and_leaves_the_optimum_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "model.drn"
    path.write_text(with_missing_and_random_action(np.random.default_rng(3)))
    whole = read(path)
    mdp = read(path, drop_actions=["__random__"])
    assert set(whole.action_names) - set(mdp.action_names) == {"__random__"}
    assert not mdp.available.all()
    ours = with_random_action(mdp)
    assert abs(whole.transition_matrix("__random__") - ours.transition_matrix("__random__")).max() < 1e-15
    # Where every missing action acts at random, so does __random__: the optimum is the same without it.
    assert optimum(mdp).value == pytest.approx(optimum(whole).value, rel=1e-12)
    pick = np.full(whole.num_states, whole.action_names.index("__random__"), np.int32)
    assert expected_return(whole, pick) == pytest.approx(random_return(mdp), rel=1e-12)


def test_models_of_the_comparison_had_the_published_values_when_they_were_read() -> None:
    with (FACTS / "cav25_results.csv").open() as file:
        published = {row["mdp"]: row for row in csv.DictReader(file)}
    with (FACTS / "cav25_models.csv").open() as file:
        for read_then in csv.DictReader(file):
            there = published[read_then["mdp"]]
            assert read_then["states"] == there["states"]
            assert int(read_then["actions"]) == int(there["actions_incl_random"]) - 1
            assert float(read_then["optimum"]) == pytest.approx(float(there["optimal_return"]), abs=6e-5)
            assert read_then["optimum"] == read_then["optimum_with_random_action"]
            # dtPAYNT's own iteration stops early
            assert float(read_then["random"]) == pytest.approx(float(there["random_return"]), rel=2e-5)
            assert float(read_then["random_action_error"]) < 1e-10  # as many digits as the files have


def test_firewire_as_shipped_is_worth_what_the_comparison_says() -> None:
    mdp = load("firewire")
    assert round(optimum(mdp).value, 4) == -70.0449
    assert round(random_return(mdp), 4) == -76.3381
