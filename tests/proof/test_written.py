"""The file of a proof: one writer wins whole, nothing is left behind, and the answer outlives a full disk."""

import os
import resource
import threading

import numpy as np
import pytest

from oracles.checkers import check
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate, CertificateWriter
from spotree.common.atomic_file import UnwrittenError
from spotree.models import load
from spotree.trees.tree import leaf

LAKE = load("frozenlake_4x4")


def prove(path, **more):
    return certify(LAKE, 2, start=leaf(0), search=0.0, time_limit=20, threads=1, certificate=path, **more)


def test_two_runs_with_one_path_leave_one_whole_certificate(tmp_path):
    path = tmp_path / "run.cert"
    runs = [threading.Thread(target=prove, args=(path,)) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert check(LAKE, Certificate.load(path)).accepted
    assert list(tmp_path.iterdir()) == [path]


def test_writers_do_not_meet_and_the_last_to_finish_wins(tmp_path):
    prove(path := tmp_path / "run.cert")
    header = {k: v for k, v in Certificate.load(path).header.items() if k not in ("format", "version", "chunks")}
    first, second = CertificateWriter(path), CertificateWriter(path)
    for number, writer in enumerate((first, second, first)):
        writer.add(0, np.full(5, number, np.int32), np.full(5, float(number)))
    second.finish(header)
    assert Certificate.load(path).words.tolist() == [1] * 5
    first.finish(header)
    assert Certificate.load(path).words.tolist() == [0] * 5 + [2] * 5
    assert list(tmp_path.iterdir()) == [path]


def test_a_planted_link_beside_the_certificate_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for rule in ("state", "tree", "copy"):
        (tmp_path / f"run.cert.{rule}.partial").symlink_to(victim)
    prove(tmp_path / "run.cert")
    assert victim.read_text() == "mine"


def test_a_link_to_a_certificate_stays_and_leads_to_it(tmp_path):
    (tmp_path / "link").symlink_to("run.cert")
    prove(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert check(LAKE, Certificate.load(tmp_path / "run.cert")).accepted
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_the_earlier_file_and_no_other(error, tmp_path):
    path = tmp_path / "run.cert"
    path.write_text("old")
    seen = []

    def progress(_):
        seen.extend(tmp_path.iterdir())
        if len(seen) > 1:
            raise error

    mdp = load("tiger_vs_antelope")
    try:
        certify(mdp, 2, start=leaf(0), search=0.0, time_limit=2, threads=1, certificate=path, progress=progress)
    except error:
        assert path.read_text() == "old"
    else:
        assert error is KeyboardInterrupt  # it is an answer: the bound so far
        assert check(mdp, Certificate.load(path)).accepted
    assert len(set(seen)) > 1, "the proof had not begun to write"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("room", [0, 300])  # from the start, or at the end alone
def test_a_full_disk_is_said_with_the_file_and_the_answer(room, tmp_path):
    path = tmp_path / "run.cert"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(UnwrittenError, match=r"cannot be written .File too large") as caught:
            prove(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert str(path) in str(caught.value)
    assert caught.value.result.proved_optimal
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_certificate_that_cannot_be_there_is_refused_before_the_proof(tmp_path):
    with pytest.raises(UnwrittenError, match="there is no directory") as caught:
        prove(tmp_path / "none" / "run.cert", progress=lambda _: pytest.fail("the proof has begun"))
    assert caught.value.result is None


def test_a_certificate_is_as_readable_as_any_file(tmp_path):
    before = os.umask(0o027)
    try:
        prove(tmp_path / "run.cert")
    finally:
        os.umask(before)
    assert (tmp_path / "run.cert").stat().st_mode & 0o777 == 0o640
