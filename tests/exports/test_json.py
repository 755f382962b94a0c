"""The tree as JSON: what the schema says, exactly the same when read back, and refused where it is broken."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import spotree
from spotree.errors import ReadError
from spotree.exports.json import document, to_json
from spotree.trees.tree import make_tree


def same(one: spotree.TreePolicy, other: spotree.TreePolicy) -> bool:
    arrays = ("feature", "threshold", "left", "right", "action")
    return (
        all(np.array_equal(getattr(one.tree, part), getattr(other.tree, part)) for part in arrays)
        and one.feature_names == other.feature_names
        and one.action_names == other.action_names
    )


def test_a_tree_is_read_back_as_it_was(case, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    case.policy.to_json(path)
    assert path.read_bytes().isascii()
    for read in (spotree.read_tree, spotree.TreePolicy.load):
        assert same(read(path), case.policy)


def test_the_document_is_what_the_schema_says(case) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((files("spotree.exports") / "tree.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    written = json.loads(to_json(case.policy), parse_constant=refuse)
    assert written == document(case.policy)
    jsonschema.validate(written, schema)


def test_the_readable_form_takes_the_action_of_the_tree_in_every_state(case) -> None:
    policy = case.policy
    written = json.loads(to_json(policy))["readable"]

    def action(row: list[float]) -> int:
        node = written
        while "action" not in node:
            below = row[policy.feature_names.index(node["feature"])] < float(node["below"])
            node = node["yes" if below else "no"]
        return policy.action_names.index(node["action"])

    assert [action(row) for row in case.rows.tolist()] == case.actions


def test_a_very_deep_tree_is_written_without_the_readable_form_and_read_back(tmp_path: Path) -> None:
    chain = range(3000)
    tree = make_tree(
        [part for _ in chain for part in (0, -1)] + [-1],
        [part for k in chain for part in (float(k), 0.0)] + [0.0],
        [part for k in chain for part in (2 * k + 1, -1)] + [-1],
        [part for k in chain for part in (2 * k + 2, -1)] + [-1],
        [part for k in chain for part in (-1, k % 2)] + [0],
    )
    path = tmp_path / "deep.json"
    spotree.export(tree, path=path)
    assert json.loads(path.read_text())["readable"] is None
    assert spotree.read_tree(path).depth == 3000


def test_the_tree_of_a_saved_solution_is_read_too(tmp_path: Path) -> None:
    solution = spotree.solve(spotree.load("xor"), depth=2, max_rounds=1, threads=1)
    solution.save(tmp_path / "run.json")
    assert same(spotree.read_tree(tmp_path / "run.json"), solution.policy)


BROKEN = {
    "no format": (lambda d: d.pop("format"), "not a tree file"),
    "another version": (lambda d: d.update(version=2), "version 2; this spotree reads version 1"),
    "no tree": (lambda d: d.pop("tree"), "'tree' is missing"),
    "no arrays": (lambda d: d.update(tree=[1]), "tree is a list of 1; it must be an object"),
    "a name that is none": (lambda d: d.update(action_names=[1]), r"action_names\[0\] is 1"),
    "a name twice": (lambda d: d.update(action_names=["a"] * 5), "'a' occurs more than once"),
    "too few names": (lambda d: d.update(action_names=["p"]), "but there are 1 action_names"),
    "nan": (lambda d: d["tree"].update(threshold=[float("nan")] * 7), r"tree/threshold\[0\] is nan"),
    "bare infinity": (lambda d: d["tree"].update(threshold=[float("inf")] * 7), r"tree/threshold\[0\] is inf"),
    "a word": (lambda d: d["tree"].update(threshold=["much"] * 7), r"tree/threshold\[0\] is 'much'"),
    "a loop": (lambda d: d["tree"].update(left=[1, 0, -1, -1, 5, -1, -1]), "the child of one parent"),
    "another length": (lambda d: d["tree"].update(left=[1]), "tree/left has 1 nodes"),
    "another depth": (lambda d: d.update(depth=7), "depth is 7, but the tree has 2"),
    "another number of leaves": (lambda d: d.update(leaves=7), "leaves is 7, but the tree has 4"),
    "another readable tree": (
        lambda d: d["readable"].update(below=3),
        "readable says another tree than the arrays",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_refused_and_the_entry_named(what: str, cases, tmp_path: Path) -> None:
    damage, message = BROKEN[what]
    broken = document(cases["infinite"].policy)
    damage(broken)
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken))
    with pytest.raises(ReadError, match=message):
        spotree.read_tree(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b'{"format": {}}', b"[" * 100_000])
def test_what_is_no_tree_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(ReadError, match=r"other.json: not a tree file"):
        spotree.read_tree(path)
