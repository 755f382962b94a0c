"""Goals and avoided states of PRISM and JANI files: parsed by Storm, named in the answer, sound for costs."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.readers.corpus.prism import walk

import spotree
from spotree.errors import ReadError, SpotreeError
from spotree.readers.expression import states_where
from spotree.readers.options import ReadOptions
from spotree.readers.storm.reader import build_symbolic
from spotree.report.summary import setup_words
from spotree.results.metrics import aim_text

stormpy = pytest.importorskip("stormpy", reason="the extra 'prism' is not installed")
# From 0 to the goal 3: 0.9 at once, else into the pit 4; or by 1 and 2, surely but slowly.
WALK = """mdp
formula low = mod(s,3)=0 & s<3;
module walk
  s : [0..4] init 0;
  late : bool init false;
  [short] s=0 -> 0.9:(s'=3) + 0.1:(s'=4);
  [long] s<3 -> 0.5:(s'=s+1) + 0.5:(late'=true);
  [stop] s>2 -> true;
endmodule
label "done" = s=3;
label "pit" = s=4;
label "late" = s=2;
rewards "time"
  s<3 : 1;
endrewards
rewards "coins"
  [long] true : 1;
endrewards
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "walk.prism"
    file.write_text(WALK)
    return file


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("finish", "goal='finish': 'finish' is no label, variable or constant; labels: deadlock, done, init, late"),
        ('"finish"', "goal='\"finish\"': no label 'finish'; known: deadlock, done, init, late, pit"),
        ("s=3 &", "goal='s=3 &' is neither a label nor an expression: Parsing error"),
        ("s", "goal='s' is neither a label nor an expression: Expected expression s to be of boolean type"),
        ("", "goal='' is neither a label nor an expression"),
        ("P>0.5 [F s=3]", "goal='P>0.5 [F s=3]' is a property; give the expression of its states alone"),
        ("(s=1) U (s=3)", "goal='(s=1) U (s=3)' is neither a label nor an expression"),
        ("s=1; s=2", "goal='s=1; s=2' is neither a label nor an expression"),
        ("s=1 // true", "goal='s=1 // true' is neither a label nor an expression"),
        ("s=99999999999999999999", "64-bit integer overflow"),
        ("s>9", "goal='s>9' holds in no reachable state"),
        ("s=1/0", "goal='s=1/0' holds in no reachable state"),
        ("late", "late is a label and a variable or formula, and they hold in different states; write '\"late\"'"),
        ("(" * 3000 + "s=3" + ")" * 3000, "walk.prism: "),
        ("s=\x003", "neither a label nor an expression"),
        ("ş=3", "neither a label nor an expression"),
    ],
    ids=lambda text: text[:20].replace("\x00", "NUL"),
)
def test_a_goal_that_means_nothing_is_refused_in_one_line(
    path: Path, goal: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for option in ("goal",) if "reachable" in words else ("goal", "avoid"):
        other = {} if option == "goal" else {"goal": "s=3"}
        with pytest.raises(ReadError) as caught:
            spotree.read(path, reward="reach", **{option: goal}, **other)
        assert words.replace("goal=", f"{option}=") in str(caught.value)
        assert "\n" not in str(caught.value)
        assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("goal", "states"), [('"late"', 2), ("(late)", 5), ("late=true", 5), ('"late" & late', 1), ('"init" | late', 6)]
)
def test_a_label_and_a_variable_of_one_name_are_told_apart(path: Path, goal: str, states: int) -> None:
    mdp = spotree.read(path, goal=goal, reward="reach")
    assert mdp.notes["goal"].startswith(f"{goal}: {states} state")


@pytest.mark.parametrize("goal", ["true", "s>=0", '"done" | !"done"'])
@pytest.mark.parametrize(
    ("reward", "sense", "value"),
    [("reach", "max", 1), ("reach", "min", -1), ("time", "min", 0), ("steps", "max", 0)],
)
@pytest.mark.parametrize("discount", [0.9, 1])
def test_a_goal_that_holds_everywhere_is_reached_at_once(
    path: Path, goal: str, reward: str, sense: Any, value: float, discount: float
) -> None:
    mdp = spotree.read(path, goal=goal, reward=reward, sense=sense, discount=discount)
    assert spotree.optimum(mdp).value == value
    if goal == "true":
        found = spotree.solve(mdp, depth=1, time_limit=1)
        assert (found.value, found.policy.num_leaves) == (value, 1)


@pytest.mark.parametrize("discount", [0.5, 1])
def test_steps_are_counted_where_the_file_has_no_rewards(tmp_path: Path, discount: float) -> None:
    file = tmp_path / "line.prism"
    file.write_text("mdp\nmodule m\ns:[0..3] init 0;\n[a] s<3 -> (s'=s+1);\n[b] s=3 -> true;\nendmodule\n")
    mdp = spotree.read(file, reward="steps", goal="s=3", sense="min", discount=discount)
    assert -spotree.optimum(mdp).value == sum(discount**k for k in range(3))
    assert mdp.notes["reward"] == "-(steps)"


