"""Every example of every page runs as it stands, but for its time limits, in the order of the page."""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from pages import PAGES, ROOT, Block, blocks
from spotree.cli.app import app
from spotree.readers.registry import READERS

MAKEFILE = (ROOT / "Makefile").read_text()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty folder; what a page adds to spotree is gone afterwards."""
    monkeypatch.chdir(tmp_path)
    readers = dict(READERS)
    yield
    for module in [name for name, module in sys.modules.items() if "of_a_page" in getattr(module, "__dict__", ())]:
        del sys.modules[module]
    READERS.clear()
    READERS.update(readers)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem)
def test_the_examples_of_a_page_run_in_order(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": page.stem}
    for block in blocks(page):
        if block.language == "python":
            run(block, page, names)
        for command in block.commands:
            follow(command)
    if page.name == "README.md":
        assert "proved optimal" in capsys.readouterr().out
        assert Path("run.json").exists()


def run(block: Block, page: Path, names: dict[str, Any]) -> None:
    """In the page's own namespace, or in the module that the block says it belongs to, which is made if need be."""
    code = compile("\n" * (block.line - 1) + block.quick, str(page), "exec")
    if block.module is not None:
        if find_spec(block.module) is None:
            sys.modules[block.module] = ModuleType(block.module)
            vars(sys.modules[block.module])["of_a_page"] = True
        names = vars(import_module(block.module))
    exec(code, names)
    for printed, number in block.printed:
        digits = len(number.partition(".")[2])
        assert f"{eval(printed, names):.{digits}f}" == number


def follow(command: list[str]) -> None:
    program, *arguments = command
    if program == "make":
        assert f"\n{arguments[0]}:" in MAKEFILE, f"there is no target {arguments[0]}"
        return
    with pytest.MonkeyPatch.context() as typed:
        typed.setattr(sys, "argv", command)  # a run remembers what was typed
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
