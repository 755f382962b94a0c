"""The tree as something to look at says what the tree does, and names cannot break out of it."""

import re
import struct
import xml.etree.ElementTree as ElementTree
from html import unescape

import numpy as np
import pytest

from spotree.exports.drawings.graph import to_dot, to_mermaid
from spotree.exports.drawings.layout import COLOURS, layout, letter
from spotree.exports.drawings.png import to_png
from spotree.exports.drawings.svg import tree_svg
from spotree.exports.formatting import labels
from spotree.exports.text import to_english, to_text

Graph = tuple[dict[str, str], dict[tuple[str, str], str]]  # labels; (node, answer) -> node


def dot_graph(text: str) -> Graph:
    """What Graphviz sees: every statement is one of four kinds, and nothing else is there."""
    string = r'"((?:[^"\\]|\\.)*)"'
    nodes, edges = {}, {}
    lines = text.splitlines()
    assert lines[0] == "digraph policy {"
    assert lines[-1] == "}"
    for line in lines[1:-1]:
        if found := re.fullmatch(rf" +(n\d+) \[label={string}(, [a-z]+=\"[#\w]+\")*\];", line):
            nodes[found[1]] = unescape(re.sub(r"\\(.)", r"\1", found[2]))
        elif found := re.fullmatch(r' +(n\d+) -> (n\d+) \[label="(yes|no)"\];', line):
            edges[found[1], found[3]] = found[2]
        else:
            assert re.match(r" +(graph|node|edge) \[", line), line
    return nodes, edges


def mermaid_graph(text: str) -> Graph:
    nodes, edges = {}, {}
    first, *lines = text.splitlines()
    assert first == "flowchart LR"
    for line in lines:
        if found := re.fullmatch(r' +(n\d+)(?:\["([^"]*)"\]|\("([^"]*)"\):::action\d+)', line):
            label = found[2] or found[3]
            assert not set(re.sub(r"#\d+;", "", label)) & set("<>\"'`&;#%*\\[]{}|")
            nodes[found[1]] = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), label)
        elif found := re.fullmatch(r" +(n\d+) -->\|(yes|no)\| (n\d+)", line):
            edges[found[1], found[2]] = found[3]
        else:
            assert re.fullmatch(r" +classDef action\d+ fill:#\w{6},stroke:none,color:#fff", line), line
    return nodes, edges


def graph_actions(graph: Graph, policy, rows: np.ndarray) -> list[int]:
    nodes, edges = graph
    tests = {name: number for number, name in enumerate(labels(policy.feature_names))}
    takes = {f"{letter(k)}: {name}": k for k, name in enumerate(labels(policy.action_names))}

    def action(row: np.ndarray) -> int:
        node = "n0"
        while (node, "yes") in edges:
            name, threshold = nodes[node].removesuffix("?").rsplit(" < ", 1)
            node = edges[node, "yes" if row[tests[name]] < float(threshold) else "no"]
        return takes[nodes[node]]

    assert len(nodes) == policy.tree.num_nodes
    return [action(row) for row in rows]


@pytest.mark.parametrize(("make", "parse"), [(to_dot, dot_graph), (to_mermaid, mermaid_graph)])
def test_a_graph_takes_the_action_of_the_tree_in_every_state(make, parse, case) -> None:
    assert graph_actions(parse(make(case.policy)), case.policy, case.rows) == case.actions


def test_the_text_takes_the_action_of_the_tree_in_every_state(case) -> None:
    features, actions = labels(case.policy.feature_names), labels(case.policy.action_names)
    lines = re.split("\n", to_text(case.policy).removesuffix("\n"))
    assert len(lines) == case.policy.tree.num_nodes
    plain = iter([re.sub(r"^(?:│   |    )*(?:├─ yes: |└─ no:  )?", "", line) for line in lines])

    def below(rows: np.ndarray) -> np.ndarray:
        """The lines come parent, yes, no; which are tests is known from the tree's shape."""
        line = next(plain)
        tested = line.removesuffix("?").rsplit(" < ", 1)
        if line not in actions and len(tested) == 2:
            yes, no = below(rows), below(rows)
            return np.where(rows[:, features.index(tested[0])] < float(tested[1]), yes, no)
        return np.full(len(rows), actions.index(line))

    assert below(case.rows).tolist() == case.actions


