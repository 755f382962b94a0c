"""`spotree.check`: a certificate or its file first, then the model; the claim that holds, or why not."""

from dataclasses import replace
from importlib import import_module
from itertools import product

import numpy as np
import pytest

import spotree
from oracles.certify import random_mdp
from spotree.errors import InvalidProblemError, ReadError
from spotree.mdp.build import build_mdp
from spotree.proof.options import ProofOptions

one = import_module("spotree.certificates.verify")

LAKE = spotree.load("frozenlake_4x4")


def test_a_file_and_what_was_loaded_from_it_are_checked_alike(tmp_path):
    solution = spotree.certify(LAKE, 2, time_limit=20, threads=1, certificate=tmp_path / "run.cert")
    regions: list[tuple[int, int]] = []
    by_path = spotree.check(str(tmp_path / "run.cert"), LAKE, progress=lambda *done: regions.append(done))
    by_value = spotree.check(spotree.Certificate.load(tmp_path / "run.cert"), LAKE)
    assert by_path == by_value
    assert by_path.accepted
    assert by_path.value == pytest.approx(solution.value)
    assert by_path.bound == pytest.approx(solution.bound)
    assert regions == sorted(regions)
    other = spotree.check(tmp_path / "run.cert", spotree.load("frozenlake_8x8"))
    assert not other.accepted
    assert "another model" in other.reason


def test_what_is_no_certificate_and_no_model_is_refused(tmp_path):
    (tmp_path / "run.cert").write_text("no")
    with pytest.raises(ReadError, match="not a certificate"):
        spotree.check(tmp_path / "run.cert", LAKE)
    with pytest.raises(
        InvalidProblemError, match=r"expected an MDP after the certificate, got PosixPath; call check"
    ):
        spotree.check(LAKE, tmp_path / "run.cert")  # type: ignore[arg-type]


def test_what_the_native_checker_rejects_the_plain_one_decides(tmp_path, monkeypatch):
    spotree.certify(LAKE, 1, time_limit=20, threads=1, certificate=tmp_path / "run.cert")
    held = spotree.Certificate.load(tmp_path / "run.cert")
    native = spotree.check(held, LAKE)
    assert native.accepted
    assert not native.plain
    monkeypatch.setattr(one, "_native", lambda *_: spotree.Verdict(False, "region 7 is open"))
    second = spotree.check(held, LAKE)
    assert second.accepted
    assert second.plain
    assert second.bound == pytest.approx(native.bound)
    assert second.reason == "every region holds by the plain checker; the native one: region 7 is open"
    false = replace(held, header=held.header | {"bound": held.header["value"] / 2})
    assert not spotree.check(false, LAKE).accepted


def test_visits_that_rise_for_ever_close_to_discount_1_are_found_at_once(tmp_path):
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    reward = np.array([[1.0, 0.0], [0.0, 1.0]])
    mdp = build_mdp(np.stack([swap, swap]), reward, 1 - 1e-8, initial=0, features=np.zeros((2, 1)))
    spotree.certify(mdp, 1, time_limit=20, threads=1, tolerance=1e-3, certificate=tmp_path / "run.cert")
    verdict = spotree.check(tmp_path / "run.cert", mdp)
    assert verdict.accepted
    assert not verdict.plain


@pytest.mark.parametrize(("seed", "rule"), [(8, "state"), (11, "tree")])
def test_a_certificate_that_either_checker_calls_malformed_is_never_accepted(tmp_path, seed, rule):
    """Every word of a small certificate changed by one: the checkers do not always agree on what is malformed."""
    mdp, path = random_mdp(np.random.default_rng(seed), "random"), tmp_path / "run.cert"
    use = ProofOptions(rules=(rule,), levels=False, before_floors=0.0)
    spotree.certify(mdp, 1, time_limit=20, search=0.0, threads=1, certificate=path, ingredients=use)
    held, apart = spotree.Certificate.load(path), 0
    for place, change in product(range(len(held.words)), (-1, 1)):
        words = held.words.copy()
        words[place] += change
        mutated = replace(held, words=words)
        native, plain = one.check(mdp, mutated, threads=1), one.check(mdp, mutated, plain=True)
        if not (native.malformed or plain.malformed):
            continue
        apart += native.accepted or plain.accepted
        for second in (False, True):
            verdict = spotree.check(mutated, mdp, plain=second)
            assert (verdict.accepted, verdict.malformed) == (False, True)
    assert apart > 0  # the checkers differ somewhere


def test_where_both_checkers_were_asked_both_verdicts_are_stated(tmp_path):
    spotree.certify(LAKE, 1, time_limit=20, threads=1, certificate=tmp_path / "run.cert")
    held = spotree.Certificate.load(tmp_path / "run.cert")
    both = "every region holds by the plain checker; the native one: every region holds"
    assert spotree.check(held, LAKE, plain=True).reason == both
    false = replace(held, header=held.header | {"bound": held.header["value"] / 2})
    for plain, first, other in ((False, "native", "plain"), (True, "plain", "native")):
        verdict = spotree.check(false, LAKE, plain=plain)
        reasons = {name: one.check(LAKE, false, plain=name == "plain").reason for name in (first, other)}
        assert not verdict.accepted
        assert verdict.reason.startswith(reasons[first])
        assert verdict.reason == reasons[other] or f"the {other} checker: {reasons[other]}" in verdict.reason
