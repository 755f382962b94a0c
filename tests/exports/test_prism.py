"""The exported program is the policy's Markov chain: rebuilt by Storm and solved here, it is worth the same."""

import re
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from spotree import MDP, build_mdp, evaluate, load, models, read, solve
from spotree.errors import InfeasibleError, ReadError
from spotree.exports.prism.export import to_prism
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import leaf, make_tree

stormpy = pytest.importorskip("stormpy")

SMALL = """mdp
const int N;
global g : [0..1] init 0;
module a
  x : [0..N] init 0;
  b : bool init false;
  [go] x<N -> 0.9 : (x'=x+1) + 0.1 : (b'=!b);
  [go] x<N & b -> (x'=0) & (b'=false);
  [rest] mod(x, 2)=1 -> (b'=true);
  [] x=N -> true;
  [] x=N-1 & b & g=1 -> (x'=N);
  [] g=0 & x=1 -> (g'=1);
endmodule
module watch
  y : [0..1] init 0;
  [go] y=0 -> (y'=1);
  [go] pow(2, y)>=1 -> (y'=0);
  [] y=1 & x=2 -> (y'=0);
endmodule
rewards "cost"
  b : 1/3;
  [go] true : 1;
  [] x<N : x=1 ? 5 : 2;
  [rest] x>0 : 0.1;
endrewards
label "there" = x=N;
"""
READING = {"constants": {"N": 4}, "reward": "cost", "goal": "there"}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.prism"
    path.write_text(SMALL)
    return path


@cache
def solved(name: str) -> tuple[MDP, TreePolicy]:
    mdp = load(name)
    return mdp, solve(mdp, depth=3, max_rounds=1, threads=1).policy


def parsed(text: str, folder: Path):
    path = folder / "policy.prism"
    path.write_text(text)
    return stormpy.parse_prism_program(str(path), prism_compatibility=True)


def discounted(text: str, discount: float, folder: Path) -> float:
    """The value of the rebuilt chain by a linear solve of our own."""
    building = stormpy.BuilderOptions()
    building.set_build_all_reward_models()
    building.set_build_all_labels()
    model = stormpy.build_model(parsed(text, folder), options=building)
    matrix = model.transition_matrix
    entries = [(row, e.column, e.value) for row in range(model.nr_states) for e in matrix.get_row(row)]
    row, column, value = zip(*entries, strict=True)
    chain = sp.csr_matrix((value, (row, column)), shape=(model.nr_states,) * 2)
    paid = model.reward_models["spotree"]
    reward = np.zeros(model.nr_states)
    reward += np.array(paid.state_rewards) if paid.has_state_rewards else 0
    reward += np.array(paid.state_action_rewards) if paid.has_state_action_rewards else 0
    return float(spsolve(sp.eye(model.nr_states, format="csc") - discount * chain.tocsc(), reward)[0])


def storms(text: str, asked: str, folder: Path) -> float:
    """What Storm's model checker says, in exact arithmetic."""
    program = parsed(text, folder)
    properties = stormpy.parse_properties(asked, program)
    model = stormpy.build_model[stormpy.Rational](program, properties)
    return float(Fraction(str(stormpy.model_checking(model, properties[0]).get_value(model.initial_states[0]))))


def shown(mdp: MDP, policy: TreePolicy) -> float:
    """The value as the program has it: costs are positive."""
    value = evaluate(mdp, policy)
    return -value if mdp.sense == "min" else value


@pytest.mark.parametrize(
    "name", ["firewire", "wlan0", "csma_2_2", "csma_2_2_paper", "tiger_vs_antelope", "tictactoe_vs_random"]
)
def test_the_rebuilt_chain_of_a_shipped_model_is_worth_what_the_policy_is(name: str, tmp_path: Path) -> None:
    mdp, policy = solved(name)
    text = to_prism(policy, mdp)
    assert discounted(text, mdp.discount, tmp_path) == pytest.approx(shown(mdp, policy), rel=1e-9)
    assert "Cdiscount=0.99" in text


