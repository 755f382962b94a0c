"""The same answer to the last bit, however many threads there are and however Python orders its sets."""

import os
import subprocess
import sys

import pytest

STEP = """
import hashlib
import numpy as np
import spotree

for name, depth in (("tiger_vs_antelope", 3), ("tictactoe_vs_random", 2)):
    mdp = spotree.load(name)
    gain = np.random.default_rng(1).normal(size=(mdp.num_states, mdp.num_actions)).round(1)  # many ties
    for threads in (1, 2, 4):
        tree = spotree.improve(mdp.features, gain, depth, threads=threads).tree
        parts = (tree.feature, tree.threshold, tree.left, tree.right, tree.action)
        print(name, hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest())
"""

SEARCH = """
import hashlib
import spotree

mdp = spotree.load("tiger_vs_antelope")
for threads, cluster in ((1, None), (2, None), (1, "threads:2")):
    found = spotree.solve(
        mdp, 3, time_limit=None, max_rounds=2, seed=5, threads=threads, cluster=cluster, prove=False,
        round_work=20_000_000, enumerate_work=0,
    )
    tree = found.policy.tree
    parts = (tree.feature, tree.threshold, tree.left, tree.right, tree.action)
    print(threads, cluster, found.value.hex(), hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest())
"""


def said(code: str, hash_seed: int) -> list[str]:
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def steps() -> list[list[str]]:
    return [said(STEP, hash_seed) for hash_seed in (0, 1, 12345)]


def test_a_step_on_one_two_or_four_threads_has_one_tree(steps: list[list[str]]) -> None:
    for lines in steps:
        assert len(lines) == 6
        assert len(set(lines)) == 2  # one for each model


def test_a_step_does_not_depend_on_the_hash_seed(steps: list[list[str]]) -> None:
    assert steps[0] == steps[1] == steps[2]


def test_a_search_of_counted_rounds_does_not_depend_on_the_hash_seed() -> None:
    first, second = said(SEARCH, 0), said(SEARCH, 12345)
    assert len(first) == 3
    assert first == second
