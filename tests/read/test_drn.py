"""DRN: features come from the states' comments or from the file beside, and dtPAYNT's extra action can go."""

import json
from pathlib import Path

import numpy as np
import pytest

from spotree.errors import ReadError
from spotree.read.read import read
from spotree.values import optimum, random_return

pytest.importorskip("stormpy")
REFERENCE = Path(__file__).parents[2] / "../shared/reference/cav25"

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


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference models are not beside the project")
@pytest.mark.parametrize(
    ("name", "best", "random"),
    # from cav25_results.csv: optimal and random value
    [("firewire-3/model-random-enabled.drn", -70.0449, -76.3381), ("steps/model-random.drn", None, None)],
)
def test_models_of_the_comparison_are_worth_what_it_says(
    name: str, best: float | None, random: float | None
) -> None:
    whole = read(REFERENCE / name)
    mdp = read(REFERENCE / name, drop_actions=["__random__"])
    assert set(whole.action_names) - set(mdp.action_names) == {"__random__"}
    # Where every missing action acts at random, so does __random__: the optimum is the same without it.
    np.testing.assert_allclose(optimum(mdp).value, optimum(whole).value, rtol=1e-9)
    if best is not None and random is not None:
        assert round(optimum(mdp).value, 4) == best
        pick = whole.action_names.index("__random__")
        matrix, reward = whole.transition_matrix(pick), whole.reward[:, pick]
        value = np.zeros(whole.num_states)
        for _ in range(3000):
            value = reward + whole.discount * (matrix @ value)
        assert round(float(whole.initial @ value), 4) == random
        assert random_return(mdp) == pytest.approx(random, abs=1e-4)