@pytest.mark.parametrize("name", ["wlan0", "csma_2_2", "tictactoe_vs_random"])
def test_with_the_discount_in_the_model_the_value_is_a_total_reward(name: str, tmp_path: Path) -> None:
    mdp, policy = solved(name)
    text = to_prism(policy, mdp, discount_in_model=True)
    assert discounted(text, 1 - 1e-14, tmp_path) == pytest.approx(shown(mdp, policy), rel=1e-9)
    assert 'R{"spotree"}=? [ F "ended" ]' in text


UNDISCOUNTED = [
    ("firewire", {"delay": 3}, {"reward": "time", "sense": "min", "goal": "done"}, 'R{"spotree"}=? [F "ended"]'),
    ("csma", {"backoff_limit": 2}, {"reward": "reach", "goal": "all_delivered"}, 'P=? [F "goal"]'),
    ("wlan", {"max_backoff": 0, "max_collisions": 0}, {"reward": "reach", "goal": "one_sent"}, 'P=? [F "goal"]'),
]


@pytest.mark.parametrize(("name", "constants", "options", "asked"), UNDISCOUNTED, ids=lambda each: str(each)[:8])
@pytest.mark.parametrize("missing", ["random", "end"])
def test_undiscounted_costs_and_probabilities_are_what_storm_computes(
    name: str, constants: dict, options: dict, asked: str, missing: str, tmp_path: Path
) -> None:
    source = str(files("spotree.models") / f"{name}.prism")
    asks = {"constants": constants, "actions": "labels"} | options
    ends = {"missing": missing} | ({"missing_reward": -1e4} if missing == "end" and "sense" in options else {})
    ends |= {"missing_reward": 0.0} if missing == "end" and "sense" not in options else {}
    mdp = read(source, discount=1, **asks, **ends)
    policy = solve(mdp, depth=3, max_rounds=1, threads=1).policy
    text = to_prism(policy, mdp, source, **{key: asks[key] for key in ("constants", "actions", "reward", "goal")})
    assert storms(text, asked, tmp_path) == pytest.approx(shown(mdp, policy), rel=1e-9)


@pytest.mark.parametrize("missing", ["random", "end", "stay"])
@pytest.mark.parametrize("actions", ["labels", "commands"])
@pytest.mark.parametrize("sense", ["max", "min"])
@pytest.mark.parametrize("discount_in_model", [False, True])
def test_every_rule_for_missing_actions_and_both_action_mappings(
    missing: str, actions: str, sense: str, discount_in_model: bool, small: Path, tmp_path: Path
) -> None:
    ends = {"missing_reward": -7} if missing == "end" else {}
    mdp = read(small, **READING, actions=actions, missing=missing, sense=sense, discount=0.9, **ends)
    rng = np.random.default_rng(5)
    for _ in range(2):
        actions_of_leaves = rng.integers(mdp.num_actions, size=4)
        feature = [rng.integers(mdp.num_features) for _ in range(3)]
        tree = make_tree(
            [feature[0], feature[1], feature[2], -1, -1, -1, -1],
            [*(0.5 if mdp.feature_names[j] != "x" else float(rng.integers(4)) + 0.5 for j in feature), 0, 0, 0, 0],
            [1, 3, 5, -1, -1, -1, -1],
            [2, 4, 6, -1, -1, -1, -1],
            [-1, -1, -1, *actions_of_leaves],
        )
        policy = TreePolicy(tree, mdp.feature_names, mdp.action_names)
        text = to_prism(policy, mdp, small, **READING, actions=actions, discount_in_model=discount_in_model)
        again = discounted(text, 1 - 1e-14 if discount_in_model else 0.9, tmp_path)
        assert again == pytest.approx(shown(mdp, policy), rel=1e-9)


@pytest.mark.parametrize("missing", ["random", "stay"])
def test_an_undiscounted_probability_between_0_and_1_is_what_storm_computes(
    missing: str, small: Path, tmp_path: Path
) -> None:
    """`go` is taken until b is true, then `rest`, which not every state offers."""
    asks = {"constants": {"N": 4}, "reward": "reach", "goal": "x=3 & b"}
    mdp = read(small, **asks, actions="labels", missing=missing, discount=1)
    go, rest, b = mdp.action_names.index("go"), mdp.action_names.index("rest"), mdp.feature_names.index("b")
    tree = make_tree([b, -1, -1], [0.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, go, rest])
    policy = TreePolicy(tree, mdp.feature_names, mdp.action_names)
    text = to_prism(policy, mdp, small, **asks, actions="labels")
    assert 0.05 < shown(mdp, policy) < 0.95
    assert storms(text, 'P=? [F "goal"]', tmp_path) == pytest.approx(shown(mdp, policy), rel=1e-9)