def test_exactly_one_rule_in_english_holds_in_every_state_and_it_is_the_trees(case) -> None:
    policy = case.policy
    features, actions = labels(policy.feature_names), labels(policy.action_names)
    rules = re.split("\n", to_english(policy).removesuffix("\n"))
    assert len(rules) == policy.num_leaves
    holds = np.ones((len(rules), len(case.rows)), dtype=bool)
    takes = []
    number = r"-?(?:[\d.]+(?:e[+-]?\d+)?|inf)"
    for place, rule in enumerate(rules):
        start = f"{place + 1}. "
        assert rule.startswith(start)
        said = rule.removeprefix(start)
        if policy.num_leaves > 1:
            # the action is what the rule ends with: the longest name that fits, as one may end like another
            action = max(
                (k for k, name in enumerate(actions) if said.endswith(f": {name}.")), key=lambda k: len(actions[k])
            )
            for part in said.removeprefix("If ").removesuffix(f": {actions[action]}.").split(" and "):
                found = re.fullmatch(rf"(?:({number}) <= )?(.*) (<|>=) ({number})", part)
                assert found, part
                column = case.rows[:, features.index(found[2])]
                holds[place] &= column < float(found[4]) if found[3] == "<" else column >= float(found[4])
                if found[1]:
                    holds[place] &= column >= float(found[1])
        else:
            action = next(k for k, name in enumerate(actions) if said == f"Always: {name}.")
        takes.append(action)
    assert (holds.sum(axis=0) == 1).all()
    assert np.array(takes)[holds.argmax(axis=0)].tolist() == case.actions


def test_the_drawing_is_well_formed_and_says_the_tree(case) -> None:
    root = ElementTree.fromstring(tree_svg(case.policy))
    space = "{http://www.w3.org/2000/svg}"
    groups = root.findall(f"{space}g")
    assert {element.tag.removeprefix(space) for element in root.iter()} <= {
        "svg",
        "style",
        "rect",
        "path",
        "text",
        "g",
        "title",
    }
    assert not [
        name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name
    ]
    assert len(groups) == case.policy.tree.num_nodes
    assert len(root.findall(f"{space}path")) == case.policy.tree.num_nodes - 1
    for node, group in enumerate(groups):
        title = group.findtext(f"{space}title") or ""
        if case.policy.tree.feature[node] >= 0:
            assert float(title.removesuffix("?").rsplit(" < ", 1)[1]) == case.policy.tree.threshold[node]
        else:
            assert title.startswith(letter(int(case.policy.tree.action[node])) + ": ")
        assert all(len(text.text or "") < 40 for text in group.findall(f"{space}text"))


def test_no_two_boxes_of_a_drawing_meet_and_all_are_on_the_paper(case) -> None:
    drawing = layout(case.policy)
    x, y, w, h = (np.array([getattr(box, side) for box in drawing.boxes]) for side in ("x", "y", "width", "height"))
    apart = (x[:, None] >= (x + w)[None]) | (y[:, None] >= (y + h)[None])
    assert (apart | apart.T | np.eye(len(x), dtype=bool)).all()
    assert min(x.min(), y.min()) > 0
    assert (x + w).max() < drawing.width
    assert (y + h).max() < drawing.height
    for parent, child, _ in drawing.edges:
        assert x[child] > x[parent] + w[parent]


def test_a_drawing_is_light_or_dark_as_its_reader_likes(cases) -> None:
    assert "prefers-color-scheme: dark" in tree_svg(cases["single"].policy)


def test_white_letters_can_be_read_on_every_colour() -> None:
    def light(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert all(1.05 / (light(colour) + 0.05) >= 4.5 for colour in COLOURS)
    assert [letter(k) for k in (0, 25, 26, 27, 701, 702)] == ["A", "Z", "AA", "AB", "ZZ", "AAA"]


@pytest.mark.parametrize("name", ["tiger_vs_antelope", "hostile", "single", "infinite"])
def test_a_picture_has_two_pixels_for_each_of_the_drawing(name: str, cases) -> None:
    pytest.importorskip("matplotlib")
    picture = to_png(cases[name].policy)
    drawing = layout(cases[name].policy)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    assert width <= 2 * drawing.width + 1
    assert abs(width / height - drawing.width / drawing.height) < 0.02 * width / height


def test_labels_of_different_names_are_different() -> None:
    names = ["x" * 200, "x" * 100 + "y" + "x" * 99, "\x1b", "\\x1b", "", "''", "\\x1b #2"]
    for longest in (10, 26, 80):
        assert len(set(labels(names, longest))) == len(names)
