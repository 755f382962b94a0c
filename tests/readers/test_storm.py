"""PRISM and JANI: what is read is what the file means, and what was chosen is on record."""

import json
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spotree.errors import MissingExtraError, ReadError, SpotreeError
from spotree.readers.read import read

stormpy = pytest.importorskip("stormpy")

# Walk along 0 .. last; `go` may slip, an unlabelled command rests or jumps, both at x=1.
WALK = """
mdp
const int last;
const double slip = 1/4;
module walker
  x : [0..last];
  happy : bool init false;
  same : [0..3] init 2;
  [go] x<last -> 1-slip : (x'=x+1) + slip : true;
  [back] x>0 & x<last -> (x'=x-1) & (same'=2);
  [] x=1 -> (happy'=true);
  [] x=1 -> (x'=last);
  [go] x=2 & happy -> (x'=0);
  [] x=last -> true;
endmodule
label "end" = x=last;
label "mood" = happy;
rewards "steps"
  true : 1;
endrewards
rewards "moves"
  x=1 : 10;
  [go] true : 2;
  [back] x=1 : 3;
endrewards
"""


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.prism"
    path.write_text(WALK)
    return path


def state(mdp: Any, x: int, happy: int = 0) -> int:
    columns = [mdp.feature_names.index(name) for name in ("x", "happy")]
    return int(np.flatnonzero((mdp.features[:, columns] == [x, happy]).all(axis=1))[0])


def test_a_reward_is_that_of_the_state_and_that_of_the_choice(walk: Path) -> None:
    mdp = read(walk, constants={"last": 3}, reward="moves")
    reward = dict(zip(mdp.action_names, mdp.reward[state(mdp, 1)], strict=True))
    assert (reward["back"], reward["walker#3"]) == (13, 10)  # 10 + 3, and 10
    assert mdp.reward[state(mdp, 0), mdp.action_names.index("go walker#1")] == 2


def test_several_rewards_are_added_and_costs_are_negated(walk: Path) -> None:
    options: dict[str, Any] = {"constants": {"last": 3}, "sense": "min"}
    both = read(walk, reward=["steps", "moves"], **options)
    assert both.reward[state(both, 1), both.action_names.index("back")] == -14
    assert both.notes["reward"] == "-(steps + moves)"
    every = read(walk, reward="sum", **options)
    assert every.notes["reward"] == "-(moves + steps)"
    assert np.array_equal(every.reward, both.reward)


def test_every_unlabelled_command_is_an_action_by_default(walk: Path) -> None:
    mdp = read(walk, constants={"last": 3}, reward="steps")
    # two commands with the label go are enabled together at x=2 & happy, so the label is told apart
    assert mdp.action_names == ("back", "go walker#1", "go walker#5", "walker#3", "walker#4", "walker#6")
    assert "walker#4 is (x = 1)" in mdp.notes["commands"]
    at = mdp.available[state(mdp, 1)]
    assert [name for name, here in zip(mdp.action_names, at, strict=True) if here] == [
        "back",
        "go walker#1",
        "walker#3",
        "walker#4",
    ]


def test_by_label_a_shared_label_picks_one_of_its_choices_uniformly(walk: Path) -> None:
    mdp = read(walk, constants={"last": 3}, reward="steps", actions="labels")
    assert mdp.action_names == ("back", "go", "unlabelled")
    row = mdp.transition_matrix("unlabelled")[state(mdp, 1)].toarray().ravel()
    assert row[state(mdp, 3)] == row[state(mdp, 1, 1)] == 0.5
    row = mdp.transition_matrix("go")[state(mdp, 2, 1)].toarray().ravel()
    assert row[state(mdp, 0, 1)] == 0.5
    assert row[state(mdp, 3, 1)] == 0.5 * 0.75
    assert "several choices" in mdp.notes["actions"]


def test_a_constant_column_is_no_feature(walk: Path) -> None:
    mdp = read(walk, constants={"last": 3}, reward="steps")
    assert sorted(mdp.feature_names) == ["happy", "x"]
    assert mdp.notes["columns that are no features"] == "same (constant)"


@pytest.mark.parametrize(
    ("goal", "states"),
    [
        ("end", {(3, 0), (3, 1)}),
        ("x=last", {(3, 0), (3, 1)}),
        ('"end" & !"mood"', {(3, 0)}),
        ("x>=last-1 & happy | x=0 & !happy", {(2, 1), (3, 1), (0, 0)}),
        ("!x<2 & true", {(2, 0), (2, 1), (3, 0), (3, 1)}),
        ("-x + 2*1 < 0 | x != 3 & false", {(3, 0), (3, 1)}),
    ],
)
def test_a_goal_is_a_label_or_an_expression_and_ends_the_episode(
    walk: Path, goal: str, states: set[tuple[int, int]]
) -> None:
    mdp = read(walk, constants={"last": 3}, reward="steps", goal=goal, missing="forbid")
    ended = {(x, happy) for x in range(4) for happy in (0, 1) if (mdp.reward[state(mdp, x, happy)] == 0).all()}
    assert ended == states
    for x, happy in states:
        assert mdp.available[state(mdp, x, happy)].all()
        assert all(mdp.transition_matrix(a)[state(mdp, x, happy)].nnz == 0 for a in mdp.action_names)


