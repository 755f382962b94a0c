"""`spotree.check`: a certificate or its file first, then the model; the claim that holds, or why not."""

import pytest

import spotree
from spotree.errors import InvalidProblemError, ReadError

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
