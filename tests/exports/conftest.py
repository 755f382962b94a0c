"""Trees to export: those of shipped models, and those that make trouble."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import spotree
from spotree.trees.tree import leaf, make_tree

MODELS = ["tiger_vs_antelope", "tictactoe_vs_random", "firewire", "wlan0"]

HOSTILE = (
    "",
    " ",
    "*/ int x; /*",
    "// /* ??/",
    "\"quotes\" 'these'",
    '"""',
    "backslash\\",
    "\\\n",
    "line\nbreak\r\nand\u2028more\x85",
    "\x1b[31mred\x07",
    "<script>alert(1)</script>",
    "]]> --> &lt;&amp; &#65; #35; %% ; `x`",
    "\u202egnp.exe",
    "class",
    "int",
    "fn",
    "Self",
    "match",
    "None",
    "x",
    "policy",
    "FEATURES",
    "ValueError",
    "1st",
    "a b",
    "a_b",
    "a-b",
    "größe",
    "высота",
    "高さ",
    "x" * 200,
    "x" * 100 + "y" + "x" * 99,
    "$\\frac{",
    "{x} %s %(x)s",
    "# -*- coding: utf-7 -*-",
    "\\N \\G \\u202e",
    "a < 3?",
    "end",
    "1. list",
    "\ufffe\U0001f600",
    "\\x41",
)


@dataclass(frozen=True)
class Case:
    """A policy and rows on which an export of it must do the same."""

    policy: spotree.TreePolicy
    rows: np.ndarray

    @property
    def actions(self) -> list[int]:
        return [int(action) for action in self.policy.actions(self.rows)]


def random_policy(
    depth: int, features: tuple[str, ...], actions: tuple[str, ...], most: int, seed: int = 0
) -> spotree.TreePolicy:
    """A tree of this depth with at most so many leaves and thresholds that no short decimal hits."""
    chance = np.random.default_rng(seed)
    nodes: list[list[float]] = [[-1, 0.0, -1, -1, 0]]
    depth_of, frontier, leaves = [0], [0], 1
    while frontier and leaves < most:
        node = frontier.pop()
        below = len(nodes)
        nodes[node] = [int(chance.integers(len(features))), float(chance.normal()), below, below + 1, -1]
        for child in (below, below + 1):
            nodes.append([-1, 0.0, -1, -1, int(chance.integers(len(actions)))])
            depth_of.append(depth_of[node] + 1)
            if depth_of[child] < depth:
                frontier.append(child)
        leaves += 1
    return spotree.TreePolicy(make_tree(*zip(*nodes, strict=True)), features, actions)


def hostile() -> Case:
    """Every hostile name is a feature that is asked about and an action that is taken."""
    count = len(HOSTILE)
    feature, threshold, left, right, action = [], [], [], [], []
    for number in range(count):  # a chain: yes takes action `number`, no asks on
        here = 2 * number
        last = number + 1 == count
        feature += [number, -1]
        threshold += [0.1 * number + 1e-17, 0.0]
        left += [here + 1, -1]
        right += [here + 2, -1]
        action += [-1, number]
        if last:
            feature, threshold, left, right = [*feature, -1], [*threshold, 0.0], [*left, -1], [*right, -1]
            action += [0]
    tree = make_tree(feature, threshold, left, right, action)
    rows = np.where(np.eye(count + 1, count) > 0, -1.0, 100.0)
    return Case(spotree.TreePolicy(tree, HOSTILE, HOSTILE), rows)


