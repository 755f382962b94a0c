"""Every export takes the tree's action in every state, whatever the names; a table of Storm comes back as it was."""

import json
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from spotree import MDP, build_mdp, import_tree, load, read, solve
from spotree.errors import InvalidProblemError, MissingExtraError, ReadError
from spotree.exports.onnx import to_onnx
from spotree.exports.sklearn import to_sklearn
from spotree.exports.storm import to_storm
from spotree.imports.storm import read_scheduler
from spotree.trees.policy import TreePolicy
from spotree.trees.tree import leaf, make_tree

MODELS = ["tiger_vs_antelope", "tictactoe_vs_random", "firewire", "wlan0"]
HOSTILE = [
    "<script>",
    'say "hi"',
    "line\nbreak",
    "\x1b[31mred",
    "x" * 200,
    "дельта",
    "module",
    "a b",
    "a_b",
    "end\0",
]


@pytest.fixture(autouse=True)
def without_warnings_about_names() -> Iterator[None]:
    """scikit-learn warns when a classifier that knows names is given an array without them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


@cache
def solved(name: str) -> tuple[MDP, TreePolicy, list[str]]:
    if name in MODELS[2:]:
        pytest.importorskip("stormpy")
    mdp = load(name)
    policy = solve(mdp, depth=3, max_rounds=1, threads=1).policy
    return mdp, policy, [mdp.action_names[action] for action in policy.actions(mdp.features)]


def of_hostile_names() -> TreePolicy:
    tree = make_tree(
        [0, -1, 3, -1, -1], [0.5, 0, 1.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 2, -1, 3, 9]
    )
    return TreePolicy(tree, tuple(HOSTILE), tuple(HOSTILE))


def run_onnx(content: bytes, features: np.ndarray) -> list[str]:
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return list(session.run(None, {session.get_inputs()[0].name: features})[0])


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("with_model", [False, True])
def test_scikit_learn_predicts_the_action_of_every_state(name: str, with_model: bool) -> None:
    mdp, policy, actions = solved(name)
    classifier = to_sklearn(policy, mdp if with_model else None)
    assert classifier.predict(mdp.features).tolist() == actions
    assert import_tree(classifier).actions(mdp.features).tolist() == policy.actions(mdp.features).tolist()


def test_scikit_learn_and_skl2onnx_take_the_classifier_as_their_own() -> None:
    from skl2onnx import to_onnx as converted
    from sklearn.tree import export_text

    mdp, policy, actions = solved("tiger_vs_antelope")
    classifier = to_sklearn(policy, mdp)
    assert "class: " in export_text(classifier, feature_names=list(policy.feature_names))
    assert classifier.get_depth() == policy.depth
    assert classifier.get_n_leaves() == policy.num_leaves
    assert classifier.tree_.n_node_samples[0] == mdp.num_states
    assert classifier.predict_proba(mdp.features).max(axis=1).min() == 1
    rows = mdp.features.astype(np.float32)
    assert run_onnx(converted(classifier, rows[:1]).SerializeToString(), rows) == actions


def test_plot_tree_draws_the_classifier() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from sklearn.tree import plot_tree

    assert len(plot_tree(to_sklearn(solved("tiger_vs_antelope")[1]))) > 1


@pytest.mark.parametrize("name", MODELS)
def test_onnx_gives_the_action_of_every_state(name: str) -> None:
    mdp, policy, actions = solved(name)
    assert run_onnx(to_onnx(policy), mdp.features) == actions


def test_onnx_compares_in_float64_and_below_the_threshold() -> None:
    policy = TreePolicy(
        make_tree([0, -1, -1], [0.1, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1]), ("x",), ("a", "b")
    )
    rows = np.array([[np.nextafter(0.1, 0)], [0.1], [np.nextafter(0.1, 1)]])
    assert run_onnx(to_onnx(policy), rows) == ["a", "b", "b"]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_single_leaf_is_exported_for_any_number_of_actions(count: int) -> None:
    names = ("a", "b", "c")[:count]
    for action in range(count):
        policy = TreePolicy(leaf(action), ("x",), names)
        assert run_onnx(to_onnx(policy), np.zeros((2, 1))) == [names[action]] * 2
        assert to_sklearn(policy).predict(np.zeros((2, 1))).tolist() == [names[action]] * 2


def test_hostile_names_come_through_scikit_learn_and_onnx_as_they_are() -> None:
    import onnx

    policy = of_hostile_names()
    rows = np.random.default_rng(0).integers(0, 3, size=(50, len(HOSTILE))).astype(float)
    actions = [HOSTILE[action] for action in policy.actions(rows)]
    assert len(set(actions)) == 3
    assert to_sklearn(policy).predict(rows).tolist() == actions
    content = to_onnx(policy)
    assert [name.rstrip("\0") for name in run_onnx(content, rows)] == [name.rstrip("\0") for name in actions]
    said = {entry.key: json.loads(entry.value) for entry in onnx.load_from_string(content).metadata_props}
    assert said == {"feature_names": HOSTILE, "action_names": HOSTILE}


def close_values(low: float, high: float, threshold: float) -> tuple[MDP, TreePolicy]:
    mdp = build_mdp(np.ones((2, 2, 2)) / 2, np.eye(2), 0.9, features=[[low], [high]], feature_names=["x"])
    tree = make_tree([0, -1, -1], [threshold, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])
    return mdp, TreePolicy(tree, mdp.feature_names, mdp.action_names)


def test_a_threshold_is_moved_to_where_float32_tells_the_values_apart() -> None:
    low, high = 1.0, float(np.nextafter(np.float32(1), np.float32(2)))
    mdp, policy = close_values(low, high, np.nextafter(1.0, 2))
    assert to_sklearn(policy, mdp).predict(mdp.features).tolist() == ["action_0", "action_1"]
    mdp, policy = close_values(0.1, 0.2, 0.2)  # at the value itself: float32(0.2) is above 0.2
    assert to_sklearn(policy, mdp).predict(mdp.features).tolist() == ["action_0", "action_1"]


def test_values_that_float32_cannot_tell_apart_are_named() -> None:
    mdp, policy = close_values(1.0, 1.00000000001, 1.000000000005)
    with pytest.raises(
        InvalidProblemError, match=r"feature 'x': the values 1.0 .* and 1.00000000001 .* are the same"
    ):
        to_sklearn(policy, mdp)


@pytest.mark.parametrize(("package", "export"), [("sklearn.tree", to_sklearn), ("onnx", to_onnx)])
def test_a_missing_package_is_named_with_its_extra(
    package: str, export: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"spotree\[sklearn\]"):
        export(of_hostile_names())  # type: ignore[operator]


def test_what_has_no_names_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="Tree cannot be exported"):
        to_onnx(leaf(0))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", MODELS)
def test_a_scheduler_table_holds_the_action_of_every_state_that_offers_it(name: str, tmp_path: Path) -> None:
    mdp, policy, _ = solved(name)
    entries = json.loads(to_storm(policy, mdp))
    actions, available = policy.actions(mdp.features), mdp.available
    assert len(entries) == mdp.num_states
    for state, entry in enumerate(entries):
        assert entry["s"] == dict(zip(mdp.feature_names, mdp.features[state], strict=True))
        labels = [choice["labels"] for choice in entry["c"]]
        if available[state, actions[state]]:
            assert labels == [[mdp.action_names[actions[state]]]]
        else:
            assert labels == [[mdp.action_names[a]] for a in np.flatnonzero(available[state])]
        assert sum(choice["prob"] for choice in entry["c"]) == pytest.approx(1)


def test_a_scheduler_table_comes_back_as_actions(tmp_path: Path) -> None:
    mdp, policy, _ = solved("tictactoe_vs_random")
    path = tmp_path / "scheduler.json"
    path.write_text(to_storm(policy, mdp))
    over = mdp.features[:, 0] == -1
    assert (read_scheduler(path, mdp) == policy.actions(mdp.features))[~over].all()


def test_what_storm_itself_writes_is_read(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    source = tmp_path / "walk.prism"
    source.write_text(
        "mdp\nmodule a\n x : [0..3] init 0;\n b : bool init false;\n [go] x<3 -> 0.5:(x'=x+1)+0.5:(b'=!b);\n"
        " [stay] x<3 -> true;\n [] x=2 -> (x'=0);\n [] x=3 -> true;\n [] x=3 & b -> (b'=false);\n"
        'endmodule\nlabel "goal" = x=3;\n'
    )
    building = stormpy.BuilderOptions()
    for switch in ("state_valuations", "choice_labels", "all_labels", "choice_origins"):
        getattr(building, f"set_build_{switch}")()
    program = stormpy.parse_prism_program(str(source))
    model = stormpy.build_model(program, options=building)
    (asked,) = stormpy.parse_properties('Pmax=? [F "goal"]', program)
    scheduler = stormpy.model_checking(model, asked, extract_scheduler=True).get_scheduler()
    table = tmp_path / "scheduler.json"
    table.write_text(scheduler.to_json_str(model))
    mdp = read(source, reward="reach", goal="goal", discount=1)
    actions = read_scheduler(table, mdp)
    alive = mdp.features[:, list(mdp.feature_names).index("x")] < 3
    assert {mdp.action_names[action] for action in actions[alive]} == {"go"}
    whole = read(source, reward="goal", discount=0.9)
    names = {whole.action_names[action] for action in read_scheduler(table, whole)}
    assert "go" in names
    assert names - {"go"} <= {"a#4", "a#5"}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{}", "must be a list of states"),
        ("[3]", "must have s and c"),
        ('[{"s": {"x": 0}, "c": []}]', "variable 'top_left_free' is None"),
        ('[{"s": 0, "c": [{"labels": ["fly"]}]}]', "the choice 'fly' is no action"),
        ('[{"s": 0, "c": [{"labels": ["center"]}, {"labels": ["top_left"]}]}]', "at random"),
        ('[{"s": 0, "c": "undefined"}]', "nothing is said of state 0"),
        ('[{"s": 99999, "c": []}]', "there is no state 99999"),
    ],
)
def test_a_table_that_is_not_of_the_model_is_refused(content: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "scheduler.json"
    path.write_text(content)
    with pytest.raises(ReadError, match=complaint):
        read_scheduler(path, solved("tictactoe_vs_random")[0])


def test_hostile_names_are_harmless_in_a_scheduler_table() -> None:
    mdp = build_mdp(
        transitions=np.ones((10, 2, 2)) / 2,
        reward=0.0,
        discount=0.9,
        features=np.tile([[0.0], [2.0]], (1, 10)),
        feature_names=HOSTILE,
        action_names=HOSTILE,
    )
    entries = json.loads(to_storm(of_hostile_names(), mdp))
    assert [entry["c"][0]["labels"][0] for entry in entries] == [HOSTILE[2], HOSTILE[9]]
    assert list(entries[0]["s"]) == HOSTILE
