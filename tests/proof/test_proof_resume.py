"""A proof goes on from its checkpoint, whenever it was killed, and ends with the same answer."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.certify import best_return, random_mdp
from oracles.checkers import check
from oracles.true_claims import CLOSED
from spotree import CheckpointWriter, certify, load, solve
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check as by_native
from spotree.errors import InfeasibleError, ReadError
from spotree.proof.checkpoint.format import load_proof
from spotree.proof.options import ProofOptions
from spotree.results.progress import Progress

pytestmark = pytest.mark.slow

MODEL, DEPTH = "system_administrator_1", 2  # some seconds on one core
BEST = 209.94875226736
ALL = ProofOptions()
TREES, STATES = ProofOptions(rules=("tree",), levels=False), ProofOptions(rules=("state",), levels=False)
QUICK: dict[str, Any] = {"threads": 1, "search": 0.0}


def child(path: Path, certificate: Path, rules: str, every: float = 0.05) -> "subprocess.Popen[bytes]":
    """A proof in a process of its own, resumed if there is something to resume."""
    code = (
        "import sys, pathlib, spotree\n"
        "from spotree.proof.options import ProofOptions\n"
        "path, certificate, rules, every = sys.argv[1:]\n"
        "there = pathlib.Path(path).exists()\n"
        f"spotree.certify(spotree.load({MODEL!r}), {DEPTH}, threads=1, search=0.2, time_limit=120,\n"
        "    checkpoint=spotree.CheckpointWriter(path, every=float(every)), resume=path if there else None,\n"
        "    certificate=certificate, ingredients=ProofOptions(rules=tuple(rules.split(','))))\n"
    )
    return subprocess.Popen([sys.executable, "-c", code, str(path), str(certificate), rules, str(every)])


@pytest.mark.parametrize("rules", ["tree", "state,tree"])
def test_a_proof_that_is_killed_again_and_again_ends_with_the_same_answer(tmp_path: Path, rules: str) -> None:
    path, certificate = tmp_path / "run.ckpt", tmp_path / "run.cert"
    dice, kills = random.Random(rules), 0
    while True:
        running = child(path, certificate, rules)
        try:
            running.wait(timeout=2.0 + 2.0 * kills + dice.random())
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            running.wait()
            kills += 1
            continue
        break
    assert running.returncode == 0
    assert kills >= 1
    found = Certificate.load(certificate)
    assert found.header["value"] == pytest.approx(BEST, rel=1e-9)
    verdict = by_native(load(MODEL), found)  # the plain one takes a minute for this
    assert verdict.accepted, verdict.reason
    assert verdict.bound == pytest.approx(BEST, rel=1e-6)


@pytest.mark.parametrize("use", [ALL, TREES, STATES], ids=["both", "tree", "state"])
def test_short_runs_add_up_to_a_proof(tmp_path: Path, use: ProofOptions) -> None:
    mdp, path = load("traffic_intersection"), tmp_path / "run.ckpt"
    start, bounds = solve(mdp, 2, max_rounds=2, time_limit=None, prove=False), []
    for _ in range(40):
        found = certify(
            mdp,
            2,
            start=start,
            time_limit=0.3,
            ingredients=use,
            checkpoint=CheckpointWriter(path, every=0.05),
            resume=path if path.exists() else None,
            certificate=tmp_path / "run.cert",
            **QUICK,
        )
        bounds.append(found.bound)
        if found.status in CLOSED:
            break
    assert found.status in CLOSED
    assert bounds == sorted(bounds, reverse=True)
    assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


def test_a_finished_proof_is_taken_up_as_finished(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(3), tmp_path / "run.ckpt"
    for number in range(40):
        mdp = random_mdp(rng, ("random", "end", "stay", "forbid")[number % 4])
        use = (ALL, TREES, STATES)[number % 3]
        truth = best_return(mdp, 2, None)
        try:
            first = certify(mdp, 2, time_limit=60, ingredients=use, checkpoint=path, **QUICK)
        except InfeasibleError:
            path.unlink(missing_ok=True)
            continue
        again = certify(
            mdp, 2, time_limit=60, ingredients=use, resume=path, certificate=tmp_path / "run.cert", **QUICK
        )
        scale = max(abs(again.optimum), again.optimum - again.random_value)
        assert first.proved_optimal
        assert again.status in CLOSED
        assert again.value == pytest.approx(truth, abs=1e-7 * scale)
        assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted
        path.unlink()


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of a proof that was stopped, with pieces in it."""
    path: Path = tmp_path_factory.mktemp("proof") / "run.ckpt"
    for regions in range(300, 1000, 100):  # of some thousand; now and then rule "tree" has not begun by then

        def stop_halfway(line: Progress, most: int = regions) -> None:
            if line.round > most:
                raise KeyboardInterrupt

        path.unlink(missing_ok=True)
        certify(load(MODEL), DEPTH, time_limit=60, ingredients=ALL, checkpoint=path, progress=stop_halfway, **QUICK)
        if len(load_proof(path, load(MODEL), DEPTH, None, 1e-7).left[0]) > 0:
            return path
    raise AssertionError("no stopped proof has pieces")


