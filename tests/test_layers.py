"""Imports and includes point one way: the tables say which room may use which."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "spotree"
CORE = Path(__file__).parent.parent / "core"

BASE = {"errors", "common", "checkpoint", "_core"}
MODEL = BASE | {"mdp", "evaluation", "trees"}
SEARCH = MODEL | {"cluster", "improvement", "results"}
MAY_IMPORT = {
    "errors": set(),
    "common": {"errors"},
    "checkpoint": {"errors", "common"},
    "mdp": BASE,
    "readers": BASE | {"mdp"},
    "models": BASE | {"mdp", "readers"},
    "evaluation": BASE | {"mdp"},
    "trees": BASE,
    "cluster": BASE,
    "improvement": BASE | {"trees", "cluster"},
    "results": MODEL | {"improvement"},
    "search": SEARCH,
    "methods": SEARCH | {"search"},
    "certificates": MODEL | {"_checker", "improvement"},
    "proof": SEARCH | {"search", "methods", "certificates"},
    "api": SEARCH | {"search", "methods", "certificates", "proof"},
    "sweeps": SEARCH | {"readers", "models", "search", "methods", "certificates", "proof", "api"},
    "report": MODEL | {"improvement", "results", "search"},
    "exports": MODEL | {"readers", "models", "improvement", "results", "search", "report"},
    "imports": MODEL | {"improvement", "results", "exports"},
    "plot": MODEL | {"readers", "models", "improvement", "results", "report", "exports"},
}
MAY_IMPORT["cli"] = BASE | set(MAY_IMPORT)
UPWARD = {  # methods that only hand on to a higher package, with the import inside
    "mdp/model.py": {"exports", "readers"},
    "results/frontier.py": {"exports"},
    "results/smallest.py": {"exports"},
    "results/solution.py": {"report", "exports"},
    "trees/policy.py": {"exports"},
    "trees/tree.py": {"exports"},
}
ONLY_IMPORTER = {
    "highspy": "improvement/engines/milp/highs.py",
    "gurobipy": "improvement/engines/milp/gurobi.py",
    "stormpy": "readers/storm/reader.py",
    "gymnasium": "readers/gymnasium.py",
}
MAY_INCLUDE = {
    "runtime": set(),
    "tree": set(),
    "model": {"runtime"},
    "linear": {"model", "runtime"},
    "values": {"linear", "model", "runtime"},
    "exact": {"model", "runtime", "tree"},
    "rsbb": {"runtime"},
    "neighbourhood": {"exact", "linear", "model", "runtime", "tree"},
    "leaf_search": {"model", "neighbourhood", "runtime", "tree"},
    "proof": {"linear", "model", "runtime", "tree", "values"},
}
MAY_INCLUDE["bindings"] = set(MAY_INCLUDE)
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", re.MULTILINE)


def imported_modules(path: Path) -> set[str]:
    return _modules(ast.parse(path.read_text()), path)


def _modules(code: ast.AST, path: Path | str) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            modules |= {str(word.value) for word in node.args if isinstance(word, ast.Constant)}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            modules |= (
                {f"spotree.{alias.name}" for alias in node.names} if node.module == "spotree" else {node.module}
            )
    return modules


def files_of(package: str) -> list[Path]:
    folder = SOURCE / package
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [SOURCE / f"{package}.py"]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_stands_below_it(package: str) -> None:
    for path in files_of(package):
        used = {name.split(".")[1] for name in imported_modules(path) if name.startswith("spotree.")}
        upward = UPWARD.get(path.relative_to(SOURCE).as_posix(), set())
        beyond = used - MAY_IMPORT[package] - {package} - upward
        assert not beyond, f"{path.relative_to(SOURCE)} imports {sorted(beyond)}"


@pytest.mark.parametrize("name", UPWARD)
def test_an_import_upwards_stands_inside_a_method(name: str) -> None:
    at_the_top = ast.Module(
        [
            node
            for node in ast.parse((SOURCE / name).read_text()).body
            if isinstance(node, ast.Import | ast.ImportFrom)
        ],
        [],
    )
    used = {module.split(".")[1] for module in _modules(at_the_top, name) if module.startswith("spotree.")}
    assert not used & UPWARD[name]


def test_every_package_stands_in_the_table() -> None:
    there = {path.stem for path in SOURCE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert there - {"__init__", "__main__", "__pycache__"} == set(MAY_IMPORT)


@pytest.mark.parametrize("foreign", ONLY_IMPORTER)
def test_a_foreign_program_is_imported_by_one_file_only(foreign: str) -> None:
    importers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if any(name.split(".")[0] == foreign for name in imported_modules(path))
    }
    assert importers == {ONLY_IMPORTER[foreign]}


def test_every_source_file_begins_with_what_it_is() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name == "__init__.py" and not path.read_text().strip():
            continue
        assert ast.get_docstring(ast.parse(path.read_text())), f"{path.relative_to(SOURCE)} has no first line"


def files_of_core(room: str) -> list[Path]:
    folder = CORE / room
    return sorted(folder.rglob("*.[hc]pp")) if folder.is_dir() else [CORE / f"{room}.hpp"]


def rooms_included(path: Path, room: str) -> set[str]:
    """The rooms whose headers a file includes; a header is named `room/header.hpp`, in the bindings their own bare."""
    rooms: set[str] = set()
    for mark, header in INCLUDE.findall(path.read_text()):
        if mark == "<" and not (CORE / header).is_file():
            continue
        own = room == "bindings" and (CORE / room / header).is_file()
        assert own or (CORE / header).is_file(), f"{path.relative_to(CORE)}: {header} must be named with its folder"
        rooms.add(room if own else header.removesuffix(".hpp").split("/")[0])
    return rooms


@pytest.mark.parametrize("room", MAY_INCLUDE)
def test_a_room_of_the_core_includes_only_what_stands_below_it(room: str) -> None:
    for path in files_of_core(room):
        beyond = rooms_included(path, room) - MAY_INCLUDE[room] - {room}
        assert not beyond, f"core/{path.relative_to(CORE)} includes {sorted(beyond)}"


def test_every_room_of_the_core_stands_in_the_table() -> None:
    assert {path.stem for path in CORE.iterdir()} == set(MAY_INCLUDE)


def test_the_native_checker_includes_no_header_of_the_core() -> None:
    folder = CORE.parent / "checker"
    for path in sorted(folder.iterdir()):
        for mark, header in INCLUDE.findall(path.read_text()):
            assert (folder / header).is_file() if mark == '"' else not (CORE / header).is_file()


def test_only_the_bindings_see_python() -> None:
    for path in sorted(CORE.rglob("*.[hc]pp")):
        foreign = [header for _, header in INCLUDE.findall(path.read_text()) if re.match("nanobind|Python", header)]
        assert not foreign or path.parent.name == "bindings", f"core/{path.relative_to(CORE)} includes {foreign}"


def headers_with(pattern: str) -> set[str]:
    found = re.compile(pattern, re.MULTILINE)
    return {str(path.relative_to(CORE)) for path in CORE.rglob("*.[hc]pp") if found.search(path.read_text())}


@pytest.mark.parametrize(
    ("what", "place"),
    [
        ("steady_clock", "runtime/stop.hpp"),
        (r"std::j?thread\b(?!::id)|std::async", "runtime/threads.hpp"),
        ("0xbf58476d1ce4e5b9", "runtime/random.hpp"),  # splitmix
        (r"\bomega\b", "linear/bicgstab.hpp"),
        (r"\.low = std::min", "linear/tarjan.hpp"),
        (r"struct Split\b", "tree/complete.hpp"),  # what a cut means
    ],
)
def test_a_shared_part_of_the_core_stands_in_one_place(what: str, place: str) -> None:
    assert headers_with(what) == {place}


def test_features_are_ranked_in_one_place_but_for_the_referees_and_cart() -> None:
    """The one place is core/model/ranks.hpp; ARCHITECTURE.md says why these stay apart."""
    ranking = re.compile(r"np\.unique\([^)]*(features|column)\b")
    rooms = ("mdp", "evaluation", "trees", "improvement", "search", "methods", "certificates", "proof")
    apart = {
        path.relative_to(SOURCE).as_posix()
        for room in rooms
        for path in files_of(room)
        if ranking.search(path.read_text())
    }
    assert apart == {"improvement/engines/exhaustive.py", "search/cart.py", "certificates/reference/trees.py"}


def test_the_value_after_a_row_is_summed_in_one_header() -> None:
    assert headers_with(r"(probability|weight)\[[^]]+\]\)? \* \w*value\w*\[") == {"model/bellman.hpp"}


def test_one_struct_stands_for_the_decision_process() -> None:
    holds = r"^ +(const int32_t\*|std::vector<int32_t>|In2<int32_t>)\s+choice_of;"
    assert headers_with(holds) == {"model/model.hpp", "bindings/arrays.hpp"}