def test_a_random_action_is_drawn_by_action_and_not_by_choice(small: Path, tmp_path: Path) -> None:
    """Where a label covers several choices, enabled commands alone would be drawn too often."""
    mdp = read(small, **READING, actions="labels", missing="random", discount=0.9)
    policy = TreePolicy(leaf(mdp.action_names.index("unlabelled")), mdp.feature_names, mdp.action_names)
    text = to_prism(policy, mdp, small, **READING, actions="labels")
    without = re.sub(r"^  \[\w+\] missing.*\n", "", text, flags=re.MULTILINE)
    assert without != text
    assert discounted(text, 0.9, tmp_path) == pytest.approx(shown(mdp, policy), rel=1e-9)
    assert discounted(without, 0.9, tmp_path) != pytest.approx(shown(mdp, policy), rel=1e-3)


def test_options_that_are_not_those_of_the_model_are_found_out(small: Path) -> None:
    mdp = read(small, **READING, missing="random", discount=0.9)
    policy = TreePolicy(leaf(mdp.num_actions - 1), mdp.feature_names, mdp.action_names)
    to_prism(policy, mdp, small, **READING)
    with pytest.raises(ReadError, match=r"the exported program is worth .*, the policy"):
        to_prism(policy, mdp, small, **(READING | {"goal": "x=2"}))
    with pytest.raises(ReadError, match="no constant 'M'"):
        to_prism(policy, mdp, small, **(READING | {"constants": {"M": 4}}))
    with pytest.raises(ReadError, match="goal='there' means nothing for an export without"):
        to_prism(policy, mdp, goal="there")
    with pytest.raises(ReadError, match="not a PRISM file"):
        to_prism(policy, mdp, "small.jani")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("label ", "init x=0 endinit\nlabel "), "init ... endinit"),
        (("[rest] x>0 : 0.1", "[rest] x>0 -> x>1 : 0.1"), "reward|Parsing"),
        (("x=N;\n", "x=N;\nsystem a ||| watch endsystem\n"), "system"),
        (("mdp", "dtmc"), "leaves nothing to a policy"),
        (('rewards "cost"', 'rewards "spotree"\n true : 1;\nendrewards\nrewards "cost"'), "has a reward structure"),
        (("[rest]", "[unlabelled]"), "a label is called 'unlabelled'"),
    ],
)
def test_what_cannot_be_exported_is_named_in_one_line(change: tuple[str, str], complaint: str, small: Path) -> None:
    mdp = read(small, **READING, missing="random", discount=0.9)
    policy = TreePolicy(leaf(0), mdp.feature_names, mdp.action_names)
    small.write_text(re.sub(r"(init \d|init false);", ";", SMALL).replace(*change) if "endinit" in change[1]
                     else SMALL.replace(*change))  # fmt: skip
    with pytest.raises(ReadError, match=complaint) as raised:
        to_prism(policy, mdp, small, **READING)
    assert "\n" not in str(raised.value)


def test_a_forbidden_action_exports_nothing(small: Path) -> None:
    mdp = read(small, **READING, missing="forbid", discount=0.9)
    policy = TreePolicy(leaf(mdp.action_names.index("rest")), mdp.feature_names, mdp.action_names)
    with pytest.raises(InfeasibleError):
        to_prism(policy, mdp, small, **READING)


def test_the_property_at_the_top_is_what_storm_answers_with_the_value(tmp_path: Path) -> None:
    mdp, policy = solved("csma_2_2")
    text = to_prism(policy, mdp)
    asked = re.search(r"^// +(R.*)$", text, flags=re.MULTILINE)[1]
    worth = float(re.search(r"Expected reward: ([\d.e-]+)\.", text)[1])
    program = parsed(text, tmp_path)
    properties = stormpy.parse_properties(asked, program)
    model = stormpy.build_model(program, properties)
    storms_own = stormpy.model_checking(model, properties[0]).get_value(model.initial_states[0])
    assert worth == pytest.approx(evaluate(mdp, policy), rel=1e-12)
    assert storms_own == pytest.approx(worth, rel=1e-5)  # Cdiscount is iterated in floats


