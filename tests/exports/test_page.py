"""The page about exports shows what spotree writes."""

import re
from pathlib import Path

import pytest

import spotree
from pages import ROOT, blocks
from spotree.exports.code import PYTHON_RESERVED
from spotree.exports.formatting import identifiers
from spotree.exports.registry import FORMATS

PAGE = ROOT / "docs" / "export.md"
SHOWN = {block.language: block.text for block in blocks(PAGE)} | {
    to: block.text
    for to, block in zip(("text", "english"), (b for b in blocks(PAGE) if b.language == "text"), strict=True)
}


@pytest.mark.parametrize("to", ["text", "english", "json", "dot", "mermaid", "python", "c", "rust"])
def test_the_page_shows_what_is_written(to: str, tmp_path: Path) -> None:
    (tmp_path / "shown.json").write_text(SHOWN["json"])
    policy = spotree.read_tree(tmp_path / "shown.json")
    assert any_version(policy.to(to)) == any_version(SHOWN["py" if to == "python" else to])


def any_version(text: str) -> str:
    return re.sub(r'(spotree(": ")? ?)\d+\.\d+\.\d+', r"\1", text)


def test_the_page_names_every_format_and_how_names_become_identifiers() -> None:
    text = PAGE.read_text()
    assert all(f"`{name}`" in text for name in FORMATS)
    assert identifiers(["a b", "a-b", "class"], "feature", PYTHON_RESERVED) == ["a_b", "a_b_2", "class_2"]
