"""Trees of other tools decide as they did there, and what spotree's trees cannot ask is refused in one sentence."""

import json
from pathlib import Path

import numpy as np
import pytest

from spotree import import_tree, load, solve
from spotree.errors import InvalidProblemError, ReadError
from spotree.imports.sklearn import from_sklearn
from spotree.trees.serialize import tree_lists

FEATURES, ACTIONS = ("speed", "gap"), ("brake", "keep", "push")


def split(variable: object, number: object, sign: str = "<=", coefficient: float = 1) -> dict:
    return {"lhs": {"coeff": coefficient, "var": variable}, "op": sign, "rhs": number}


def label(*names: str) -> dict:
    return {"actual_label": list(names), "children": [], "split": None}


def node(asked: dict, *children: dict) -> dict:
    return {"actual_label": None, "children": list(children), "split": asked}


def written(document: object, folder: Path) -> Path:
    path = folder / "controller.json"
    path.write_text(json.dumps(document))
    return path


def test_a_fitted_classifier_decides_the_same() -> None:
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(3)
    rows = rng.normal(size=(400, 2))
    actions = np.array(ACTIONS)[(rows[:, 0] > 0.3).astype(int) + (rows[:, 1] * rows[:, 0] > 0)]
    classifier = DecisionTreeClassifier(max_depth=4, random_state=0).fit(rows, actions)
    policy = import_tree(classifier, FEATURES, ACTIONS)
    asked = rng.normal(size=(2000, 2)).astype(np.float32).astype(float)
    assert [ACTIONS[action] for action in policy.actions(asked)] == classifier.predict(asked).tolist()
    at_thresholds = np.float32(classifier.tree_.threshold[classifier.tree_.feature == 0]).astype(float)
    rows = np.column_stack([at_thresholds, np.zeros(len(at_thresholds))])
    assert [ACTIONS[action] for action in policy.actions(rows)] == classifier.predict(rows).tolist()


def test_classes_may_be_numbers_and_names_of_features_decide_their_order() -> None:
    from sklearn.tree import DecisionTreeClassifier

    classifier = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [2, 0, 2, 0])
    policy = from_sklearn(classifier, FEATURES, ACTIONS)
    assert [ACTIONS[action] for action in policy.actions([[5, 0], [5, 1]])] == ["push", "brake"]
    classifier.feature_names_in_ = np.array(["gap", "speed"], dtype=object)
    policy = from_sklearn(classifier, FEATURES, ACTIONS)
    assert [ACTIONS[action] for action in policy.actions([[0, 5], [1, 5]])] == ["push", "brake"]
    with pytest.raises(InvalidProblemError, match="feature 'gap' is none of the model's"):
        from_sklearn(classifier, ("speed", "colour"), ACTIONS)
    with pytest.raises(InvalidProblemError, match="action 2 is none of the model's"):
        from_sklearn(classifier, FEATURES, ("brake", "keep"))


def test_what_is_no_classifier_is_refused() -> None:
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(InvalidProblemError, match="holds no tree"):
        import_tree(DecisionTreeClassifier(), FEATURES, ACTIONS)
    with pytest.raises(InvalidProblemError, match="2 outputs"):
        from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [[0, 1], [1, 0]]), ("x",), ACTIONS)


def test_a_tree_of_dtcontrol_decides_the_same(tmp_path: Path) -> None:
    document = node(split("gap", "2.5"), node(split(0, 30), label("keep"), label("brake", "keep")), label("2"))
    policy = import_tree(written(document, tmp_path), FEATURES, ACTIONS)
    rows = [[30, 2.5], [31, 0], [0, 2.6]]
    assert [ACTIONS[action] for action in policy.actions(rows)] == ["keep", "brake", "push"]
    two_sides = {"split": split("gap", 1), "left": label("keep"), "right": label("push")}
    policy = import_tree(written(two_sides, tmp_path), FEATURES, ACTIONS)
    assert policy.actions([[0, 1], [0, 2]]).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (node(split("gap", "red", "=="), label("keep"), label("push")), "a categorical split with '=='"),
        (node(split("gap", "", "multi"), label("keep"), label("push")), "a categorical split with 'multi'"),
        (node(split("gap", 1, coefficient=2), label("keep"), label("push")), "a linear split"),
        (
            node(split(0, 1) | {"lhs": [split(0, 1)["lhs"], split(1, 1)["lhs"]]}, label("keep"), label("push")),
            "a linear split of 2 variables",
        ),
        (node(split("colour", 1), label("keep"), label("push")), "feature 'colour' is none of the model's"),
        (node(split("gap", "nan"), label("keep"), label("push")), "a linear split|no number"),
        (node(split("gap", 1), label("fly"), label("push")), "action 'fly' is none of the model's"),
        (node(split("gap", 1), label("keep"), label("push"), label("keep")), "has 3 children"),
        (node(split("gap", 1), label("keep"), label()), "a leaf without a label"),
        ({"format": "spotree-solution", "version": 1}, "'value' is missing"),
        ({"nodes": []}, "neither spotree nor dtControl wrote it"),
        ([], "neither spotree nor dtControl wrote it"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_tree_of_ours_is_refused_in_one_line(
    document: object, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(ReadError, match=complaint) as raised:
        import_tree(written(document, tmp_path), FEATURES, ACTIONS)
    assert "\n" not in str(raised.value)
    assert str(tmp_path) in str(raised.value)


def test_a_solution_file_is_matched_by_names(tmp_path: Path) -> None:
    mdp = load("tiger_vs_antelope")
    solution = solve(mdp, depth=2, max_rounds=1, threads=1)
    solution.save(tmp_path / "run.json")
    policy = import_tree(tmp_path / "run.json")
    assert policy.actions(mdp.features).tolist() == solution.actions(mdp.features).tolist()
    turned = import_tree(tmp_path / "run.json", mdp.feature_names[::-1], mdp.action_names[::-1])
    names = [turned.action_names[action] for action in turned.actions(mdp.features[:, ::-1])]
    assert names == [mdp.action_names[action] for action in solution.actions(mdp.features)]
    assert import_tree(solution).tree is solution.policy.tree
    with pytest.raises(ReadError, match="of another model"):
        import_tree(tmp_path / "run.json", FEATURES, ACTIONS)


def test_a_tree_file_needs_no_more_than_a_tree_and_names(tmp_path: Path) -> None:
    mdp = load("tiger_vs_antelope")
    policy = solve(mdp, depth=2, max_rounds=1, threads=1).policy
    document = {
        "format": "spotree-tree",
        "version": 1,
        "tree": tree_lists(policy.tree),
        "feature_names": list(policy.feature_names),
        "action_names": list(policy.action_names),
    }
    again = import_tree(written(document, tmp_path), mdp.feature_names, mdp.action_names)
    assert again.actions(mdp.features).tolist() == policy.actions(mdp.features).tolist()
    document["tree"]["feature"][0] = 99
    with pytest.raises(ReadError, match="has feature 99"):
        import_tree(written(document, tmp_path))
