"""A leaf that two splits lead to in either order is bounded once, and written down each time."""

from pathlib import Path

import pytest

import spotree
from spotree._core import ProofWinner
from spotree.proof.options import ProofOptions
from spotree.proof.problem import make_problem

MDP = spotree.load("frozenlake_8x8")
LEVEL = 0.41  # above 0.392685, the best return of a tree of depth 3


def rounds_of(words: list[int]) -> list[int]:
    """How many rounds each record has: length, number, parent, first, second, rounds, ..."""
    found, at = [], 0
    while at < len(words):
        found.append(words[at + 5])
        at += words[at]
    return found


def test_more_regions_are_written_with_bounds_than_were_bounded() -> None:
    attempt = make_problem(MDP, 3, None, 60.0).attempt(LEVEL)
    attempt.keep()
    attempt.start(60.0, 1, ProofOptions(rules=("tree",), solo=False, floors=False), 1 << 30)
    assert attempt.wait(60.0)
    _, words, _ = attempt.proof.drain(True)
    bounded = attempt.proof.regions()
    assert attempt.proof.winner() is not ProofWinner.none
    assert sum(rounds > 0 for rounds in rounds_of(words.tolist())) > bounded


@pytest.mark.slow
def test_both_checkers_accept_what_was_written_again(tmp_path: Path) -> None:
    path = tmp_path / "run.cert"
    solution = spotree.certify(
        MDP, 3, certificate=path, time_limit=60, ingredients=ProofOptions(rules=("tree",), solo=False)
    )
    assert solution.proved_optimal
    for plain in (False, True):
        assert spotree.check(path, MDP, plain=plain).accepted
