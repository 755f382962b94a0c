"""The stubs say exactly what the core and the checker offer: names, parameters, their order, types and defaults."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spotree import _checker, _core

SOURCE = Path(__file__).parent.parent / "src" / "spotree"
STUB = (SOURCE / "_core.pyi").read_text()
ARRAYS = {"float64": "Floats", "int64": "Ints", "int32": "SmallInts"}
SAME = {"PerState": "Floats", "Features": "Floats"}  # names that say more than the core can know
ARRAY = re.compile(r"(?:numpy\.)?ndarray\[dtype=(\w+)[^]]*\]")
DEFAULT = re.compile(r"= \\(\d+)")


def signature(node: ast.FunctionDef) -> str:
    """In one spelling, so that two that say the same are equal."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            part.id = SAME.get(part.id, part.id)
    return f"({ast.unparse(node.args)}) -> {ast.unparse(node.returns) if node.returns else '?'}"


def said(text: str) -> dict[str, str]:
    """What a stub declares: dotted name -> signature, "class" for a class."""
    declared: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            declared[node.name] = signature(node)
        elif isinstance(node, ast.ClassDef):
            declared[node.name] = "class"
            for part in node.body:
                assert isinstance(part, ast.FunctionDef), f"{node.name}: only methods and properties are compared"
                kind = "property " if part.decorator_list else ""
                declared[f"{node.name}.{part.name}"] = kind + signature(part)
    return declared


def built(function: Any) -> str:
    ((text, _, defaults),) = function.__nb_signature__  # one overload
    text = re.sub(r"spotree\._(core|checker)\.", "", ARRAY.sub(lambda found: ARRAYS[found[1]], text))
    text = DEFAULT.sub(lambda found: f"= {defaults[int(found[1])]!r}", text)
    node = ast.parse(text.replace("def (", "def value(") + ": ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    return signature(node)


def offered(module: ModuleType) -> dict[str, str]:
    """What the binary has, in the same words."""
    there: dict[str, str] = {}
    for name, thing in vars(module).items():
        if name.startswith("_"):
            continue
        if not isinstance(thing, type):
            there[name] = built(thing)
            continue
        there[name] = "class"
        for part, member in vars(thing).items():
            if isinstance(member, property):
                there[f"{name}.{part}"] = "property " + built(member.fget)
            elif not part.startswith("_") or (part == "__init__" and hasattr(member, "__nb_signature__")):
                there[f"{name}.{part}"] = built(member)
    return there


def differences(text: str, module: ModuleType = _core) -> Iterator[str]:
    stub, binary = said(text), offered(module)
    for name in sorted(stub.keys() | binary.keys()):
        one, other = stub.get(name, "nothing"), binary.get(name, "nothing")
        if one != other:
            yield f"{name}: the stub says {one}, the core has {other}"


def test_the_stub_and_the_compiled_core_say_the_same() -> None:
    assert list(differences(STUB)) == []


def test_the_stub_and_the_compiled_checker_say_the_same() -> None:
    assert list(differences((SOURCE / "_checker.pyi").read_text(), _checker)) == []


@pytest.mark.parametrize(
    ("old", "new", "offender"),
    [
        ("def exact_solve(", "def exact_search(", "exact_search"),
        ("gap_tolerance: float", "tolerance: float", "ExactSettings.__init__"),
        ("dropped_spread(self) -> float", "dropped_spread(self) -> int", "ExactOutcome.dropped_spread"),
        ("seconds: float = 1e9", "seconds: float = 1e8", "TreeSearch.offer"),
        ("class ExactFrozen:", "class Frozen:", "ExactFrozen"),
        ("    def probe(self, count: int, seed: int, early: bool) -> int: ...\n", "", "TreeSearch.probe"),
    ],
)
def test_a_change_on_one_side_only_is_found(old: str, new: str, offender: str) -> None:
    assert old in STUB
    found = list(differences(STUB.replace(old, new, 1)))
    assert any(line.startswith(f"{offender}: ") for line in found)


def test_no_parameter_of_the_core_goes_by_its_place_where_many_look_alike() -> None:
    for name, text in said(STUB).items():
        if text == "class":
            continue
        placed = text.split("*")[0].count(": ")
        assert placed <= 4, f"{name} takes {placed} arguments by place: make them keyword-only"