def test_a_label_as_reward_pays_1_in_its_states_and_once_on_a_goal(walk: Path) -> None:
    free = read(walk, constants={"last": 3}, reward="end")
    assert (free.reward[state(free, 3)] == 1).all()
    assert (free.reward[state(free, 2)] == 0).all()
    mdp = read(walk, constants={"last": 3}, reward="end", goal="end", discount=0.5)
    # from x=2: right with 3/4, else stay: v = 0.5 (3/4 * 1 + 1/4 v), so v = 3/7
    matrix = mdp.transition_matrix("go walker#1").toarray()
    value = np.linalg.solve(
        np.eye(mdp.num_states) - 0.5 * matrix, mdp.reward[:, mdp.action_names.index("go walker#1")]
    )
    assert value[state(mdp, 2)] == pytest.approx(3 / 7, rel=1e-14)


def test_an_action_of_goal_states_alone_is_left_out(walk: Path) -> None:
    assert "walker#6" in read(walk, constants={"last": 3}, reward="steps").action_names
    assert "walker#6" not in read(walk, constants={"last": 3}, reward="steps", goal="end").action_names


def test_dropped_actions_are_gone(walk: Path) -> None:
    mdp = read(walk, constants={"last": 3}, reward="steps", drop_actions=["walker#3", "back"])
    assert mdp.action_names == ("go walker#1", "go walker#5", "walker#4", "walker#6")


def test_a_markov_chain_is_a_process_with_one_action(tmp_path: Path) -> None:
    path = tmp_path / "chain.pm"
    commands = "[up] x=0 -> 1/2:(x'=0) + 1/2:(x'=1); [] x=1 -> (x'=0);"
    path.write_text(f"dtmc\nmodule m\n x:[0..1];\n {commands}\nendmodule\nrewards x=1:1; endrewards")
    mdp = read(path)
    assert mdp.action_names == ("step",)
    assert (mdp.num_states, mdp.num_transitions) == (2, 3)


def test_jani_says_the_same_as_prism(walk: Path, tmp_path: Path) -> None:
    program, _ = stormpy.instantiate_constants(stormpy.parse_prism_program(str(walk)), "last=3")
    jani, _ = program.to_jani([])
    (tmp_path / "walk.jani").write_text(str(jani))
    options: dict[str, Any] = {"reward": "moves", "goal": "x=3 & happy"}
    one, other = read(walk, constants={"last": 3}, **options), read(tmp_path / "walk.jani", **options)
    assert sorted(other.feature_names) == sorted(one.feature_names) == ["happy", "x"]
    assert "_loc_walker (location)" in other.notes["columns that are no features"]
    assert "mood (transient)" in other.notes["columns that are no features"]
    # commands keep their places, though JANI may list them in another order
    assert sorted(map(len, other.action_names)) == sorted(map(len, one.action_names))
    for x, happy in [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]:
        mine, theirs = state(one, x, happy), state(other, x, happy)
        assert sorted(other.reward[theirs]) == sorted(one.reward[mine])