def test_steps_are_storms_number_of_steps_and_can_be_added(path: Path) -> None:
    fewest = spotree.read(path, reward="steps", goal="s>2", sense="min", discount=1)
    assert -spotree.optimum(fewest).value == 1
    most = spotree.read(path, reward="steps", goal="s>2", drop_actions=["short"], missing="forbid", discount=1)
    assert spotree.optimum(most).value == pytest.approx(6)
    both = spotree.read(path, reward=["steps", "coins"], goal="s>2", drop_actions=["short"], discount=0.5)
    assert both.reward[0].max() == 2


@pytest.mark.parametrize("declared", ['rewards "steps"\n  s<3 : 7;\nendrewards\n', 'label "steps" = s=0;\n'])
def test_what_the_file_calls_steps_wins(path: Path, declared: str) -> None:
    path.write_text(WALK + declared)
    mdp = spotree.read(path, reward="steps", goal="s>2", discount=0.5)
    assert set(np.unique(mdp.reward).tolist()) <= ({0.0, 7.0} if "rewards" in declared else {0.0, 1.0})
    assert (mdp.reward == (7 if "rewards" in declared else 1)).any()
    assert (mdp.reward[mdp.features[:, list(mdp.feature_names).index("s")] == 1] != 1).all()


def test_avoided_states_end_the_episode_with_nothing(path: Path) -> None:
    mdp = spotree.read(path, goal="done", avoid="(late) | s=4", reward="reach", discount=1, missing="forbid")
    assert spotree.optimum(mdp).value == pytest.approx(0.9)
    assert spotree.optimum(spotree.read(path, goal="done", reward="reach", discount=1)).value == pytest.approx(1)
    column = list(mdp.feature_names).index("s")
    over = mdp.features[:, column] == 4
    assert over.any()
    for action in mdp.action_names:
        assert mdp.transition_matrix(action)[over].nnz == 0
    assert (mdp.reward[over] == 0).all()


def test_a_goal_counts_where_it_is_to_be_avoided_as_well(path: Path) -> None:
    mdp = spotree.read(path, goal="s=3", avoid="s>=3", reward="reach", discount=1)
    assert spotree.optimum(mdp).value == pytest.approx(1)
    assert mdp.notes["avoid"] == "s>=3: 2 states, where the episode ends with nothing more"


def test_what_is_avoided_may_be_nowhere(path: Path) -> None:
    mdp = spotree.read(path, goal="s=3", avoid="s>4", reward="reach", discount=1)
    assert mdp.notes["avoid"].startswith("s>4: 0 states")
    assert spotree.optimum(mdp).value == pytest.approx(1)


def test_everything_but_the_goal_may_be_avoided(path: Path) -> None:
    mdp = spotree.read(path, goal="s=3", avoid="true", reward="reach", discount=1)
    assert spotree.optimum(mdp).value == 0


def test_rewards_are_earned_until_an_avoided_state(path: Path) -> None:
    mdp = spotree.read(path, avoid="(late) | s>2", reward="coins", discount=1, missing="forbid")
    assert spotree.optimum(mdp).value == pytest.approx(1 + 0.5 + 0.25)


@pytest.mark.parametrize("reward", ["time", "steps", "coins", "done"])
def test_costs_with_avoided_states_are_refused(path: Path, reward: str) -> None:
    options: dict[str, Any] = {"goal": "s=4", "avoid": "s=3", "reward": reward, "sense": "min"}
    if reward == "done":  # paid in goals alone: it is a probability
        assert spotree.read(path, **options, discount=1).notes["avoid"].startswith("s=3")
        return
    with pytest.raises(
        ReadError, match=r"walk\.prism: avoid='s=3': an avoided state ends the episode, so with costs"
    ):
        spotree.read(path, **options)


def test_negative_rewards_with_avoided_states_are_refused(path: Path) -> None:
    path.write_text(WALK.replace("[long] true : 1;", "[long] s=1 : -0.5;\n  [long] s=0 : 2;"))
    with pytest.raises(ReadError, match="cheaper to run into one"):
        spotree.read(path, goal="s=3", avoid="s=4", reward="coins")
    # in a state that is avoided itself, nothing is paid any more
    assert spotree.read(path, goal="s=3", avoid="s=4 | s=1", reward="coins").num_states > 0


def test_avoiding_is_named_in_notes_aim_and_report_and_survives_files(path: Path, tmp_path: Path) -> None:
    mdp = spotree.read(path, goal="done", avoid='"pit" | s=1 ? true : false', reward="reach", discount=1)
    assert aim_text(mdp.sense, mdp.notes).endswith('until done avoiding "pit" | s=1 ? true : false')
    found = spotree.solve(mdp, depth=1, time_limit=1)
    found.save(tmp_path / "run.json")
    words = dict(setup_words(spotree.Solution.load(tmp_path / "run.json")))
    assert words["avoid"].startswith('"pit" | s=1 ? true : false: 4 states')
    for suffix, write in ((".npz", spotree.write_npz), (".umb", spotree.write_umb)):
        write(mdp, tmp_path / f"copy{suffix}")
        again = spotree.read(tmp_path / f"copy{suffix}")
        assert again.notes["avoid"] == mdp.notes["avoid"]
        assert spotree.optimum(again).value == spotree.optimum(mdp).value


