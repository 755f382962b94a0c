"""ARCHITECTURE.md names files that are there, and its tables are those that the layers are held to."""

import re
from pathlib import Path

from test_layers import MAY_IMPORT, MAY_INCLUDE

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "ARCHITECTURE.md").read_text()


def quoted(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


def rows(heading: str) -> list[list[str]]:
    """The cells of the table whose first line begins so."""
    lines = PAGE[PAGE.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return [line.strip("|").split("|") for line in lines]


def test_every_file_that_the_page_names_is_there() -> None:
    files = {
        path.relative_to(ROOT).as_posix()
        for room in ("src", "core", "docs", "tests")
        for path in (ROOT / room).rglob("*")
    }
    files |= {path.name for path in ROOT.iterdir()}
    for name in quoted(PAGE):
        if re.fullmatch(r"[\w/-]+\.(py|pyi|hpp|cpp|md|js|json|txt)", name):
            assert any(file == name or file.endswith(f"/{name}") for file in files), name


def test_the_table_of_packages_has_every_package() -> None:
    named = {name.rstrip("/") for row in rows("| package |") for name in quoted(row[0])}
    assert named == set(MAY_IMPORT)


def test_the_table_of_the_core_says_who_may_include_whom() -> None:
    table = {name.rstrip("/"): quoted(row[2]) for row in rows("| folder of `core/`") for name in quoted(row[0])}
    assert table == MAY_INCLUDE | {"bindings": set()}  # all of them
