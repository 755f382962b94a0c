"""What the pages say is so: links lead somewhere, and the README shows what its command prints."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from pages import PAGES, ROOT, Block, blocks
from spotree import evaluate, load, optimum
from spotree.cli.app import app
from spotree.evaluation import random_return

SHOWN = next(block for block in blocks(ROOT / "README.md") if block.text.startswith("$ spotree solve"))


def facts(text: str) -> dict[str, str]:
    """The lines below the tree, by name."""
    return dict(re.split(r"  +", line, maxsplit=1) for line in text.strip().split("\n\n")[1].splitlines())


def tree_actions(
    lines: list[str], features: np.ndarray, names: tuple[str, ...], actions: tuple[str, ...]
) -> np.ndarray:
    """The action in each state that the printed tree takes."""
    words = iter(re.sub(r"^[│ ├└─]*((yes|no): +)?", "", line) for line in lines)

    def below() -> np.ndarray:
        word = next(words)
        if not word.endswith("?"):
            return np.full(len(features), actions.index(word), np.int32)
        name, threshold = word[:-1].split(" < ")
        left, right = below(), below()
        return np.where(features[:, names.index(name)] < float(threshold), left, right)

    return below()


def test_links_of_the_documentation_lead_somewhere() -> None:
    for page in [*PAGES, *(ROOT / "benchmarks").glob("*.md"), *(ROOT / "tests").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+\.md)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_readme_shows_the_lines_that_its_command_prints() -> None:
    (command,) = SHOWN.commands
    printed = facts(CliRunner().invoke(app, command[1:], catch_exceptions=False).stdout)
    shown = facts(SHOWN.text)
    assert list(shown) == list(printed)
    in_brackets = re.compile(r"\(.*\)")
    assert shown["model"] == printed["model"]
    assert shown["tree"].split("; ")[1] == printed["tree"].split("; ")[1]  # the size that was asked for
    for name in ("of optimum", "over random"):
        assert in_brackets.findall(shown[name]) == in_brackets.findall(printed[name])
    for answer in (shown, printed):  # a proof beside the search may lower the bound
        best = float(answer["of optimum"].split()[-1].rstrip(")"))
        assert float(answer["return"]) <= float(answer["bound"].split()[0]) <= best
    assert in_brackets.sub("", shown["status"]) == in_brackets.sub("", printed["status"])
    assert re.sub(r"[\d.]+ s", "1 s", shown["status"]) == re.sub(r"[\d.]+ s", "1 s", printed["status"])


def test_the_page_on_answers_shows_the_lines_that_its_command_prints() -> None:
    block = next(block for block in blocks(ROOT / "docs" / "reading-the-answer.md") if block.commands)
    (command,) = block.commands
    printed = CliRunner().invoke(app, command[1:], catch_exceptions=False).stdout
    assert list(facts(block.text)) == list(facts(printed))
    for name in ("model", "aim"):
        assert facts(block.text)[name] == facts(printed)[name]
    best, bound, tree, random = block.text.strip().split("\n\n")[2].splitlines()[1:]
    for line in (best, random):  # name, number and bar
        assert line in printed
    assert float(tree.split()[2]) >= float(bound.split()[1])
    assert tree.split()[2] == facts(block.text)["cost"]


def test_the_tree_that_the_readme_shows_is_worth_what_it_says() -> None:
    mdp = load("tiger_vs_antelope")
    _, *tree = SHOWN.text.split("\n\n")[0].splitlines()
    value = evaluate(mdp, tree_actions(tree, mdp.features, mdp.feature_names, mdp.action_names))
    best, random = optimum(mdp).value, random_return(mdp)
    shown = facts(SHOWN.text)
    assert shown["tree"].startswith(f"depth 3, {sum(not line.endswith('?') for line in tree)} leaves")
    assert shown["return"] == f"{value:.6f}"
    assert shown["of optimum"].split()[0] == f"{value / best:.6f}"
    assert shown["over random"].split()[0] == f"{(value - random) / (best - random):.6f}"
    bound = float(shown["bound"].split()[0])
    assert value <= bound <= best
    assert shown["bound"].endswith(f"(gap {100 * (bound - value) / bound:.3g} %)")


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("", "$ spotree solve a --time 60\nspotree is shown\n", [["spotree", "solve", "a", "--time", "0.5"]]),
        ("sh", "spotree solve a --goal 'x = 1'\n", [["spotree", "solve", "a", "--goal", "x = 1"]]),
        ("", "make test   # all\n. .venv/bin/activate\n", [["make", "test"]]),
        ("python", "spotree = 1\n", []),
    ],
)
def test_commands_of_a_block_are_told_from_what_it_shows(
    language: str, text: str, commands: list[list[str]]
) -> None:
    assert Block(language, text, 1).commands == commands