def number(dice: random.Random, depth: int) -> str:
    if depth == 0 or dice.random() < 0.5:
        return dice.choice(["s", "t", "s+t", "s-1", "2*t", "-s", "s/2", str(dice.randint(0, 3))])
    return f"({number(dice, depth - 1)}{dice.choice('+-*')}{number(dice, depth - 1)})"


def truth(dice: random.Random, depth: int) -> str:
    kind = dice.random()
    if depth == 0 or kind < 0.25:
        compared = f"{number(dice, 1)}{dice.choice(['=', '!=', '<', '<=', '>', '>='])}{number(dice, 1)}"
        return dice.choice(["b", '"l"', "true", '"init"', compared, compared])
    if kind < 0.5:
        return f"!{truth(dice, depth - 1)}" if kind < 0.4 else f"({truth(dice, depth - 1)})"
    return f"{truth(dice, depth - 1)} {dice.choice('&|')} {truth(dice, depth - 1)}"


@pytest.mark.parametrize("seed", range(4))
def test_storm_and_the_parser_for_files_without_a_program_agree(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "m.prism"
    variables = "s : [-2..2] init 0;\nt : [0..2] init 0;\nb : bool init false;\n"
    commands = "[a] s<2 -> (s'=s+1);\n[b] s>-2 -> (s'=s-1);\n[c] t<2 -> (t'=t+1);\n[d] true -> (b'=!b);\n"
    file.write_text(f'mdp\nmodule m\n{variables}{commands}endmodule\nlabel "l" = s=t;\n')
    dice = random.Random(seed)
    for _ in range(20):
        text = truth(dice, 3)
        found = build_symbolic(file, ReadOptions(goal=text))
        model = found.model
        ours = states_where(text, model.labels, model.variables, model.num_states)
        assert found.states["goal"].tolist() == ours.tolist(), text


def test_files_without_a_program_take_avoid_too(path: Path, tmp_path: Path) -> None:
    built = stormpy.build_model(
        stormpy.parse_prism_program(str(path)),
        options=_all_of_it(),
    )
    stormpy.io.export_to_umb(built, str(tmp_path / "walk.umb"))
    options: dict[str, Any] = {"goal": "done", "avoid": "late | pit", "reward": "reach", "discount": 1}
    with pytest.raises(SpotreeError, match=r"avoid='late \| pit': 'pit' is no label, variable or constant"):
        spotree.read(tmp_path / "walk.umb", **options)
    mdp = spotree.read(tmp_path / "walk.umb", **{**options, "avoid": 'late | "pit"'}, missing="forbid")
    assert spotree.optimum(mdp).value == pytest.approx(0.9)


def _all_of_it() -> Any:
    building = stormpy.BuilderOptions()
    building.set_build_all_labels()
    building.set_build_state_valuations()
    building.set_build_choice_labels()
    return building


@pytest.mark.parametrize("option", ["goal", "avoid"])
def test_models_without_labels_refuse_conditions(option: str, tmp_path: Path) -> None:
    spotree.write_npz(spotree.load("frozenlake_4x4"), tmp_path / "lake.npz")
    with pytest.raises(ReadError, match=f"{option}='row=3' means nothing for an .npz file"):
        spotree.read(tmp_path / "lake.npz", **{option: "row=3"})


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({"goal": "low & late | s=3", "avoid": '"pit"', "reward": "reach"}, "random"),
        ({"goal": "s=3", "avoid": "(late) <=> s=1", "reward": "coins"}, "random"),
        ({"goal": "s>2", "reward": "steps", "sense": "min"}, "stay"),
    ],
)
@pytest.mark.parametrize("discount_in_model", [False, True])
def test_an_exported_program_has_the_goal_the_avoided_states_and_the_steps(
    path: Path, options: dict[str, Any], missing: Any, discount_in_model: bool
) -> None:
    mdp = spotree.read(path, **options, discount=0.9, missing=missing)
    found = spotree.solve(mdp, depth=2, time_limit=1)
    asked = {name: value for name, value in options.items() if name != "sense"}
    text = spotree.export(found, "prism", model=mdp, source=path, discount_in_model=discount_in_model, **asked)
    assert "formula avoid = " in text  # `export` itself holds the value of the program against that of the policy


def test_a_file_with_rounded_sums_is_exported(tmp_path: Path) -> None:
    file = tmp_path / "odd.prism"
    file.write_text(walk("0.8:(s'=3) + 0.1:(s'=4) + 0.1:(s'=0)"))
    mdp = spotree.read(file, goal="done", reward="reach", discount=1)
    found = spotree.solve(mdp, depth=2, time_limit=1)
    assert "tree_" in spotree.export(found, "prism", model=mdp, source=file, goal="done", reward="reach")