def test_a_run_that_has_no_time_keeps_what_was_left(stopped: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    shutil.copy(stopped, path)
    before = load_proof(path, load(MODEL), DEPTH, None, 1e-7)
    certify(load(MODEL), DEPTH, time_limit=0.0, ingredients=ALL, checkpoint=path, resume=path, **QUICK)
    after = load_proof(path, load(MODEL), DEPTH, None, 1e-7)
    assert np.array_equal(after.left[0], before.left[0])
    assert np.array_equal(after.by_tree.numbers, before.by_tree.numbers)
    assert after.bound <= before.bound


def test_a_finished_proof_that_is_taken_up_without_time_keeps_its_certificate(tmp_path: Path) -> None:
    path, certificate, mdp = tmp_path / "run.ckpt", tmp_path / "run.cert", load("frozenlake_8x8")
    first = certify(mdp, 3, time_limit=60, checkpoint=path, **QUICK)
    assert first.proved_optimal
    certify(mdp, 3, time_limit=0.0, resume=path, certificate=certificate, **QUICK)
    verdict = check(mdp, Certificate.load(certificate))
    assert verdict.accepted, verdict.reason
    assert verdict.bound == pytest.approx(first.value, rel=1e-6)


def changed(path: Path, to: Path, header: Any = None, **arrays: Any) -> Path:
    """The checkpoint with other entries in its state, or other bytes in its arrays."""
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(to, "w") as made:
        for name in archive.namelist():
            raw = archive.read(name)
            if name == "header.json" and header is not None:
                document = json.loads(raw)
                document["state"] |= header
                raw = json.dumps(document).encode()
            short = name.removeprefix("arrays/")
            made.writestr(name, arrays[short](raw) if short in arrays else raw)
    return to


@pytest.mark.parametrize(
    "entry", ["tree", "found", "bound", "level", "following", "rule", "symmetry_state", "part"]
)
@pytest.mark.parametrize("value", ["x", [1], {"a": 1}, -7.5, 1e400])
def test_a_wrong_entry_is_one_clear_error(stopped: Path, tmp_path: Path, entry: str, value: Any) -> None:
    numeric = entry in ("bound", "level") and value in (-7.5,)
    if numeric or (entry == "level" and value == 1e400):
        pytest.skip("it may be that")
    path = changed(stopped, tmp_path / "bad.ckpt", {entry: value})
    with pytest.raises(ReadError, match=r"bad\.ckpt"):
        certify(load(MODEL), DEPTH, time_limit=1.0, resume=path, **QUICK)


def test_random_words_and_numbers_are_refused_or_harmless(stopped: Path, tmp_path: Path) -> None:
    rng, mdp, refused = np.random.default_rng(5), load(MODEL), 0
    for name in ("left_words", "left_numbers", "tree_words", "state_words", "state_numbers") * 6:

        def spoil(raw: bytes) -> bytes:
            made = bytearray(raw)
            for at in rng.integers(0, len(made), 1 + int(rng.integers(0, 4))):
                made[at] = int(rng.integers(0, 256))
            return bytes(made)

        path = changed(stopped, tmp_path / "bad.ckpt", **{name: spoil})
        try:
            certify(mdp, DEPTH, time_limit=0.3, resume=path, **QUICK)
        except ReadError as error:
            refused += "bad.ckpt" in str(error)
    assert refused >= 5


def test_a_torn_or_foreign_file_is_one_clear_error(stopped: Path, tmp_path: Path) -> None:
    mdp, path = load(MODEL), tmp_path / "torn.ckpt"
    whole = stopped.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:length])
        with pytest.raises(ReadError, match=r"torn\.ckpt"):
            certify(mdp, DEPTH, time_limit=1.0, resume=path, **QUICK)
    for other in ({"depth": 3}, {"tolerance": 1e-6}, {"mdp": load("traffic_intersection")}):
        asked = {"mdp": mdp, "depth": DEPTH} | other
        with pytest.raises(ReadError, match=r"run\.ckpt"):
            certify(time_limit=1.0, resume=stopped, **asked, **QUICK)


def test_a_checkpoint_on_a_full_disk_loses_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spotree.checkpoint import Checkpoint
    from spotree.common.atomic_file import UnwrittenError

    def full(self: Checkpoint, path: Path, partial: Path | None = None) -> None:
        raise UnwrittenError(path, OSError(28, "No space left on device"))

    monkeypatch.setattr(Checkpoint, "save", full)
    with pytest.warns(UserWarning, match="No space left"):
        found = certify(load("traffic_intersection"), 2, time_limit=30, checkpoint=tmp_path / "run.ckpt", **QUICK)
    assert found.proved_optimal


def test_pieces_are_in_the_file_while_a_proof_runs(tmp_path: Path) -> None:
    path, mdp = tmp_path / "run.ckpt", load(MODEL)
    running = child(path, tmp_path / "run.cert", "tree")
    pieces = 0
    while running.poll() is None and not pieces:
        time.sleep(0.1)
        pieces = len(load_proof(path, mdp, DEPTH, None, 1e-7).left[0]) if path.exists() else 0
    running.kill()
    running.wait()
    assert pieces