def test_a_policy_that_may_never_end_costs_infinitely_much_in_both(small: Path, tmp_path: Path) -> None:
    reading = READING | {"goal": "x=N"}
    mdp = read(small, **reading, missing="stay", sense="min", discount=1, actions="labels")
    policy = TreePolicy(leaf(mdp.action_names.index("unlabelled")), mdp.feature_names, mdp.action_names)
    assert evaluate(mdp, policy) == -np.inf
    text = to_prism(policy, mdp, small, **reading, actions="labels")
    assert "Expected cost: infinite" in text
    program = parsed(text, tmp_path)
    properties = stormpy.parse_properties('R{"spotree"}=? [F "ended"]', program)
    model = stormpy.build_model(program, properties)
    assert stormpy.model_checking(model, properties[0]).get_value(model.initial_states[0]) == np.inf


HOSTILE = [
    "<script>",
    'say "hi"',
    "line\nbreak",
    "\x1b[31mred",
    "x" * 200,
    "x" * 199 + "y",
    "дельта",
    "module",
    "a b",
    "a_b",
]


def test_hostile_names_are_harmless(tmp_path: Path) -> None:
    count = len(HOSTILE)
    rng = np.random.default_rng(1)
    mdp = build_mdp(
        transitions=rng.dirichlet(np.ones(3), size=(count, 3)),
        reward=rng.normal(size=(3, count)),
        discount=0.9,
        features=rng.permuted(np.tile(np.arange(3), (count, 1)), axis=1).T,
        feature_names=HOSTILE,
        action_names=HOSTILE,
        name="evil\nmodule x",
    )
    tree = make_tree(
        [0, -1, 1, -1, -1], [0.5, 0, 0.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 7, -1, 8, 9]
    )
    policy = TreePolicy(tree, mdp.feature_names, mdp.action_names)
    text = to_prism(policy, mdp)
    assert discounted(text, mdp.discount, tmp_path) == pytest.approx(evaluate(mdp, policy), rel=1e-9)
    assert text.isascii() or "дельта" in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)


def test_real_features_and_an_uneven_start_use_the_number_of_the_state(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    mdp = build_mdp(
        transitions=0.75 * rng.dirichlet(np.ones(5), size=(2, 5)),
        reward=rng.normal(size=(5, 2)),
        discount=0.95,
        features=rng.normal(size=(5, 2)),
        initial=[0.5, 0.125, 0.375, 0, 0],
        ends=np.full((5, 2), 0.25),
        sense="min",
    )
    policy = TreePolicy(make_tree([0, -1, -1], [0.0, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1]), *names(mdp))
    text = to_prism(policy, mdp)
    assert " state : [0..4]" in text
    assert discounted(text, mdp.discount, tmp_path) == pytest.approx(-evaluate(mdp, policy), rel=1e-9)
    total = to_prism(policy, mdp, discount_in_model=True)
    assert storms(total, 'R{"spotree"}=? [F "ended"]', tmp_path) == pytest.approx(-evaluate(mdp, policy), rel=1e-9)


def names(mdp: MDP) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return mdp.feature_names, mdp.action_names


def test_shipped_protocols_know_their_text_and_others_have_none() -> None:
    assert "module channel" in models.prism_source("wlan0").text
    assert models.prism_source("wlan0").options.goal == "all_sent"
    assert models.prism_source("tiger_vs_antelope") is None


def test_names_of_the_program_are_never_taken_twice(small: Path, tmp_path: Path) -> None:
    text = SMALL
    for old, new in {
        "x": "missing",
        "y": "ended",
        "b": "running",
        "g": "toss",
        "there": "goal",
        "a": "tree_go",
    }.items():
        text = re.sub(rf"\b{old}\b", new, text)
    small.write_text(text)
    reading = READING | {"goal": "goal"}
    mdp = read(small, **reading, actions="labels", discount=0.9)
    policy = TreePolicy(leaf(mdp.action_names.index("go")), mdp.feature_names, mdp.action_names)
    program = to_prism(policy, mdp, small, **reading, actions="labels")
    assert "ended_2 : bool init false" in program
    assert discounted(program, 0.9, tmp_path) == pytest.approx(shown(mdp, policy), rel=1e-9)
