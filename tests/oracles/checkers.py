"""Both checkers at once: they share no code, so where they differ one of them is wrong."""

import pytest

from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import Verdict
from spotree.certificates.verify import check as by_one
from spotree.mdp.model import MDP


def check(mdp: MDP, certificate: Certificate, threads: int = 2) -> Verdict:
    """The verdict of the plain checker, once the native one has come to the same."""
    plain, native = by_one(mdp, certificate, plain=True), by_one(mdp, certificate, threads=threads)
    assert plain.accepted == native.accepted, f"plain: {plain.reason}; native: {native.reason}"
    if plain.accepted:
        assert plain.regions == native.regions
        assert (plain.bound, plain.tolerance) == pytest.approx((native.bound, native.tolerance), rel=1e-12)
        assert abs(plain.value - native.value) <= 0.2 * plain.tolerance  # each may be off by a tenth
    return plain