def jumbled() -> Case:
    """Three hundred names thrown together from what means something in one of the formats."""
    chance = np.random.default_rng(0)
    parts = [
        "*/",
        "/*",
        "//",
        "??/",
        "??",
        "\\",
        "\n",
        "\r",
        '"',
        "'",
        "`",
        "<",
        ">",
        "-->",
        "&",
        ";",
        "#",
        "{",
        "}",
    ]
    parts += [
        "]]>",
        "[",
        "]",
        "|",
        "%%",
        "$",
        "é",
        "\u202e",
        "\u2028",
        "\x00",
        "a",
        "1",
        "_",
        " ",
        "if",
        "</svg>",
        "\\u",
    ]
    names = tuple(dict.fromkeys("".join(chance.choice(parts, 1 + k % 12)) for k in range(400)))[:300]
    policy = random_policy(9, names, names, 300)
    return Case(policy, chance.normal(size=(200, len(names))))


def deep() -> Case:
    policy = random_policy(12, ("a", "b", "c", "d"), ("stop", "go", "turn"), 200)
    assert policy.depth == 12
    inner = policy.tree.feature >= 0
    edges = policy.tree.threshold[inner]
    near = np.concatenate([edges, np.nextafter(edges, -np.inf)])
    rows = np.random.default_rng(1).choice(near, (500, 4))
    return Case(policy, rows)


def single() -> Case:
    return Case(spotree.TreePolicy(leaf(1), ("a", "b"), ("stop", "go")), np.zeros((2, 2)))


def nothing() -> Case:
    return Case(spotree.TreePolicy(leaf(0), (), ("stay",)), np.zeros((3, 0)))


def infinite() -> Case:
    tree = make_tree(
        [0, 1, -1, -1, 0, -1, -1],
        [np.inf, -np.inf, 0, 0, 1e308, 0, 0],
        [1, 2, -1, -1, 5, -1, -1],
        [4, 3, -1, -1, 6, -1, -1],
        [-1, -1, 0, 1, -1, 2, 3],
    )
    rows = np.array([[0.0, 0.0], [1.0, -1e308], [1e308, 5e-324], [-1e308, 1e308]])
    return Case(spotree.TreePolicy(tree, ("a", "b"), ("p", "q", "r", "s")), rows)


def awkward() -> Case:
    """Thresholds at the ends of what a double can say."""
    values = [5e-324, -0.0, 0.1, 1 / 3, -1.7976931348623157e308, 2.0**53 + 2, 1e22, 1e-7]
    count = len(values)
    chain = range(count)
    tree = make_tree(
        [part for number in chain for part in (number, -1)] + [-1],
        [part for number in chain for part in (values[number], 0.0)] + [0.0],
        [part for number in chain for part in (2 * number + 1, -1)] + [-1],
        [part for number in chain for part in (2 * number + 2, -1)] + [-1],
        [part for number in chain for part in (-1, number)] + [count],
    )
    with np.errstate(over="ignore"):
        at, below = np.array(values), np.nextafter(values, -np.inf)
    rows = np.array([[*at[:number], *below[number:]] for number in range(count + 1)])
    rows[~np.isfinite(rows)] = -1.7976931348623157e308
    names = tuple(f"f{number}" for number in chain)
    return Case(spotree.TreePolicy(tree, names, tuple(f"a{number}" for number in range(count + 1))), rows)


TROUBLE: dict[str, Callable[[], Case]] = {
    "hostile": hostile,
    "jumbled": jumbled,
    "deep": deep,
    "single": single,
    "nothing": nothing,
    "infinite": infinite,
    "awkward": awkward,
}


@pytest.fixture(scope="session")
def cases() -> dict[str, Case]:
    """All of them; the models are solved once."""
    made = {name: make() for name, make in TROUBLE.items()}
    for name in MODELS:
        try:
            mdp = spotree.load(name)
        except spotree.errors.MissingExtraError:
            continue
        solution = spotree.solve(mdp, depth=3, max_rounds=1, threads=1, time_limit=20)
        made[name] = Case(solution.policy, mdp.features)
    return made


@pytest.fixture(params=[*MODELS, *TROUBLE])
def case(request: pytest.FixtureRequest, cases: dict[str, Case]) -> Case:
    if request.param not in cases:
        pytest.skip(f"{request.param} needs the extra prism")
    return cases[request.param]