PLAIN: dict[str, Any] = {"constants": {"last": 3}, "reward": "steps"}
BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "constant left open": (WALK, {"reward": "steps"}, "the constant 'last' has no value; pass constants={'last'"),
    "unknown constant": (WALK, {"constants": {"last": 3, "N": 2}}, "no constant 'N'; the file leaves open: last"),
    "constant of the file": (WALK, {"constants": {"slip": 0.5}}, "the constant 'slip' has its value in the file"),
    "word for a constant": (WALK, {"constants": {"last": "many"}}, "Illegal value for integer constant: many"),
    "unknown reward": (WALK, PLAIN | {"reward": "fun"}, "'fun'; rewards: moves, steps; labels: deadlock, end"),
    "one of several unknown": (WALK, PLAIN | {"reward": ["steps", "fun"]}, "no reward structure or label 'fun'"),
    "no reward chosen": (WALK, {"constants": {"last": 3}}, "2 reward structures (moves, steps); choose with"),
    "no such goal": (WALK, PLAIN | {"goal": "finish"}, "'finish' is no label, variable or constant; labels:"),
    "goal in vain": (WALK, PLAIN | {"goal": "x>5"}, "goal='x>5' holds in no reachable state"),
    "goal cut off": (WALK, PLAIN | {"goal": "x=2 &"}, "neither a label nor an expression"),
    "no such action": (WALK, PLAIN | {"drop_actions": ["jump"]}, "there is no action 'jump'; known: back, go"),
    "all actions dropped": (WALK, PLAIN | {"actions": "labels", "drop_actions": ["go"]}, "state 0 has no choice"),
    "syntax": (WALK.replace("->", "=>", 1), PLAIN, "Parsing error at 9:"),
    "no module": ("mdp\n", PLAIN, "model.prism: "),
    "empty": ("", PLAIN, "model.prism: "),
    "no program": ("hello", PLAIN, "model.prism: "),
    "continuous time": ("ctmc\nmodule m\n x:[0..1];\n [] x=0 -> 2:(x'=1);\nendmodule\n", {"reward": "init"},
                        "a model of type CTMC; only MDPs and DTMCs"),
    "no variable": ("mdp\nmodule m\n [a] true -> true;\nendmodule\n", {"reward": "init"}, "no variables"),
    "probabilities of 0.97": (WALK.replace("slip :", "slip-0.03 :"), PLAIN, "model.prism: "),
    "discount of 1": (WALK, PLAIN | {"discount": 1.0}, "discount"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "options", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, text: str, options: dict[str, Any], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.prism"
    path.write_text(text)
    with pytest.raises(SpotreeError) as caught:
        read(path, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "{", '{"jani-version": 1}', "[]"])
def test_a_broken_jani_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "model.jani").write_text(content)
    with pytest.raises(ReadError, match=r"model\.jani: \S"):
        read(tmp_path / "model.jani")


def test_without_stormpy_the_way_to_get_it_is_told(walk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "stormpy", None)
    with pytest.raises(MissingExtraError, match=r"reading walk.prism needs .*pip install 'spotree\[prism\]'"):
        read(walk, **PLAIN)


COUNTER = """
mdp
module counter
  n : [0..5] init {first};
  [go] true -> {update};
endmodule
rewards
  true : n;
endrewards
"""


@pytest.mark.parametrize("suffix", ["prism", "jani"])
@pytest.mark.parametrize(
    ("first", "update", "words"),
    [
        ("0", "(n'=n+1)", "leads to an out-of-bounds value (6) for the variable 'n'"),
        ("0", "(n'=8)", "leads to an out-of-bounds value (8) for the variable 'n'"),  # 8 of 3 bits is 0
        ("0", "(n'=n-8)", "leads to an out-of-bounds value (-8) for the variable 'n'"),
        ("8", "(n'=1)", "the variable 'n' begins at 8, out of its range [0..5]"),
        ("0", "1/2 : (n'=1) + 1/4 : (n'=2)", "(actually sum to 0.75)"),
    ],
)
def test_what_a_model_may_not_do_is_refused_in_one_line(
    tmp_path: Path, first: str, update: str, words: str, suffix: str
) -> None:
    path = tmp_path / f"counter.{suffix}"
    path.write_text(COUNTER.format(first=first, update=update))
    if suffix == "jani":
        program = stormpy.parse_prism_program(str(path), prism_compatibility=True)
        path.write_text(str(program.to_jani([])[0]))
    with pytest.raises(ReadError) as caught:
        read(path)
    assert words in str(caught.value)
    assert f"counter.{suffix}: " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bound", ["lower-bound", "upper-bound"])
def test_a_jani_variable_may_have_one_bound_alone(tmp_path: Path, bound: str) -> None:
    path = tmp_path / "counter.jani"
    (tmp_path / "counter.prism").write_text(COUNTER.format(first=0, update="(n'=1-n)"))
    program = stormpy.parse_prism_program(str(tmp_path / "counter.prism"), prism_compatibility=True)
    document = json.loads(str(program.to_jani([])[0]))
    next(entry for entry in document["variables"] if entry["name"] == "n")["type"].pop(bound)
    path.write_text(json.dumps(document))
    assert read(path).num_states == 2


def test_a_crash_of_storm_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "counter.prism"
    path.write_text(COUNTER.format(first=0, update="1/0 : (n'=1) + 1-1/0 : (n'=2)"))
    with pytest.raises(ReadError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_ctrl_c_ends_storm_as_well(tmp_path: Path) -> None:
    wide = "module m\n" + "".join(f"  v{i} : [0..9];\n  [] v{i}<9 -> (v{i}'=v{i}+1);\n" for i in range(18))
    (tmp_path / "wide.prism").write_text("mdp\n" + wide + "endmodule\nrewards true : 1; endrewards\n")
    code = "import sys, spotree; print('ready', flush=True); spotree.read(sys.argv[1])"
    command = [sys.executable, "-c", code, str(tmp_path / "wide.prism")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) != 0
        assert select.select([process.stdout], [], [], 5)[0]  # nobody holds it any more
        assert process.stdout.read() == b""
