"""The one verb: formats by name or by ending, whatever holds a tree, and files written whole."""

import importlib
import inspect
import sys
from pathlib import Path

import pytest

import spotree
from spotree.common.atomic_file import UnwrittenError
from spotree.errors import InvalidProblemError, MissingExtraError
from spotree.exports.registry import FORMATS, format_of
from spotree.trees.tree import leaf, make_tree

TEXTS = ["text", "english", "json", "dot", "mermaid", "svg", "python", "c", "rust"]
SPLIT = make_tree([0, -1, -1], [2.5, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 0, 1])


@pytest.mark.parametrize("to", TEXTS)
def test_a_bare_tree_a_policy_and_a_solution_are_exported_alike(to: str, tmp_path: Path) -> None:
    solution = spotree.solve(spotree.load("xor"), depth=1, max_rounds=1, threads=1)
    made = spotree.export(solution, to)
    assert made == spotree.export(solution.policy, to) == solution.policy.to(to)
    named = spotree.TreePolicy(SPLIT, ("feature 0",), ("action 0", "action 1"))
    assert spotree.export(SPLIT, to) == spotree.export(named, to)
    assert isinstance(spotree.export(leaf(0), to), str)
    path = tmp_path / f"policy{FORMATS[to].suffixes[0]}"
    assert spotree.export(solution, path=path) == made == path.read_bytes().decode()


@pytest.mark.parametrize("name", ["c", "dot", "json", "python", "svg"])
def test_the_methods_of_a_policy_are_the_formats_of_their_names(name: str, cases, tmp_path: Path) -> None:
    policy = cases["single"].policy
    assert getattr(policy, f"to_{name}")(tmp_path / "file") == policy.to(name)
    assert (tmp_path / "file").read_text() == policy.to(name)


def test_every_format_that_is_there_has_its_function() -> None:
    there = {path.stem for path in Path(inspect.getfile(spotree.export)).parent.glob("*.py")}
    for form in FORMATS.values():
        if form.module not in there:
            continue
        module = importlib.import_module(f"spotree.exports.{form.module}")
        assert len(inspect.signature(getattr(module, form.function)).parameters) >= 1 + form.needs_model


def test_the_longest_ending_says_the_format() -> None:
    assert format_of("a/b.JSON") == "json"
    assert format_of("run.scheduler.json") == "storm"
    assert format_of("policy.gv") == "dot"
    assert format_of("policy") is None
    endings = [suffix for form in FORMATS.values() for suffix in form.suffixes]
    assert len(set(endings)) == len(endings)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"to": "pdf"}, "format 'pdf' is unknown; choose one of text, english, json"),
        ({}, "no format is given; choose one of"),
        ({"path": "policy.xyz"}, r"policy\.xyz: the ending stands for no format; choose one of"),
        ({"to": "storm"}, "format 'storm' needs the model as well"),
        ({"to": "sklearn", "path": "a.pkl"}, "format 'sklearn' is an object, not a file; drop path='a.pkl'"),
    ],
)
def test_what_cannot_be_exported_is_refused_with_a_way_out(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidProblemError, match=message):
        spotree.export(SPLIT, **arguments)


def test_a_model_that_a_format_says_nothing_of_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="format 'dot' says nothing of the model; drop it"):
        spotree.export(SPLIT, "dot", model=spotree.load("xor"))


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="list is no tree; give a Solution, a TreePolicy or a Tree"):
        spotree.export([1], "dot")  # type: ignore[arg-type]


def test_a_file_that_cannot_be_written_is_named_and_one_that_failed_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnwrittenError, match="there is no directory"):
        spotree.export(SPLIT, "dot", tmp_path / "none" / "a.dot")
    with pytest.raises(InvalidProblemError, match="needs the model"):
        spotree.export(SPLIT, "storm", tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'spotree\[plot\]'"):
        spotree.export(SPLIT, "png")


@pytest.mark.parametrize("to", ["text", "english", "json", "dot", "mermaid", "svg"])
def test_a_tree_of_any_depth_can_be_exported_where_nothing_nests(to: str) -> None:
    chain = range(2000)
    tree = make_tree(
        [part for _ in chain for part in (0, -1)] + [-1],
        [part for k in chain for part in (float(k), 0.0)] + [0.0],
        [part for k in chain for part in (2 * k + 1, -1)] + [-1],
        [part for k in chain for part in (2 * k + 2, -1)] + [-1],
        [part for k in chain for part in (-1, k % 2)] + [0],
    )
    assert "1999" in spotree.export(tree, to)


@pytest.mark.parametrize("to", TEXTS)
def test_a_name_that_utf8_cannot_spell_is_written_escaped(to: str) -> None:
    policy = spotree.TreePolicy(SPLIT, ("half \ud800",), ("\udfff", "go"))
    assert "ud800" in policy.to(to).encode().decode()
