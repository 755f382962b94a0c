"""Proofs at the edge of what numbers hold: no end of time, many actions, great depths, spoilt certificates."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from small_models import random_mdp
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.errors import ReadError
from spotree.proof.options import ProofOptions
from spotree.results.solution import SolveStatus


def test_a_time_limit_without_end_does_not_end_the_proof_at_once() -> None:
    mdp = random_mdp(np.random.default_rng(3), states=8, actions=3, features=2)
    found = certify(mdp, 1, time_limit=float("inf"), search=0.0)
    assert found.status is SolveStatus.OPTIMAL


def test_more_than_1024_actions_are_proved() -> None:
    mdp = random_mdp(np.random.default_rng(4), states=4, actions=1100)
    found = certify(mdp, 1, time_limit=20.0, search=0.0)
    assert found.status is SolveStatus.OPTIMAL


@pytest.mark.parametrize("max_leaves", [None, 3])
def test_a_depth_beyond_31_proves_what_the_number_of_states_proves(max_leaves: int | None) -> None:
    mdp = random_mdp(np.random.default_rng(5), states=4, actions=2)
    deep = certify(mdp, 40, max_leaves=max_leaves, time_limit=20.0)
    plain = certify(mdp, 3, max_leaves=max_leaves, time_limit=20.0)
    assert deep.status is plain.status is SolveStatus.OPTIMAL
    assert deep.value == pytest.approx(plain.value, abs=1e-9)


@pytest.mark.parametrize("spoil", ["no values", "not finite", "number too large"])
def test_a_spoilt_certificate_is_refused_not_resumed(tmp_path: Path, spoil: str) -> None:
    mdp = random_mdp(np.random.default_rng(6), states=30, actions=4, features=3)
    whole, spoilt = tmp_path / "whole", tmp_path / "spoilt"
    stopped = ProofOptions(rules=("state",), levels=False, floors=False, listed=10**8)
    certify(mdp, 3, time_limit=0.6, certificate=whole, ingredients=stopped, search=0.1, threads=1)
    old = Certificate.load(whole)
    words, numbers = old.words.copy(), old.numbers.copy()
    assert words[2] == -1, "the root comes first"
    if spoil == "no values":
        at = 6
        for _ in range(words[5]):  # every round of the root says that it lists nothing
            words[at] |= 2
            at += 3 + words[at + 2]
    elif spoil == "not finite":
        numbers[1] = np.nan
    else:
        words[1] = np.iinfo(np.int32).max
    replace(old, words=words, numbers=numbers).save(spoilt)
    with pytest.raises(ReadError, match="not a certificate that can be resumed"):
        certify(mdp, 3, time_limit=1.0, resume=spoilt, ingredients=stopped, threads=1)
