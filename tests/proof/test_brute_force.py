"""The proved optimum is the best of all trees, whatever rule or ingredient finds it."""

import dataclasses

import numpy as np
import pytest

from oracles.certify import best_return, random_mdp
from oracles.checkers import check
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.errors import InfeasibleError
from spotree.proof.options import ProofOptions

pytestmark = pytest.mark.slow

RULES = {
    "random": "random",
    "end": "end",
    "stay": "stay",
    "forbid": "forbid",
}
VARIANTS = [
    ProofOptions(rules=(rule,), before_floors=0.0, **dict.fromkeys(off, False))
    for rule in ("state", "tree")
    for off in ((), ("regret",), ("floors",), ("filter",), ("solo",))
]
NUMBER = 500  # models for each rule of missing actions


def proved(mdp, depth, max_leaves, use, path):
    return certify(
        mdp, depth, max_leaves=max_leaves, time_limit=60, search=0.0, threads=1, ingredients=use, certificate=path
    )


@pytest.mark.parametrize("missing", RULES)
def test_proved_optimum_is_the_best_of_all_trees_and_its_certificate_holds(missing, tmp_path):
    rng = np.random.default_rng(list(RULES).index(missing))
    for number in range(NUMBER):
        mdp = random_mdp(rng, missing)
        depth = int(rng.integers(1, 4))
        max_leaves = int(rng.integers(1, 2**depth + 1)) if number % 3 == 0 else None
        truth = best_return(mdp, depth, max_leaves)
        use = VARIANTS[number % len(VARIANTS)]
        try:
            solution = proved(mdp, depth, max_leaves, use, tmp_path / "run.cert")
        except InfeasibleError:
            assert truth == -np.inf
            continue
        scale = max(abs(solution.optimum), solution.optimum - solution.random_value)
        assert solution.proved_optimal
        assert solution.value == pytest.approx(truth, abs=1e-7 * scale)
        assert solution.bound >= truth - 1e-12 * scale
        verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
        assert verdict.accepted, (number, use, verdict.reason)


def test_bound_holds_when_no_time_is_given(tmp_path):
    rng = np.random.default_rng(77)
    for _ in range(20):
        mdp = random_mdp(rng, "random")
        solution = certify(mdp, 1, time_limit=0.0, certificate=tmp_path / "run.cert")
        assert solution.value <= best_return(mdp, 1, None) + 1e-9 <= solution.bound + 2e-9
        assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


def test_unknown_branching_rule_is_refused():
    with pytest.raises(ValueError, match="branching rule 'breadth' is unknown"):
        dataclasses.replace(ProofOptions(), rules=("breadth",))
