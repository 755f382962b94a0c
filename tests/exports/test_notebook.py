"""In a notebook models, trees and solutions show themselves: whole, escaped, without anything from elsewhere."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import spotree
from spotree.mdp.model import MDP
from spotree.trees.layouts import Node, join, split

EVIL = '<script>alert("x")</script>&\x1b[31m'


def small(sense: str = "max", name: str = EVIL) -> MDP:
    stay = np.eye(3)
    return spotree.build_mdp(
        [stay, stay],
        np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]) * (1 if sense == "min" else -1),
        0.5,
        features=np.arange(3.0)[:, None],
        feature_names=[name],
        action_names=[name, "b"],
        sense=sense,
        name=name,
        notes={"reward": f"-({name})", "goal": f"{name}: 1 state", name: name},
    )


def solved(mdp: MDP) -> spotree.Solution:
    return spotree.solve(mdp, depth=2, max_rounds=1, threads=1, time_limit=5)


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.names.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: object) -> None:
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parts() -> list[str]:
    mdp = small()
    solution = solved(mdp)
    drawing, bare = solution.policy._repr_svg_(), solution.policy.tree._repr_svg_()
    assert drawing is not None
    assert bare is not None
    return [mdp._repr_html_(), solution._repr_html_(), drawing, bare]


def test_what_a_notebook_shows_is_well_formed_and_names_cannot_be_markup() -> None:
    for text in parts():
        seen = Elements(text)
        assert not seen.open
        assert "script" not in seen.names
        assert "\x1b" not in text
        assert not re.search(r"(src|href)=|url\(|@import", text)
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_drawing_is_xml() -> None:
    for text in parts()[2:]:
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_solution_shows_tree_bars_and_facts() -> None:
    text = solved(small("min", "time"))._repr_html_()
    seen = Elements(text)
    words = " ".join(seen.text)
    assert "svg" in seen.names
    for word in (
        "An expected cost of 2",
        "best policy",
        "this tree",
        "random",
        "the smallest expected cost (time)",
    ):
        assert word in words
    assert not re.search(r"-\d", words.replace("-apple", ""))
    assert len(re.findall(r"background:#\w{6}", text)) == 4


def test_a_model_shows_its_sizes_and_its_first_names() -> None:
    words = " ".join(Elements(small("min", "time")._repr_html_()).text)
    assert "2: time, b" in words
    assert "the smallest expected cost (time) until time" in words
    many = replace(small(), action_names=tuple(f"a{n}" for n in range(40)))
    assert "40: a0, a1" in many._repr_html_()
    assert "and 28 more" in many._repr_html_()


def test_a_tree_too_large_to_be_drawn_is_left_to_its_text() -> None:
    def grown(depth: int, action: int = 0) -> Node:
        if depth == 0:
            return Node(action=action)
        return split(depth, 0.5, grown(depth - 1, action), grown(depth - 1, action + 2**depth))

    assert join(grown(9))._repr_svg_() is None
    assert join(grown(3))._repr_svg_() is not None


@pytest.mark.parametrize("random", [-np.inf, -4.0])
def test_an_infinite_figure_has_no_bar(random: float) -> None:
    text = replace(solved(small()), random_value=random)._repr_html_()
    assert ("-infinite" in text) == np.isinf(random)
    assert "nan" not in text
