"""Rule "state" parts a region only where that makes it smaller."""

import numpy as np
import pytest

from oracles.certify import best_return
from oracles.checkers import check
from oracles.equal_actions import with_equal_actions
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.proof.options import ProofOptions

STATE = ProofOptions(rules=("state",), levels=False)


@pytest.mark.parametrize("number", [44, 210, 226, 788, 874, 1474])
def test_a_group_whose_allowed_actions_do_the_same_is_not_parted(number, tmp_path):
    """The tree of least loss may take an action there that is not allowed: then one part was the whole once more.

    788: "neither closed nor parted in two", by both checkers. 1474: the same region again and again, without end.
    """
    case, path = with_equal_actions(np.random.default_rng([1, number])), tmp_path / "run.cert"
    found = certify(
        case.mdp,
        case.depth,
        max_leaves=case.max_leaves,
        time_limit=20,
        search=0.0,
        threads=1,
        certificate=path,
        ingredients=STATE,
    )
    assert found.proved_optimal
    best = best_return(case.mdp, case.depth, case.max_leaves)
    assert found.value == pytest.approx(best, abs=1e-5 * max(1, abs(found.optimum)))
    verdict = check(case.mdp, Certificate.load(path))
    assert verdict.accepted, verdict.reason
