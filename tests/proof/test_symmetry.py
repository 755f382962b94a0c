"""Symmetries change the time of a proof, never its answer, and both checkers see them for what they are."""

import numpy as np
import pytest

from oracles.certificates import with_header
from oracles.certify import best_return, random_mdp
from oracles.checkers import check
from oracles.symmetric import SPOILED, symmetric_mdp
from oracles.true_claims import CLOSED
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.records import read_records
from spotree.errors import InfeasibleError, ReadError
from spotree.models import load
from spotree.proof.feature_classes import find_groups
from spotree.proof.options import ProofOptions
from spotree.proof.symmetry.symmetries import distance, find_symmetries

pytestmark = pytest.mark.slow

MISSING = ("random", "end", "stay", "forbid")
NUMBER = 150  # models for each rule of missing actions


def symmetries(mdp, margin=1e-6):
    return find_symmetries(mdp, find_groups(mdp), margin)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("tictactoe_vs_random", 8),
        ("tiger_vs_antelope", 8),
        ("system_administrator_tree", 8),
        ("system_administrator_1", 2),
        ("system_administrator_2", 1),
        ("frozenlake_8x8", 1),
        ("traffic_intersection", 1),
        ("blackjack", 1),
        ("csma_2_2", 1),
    ],
)
def test_known_symmetries_are_found(name, count):
    found = symmetries(load(name))
    assert len(found) + 1 == count


def test_a_mirror_of_a_grid_reverses_a_feature():
    found = symmetries(load("tiger_vs_antelope"))
    assert [1, -2, 3, -4] in found.feature.tolist()  # both animals' y is counted from the other side
    assert [2, 1, 4, 3] in found.feature.tolist()  # x and y are exchanged


def test_what_is_found_leaves_the_model_as_it_is():
    for name in ("tictactoe_vs_random", "tiger_vs_antelope"):
        mdp = load(name)
        found, groups = symmetries(mdp), find_groups(mdp)
        for state, action in zip(found.state, found.action, strict=True):
            assert distance(mdp, groups, state, action) == (0.0, 0.0, 0.0)


def test_numbers_that_differ_by_rounding_need_a_margin():
    mdp = load("system_administrator_tree")
    assert len(symmetries(mdp, margin=1e-5)) == 7
    assert len(symmetries(mdp, margin=1e-9)) == 0


def test_the_symmetries_found_are_those_that_are_there():
    """Of random symmetric models: each one found is one, and most models have some."""
    rng, with_some = np.random.default_rng(0), 0
    for number in range(200):
        mdp = symmetric_mdp(rng, MISSING[number % 4])
        groups = find_groups(mdp)
        found = find_symmetries(mdp, groups, 1e-6)
        with_some += len(found) > 0
        for state, action, group in zip(found.state, found.action, found.group, strict=True):
            image = mdp.rows.toarray()[groups.choice_of[state][:, action]][:, :, state]
            apart = np.abs(image - mdp.rows.toarray()[groups.choice_of])[groups.choice_of >= 0]
            assert apart.max(initial=0.0) < 1e-15
            assert (mdp.initial[state] == mdp.initial).all()
            assert (np.sort(group) == np.arange(len(group))).all()
    assert with_some > 100


def proved(mdp, depth, max_leaves, path, threads=1, **use):
    ingredients = ProofOptions(rules=("tree",), before_floors=0.0, **use)
    return certify(
        mdp,
        depth,
        max_leaves=max_leaves,
        time_limit=60,
        search=0.0,
        threads=threads,
        ingredients=ingredients,
        certificate=path,
    )


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("spoil", [None, *SPOILED])
def test_symmetric_models_against_brute_force(missing, spoil, tmp_path):
    rng, path, images = np.random.default_rng([MISSING.index(missing), len(str(spoil))]), tmp_path / "run.cert", 0
    for number in range(NUMBER if spoil is None else NUMBER // 5):
        mdp = symmetric_mdp(rng, missing, spoil)
        depth = int(rng.integers(1, 4)) if mdp.num_states < 9 else int(rng.integers(1, 3))
        max_leaves = int(rng.integers(1, 2**depth + 1)) if number % 3 == 0 else None
        truth = best_return(mdp, depth, max_leaves)
        use = [{}, {"solo": False}, {"filter": False}, {"regret": False}, {"listed": 10**8}][number % 5]
        try:
            solution = proved(mdp, depth, max_leaves, path, threads=(1, 2, 4)[number % 3], **use)
        except InfeasibleError:
            assert truth == -np.inf
            continue
        scale = max(abs(solution.optimum), solution.optimum - solution.random_value)
        assert solution.proved_optimal
        assert solution.value == pytest.approx(truth, abs=1e-7 * scale)
        certificate = Certificate.load(path)
        verdict = check(mdp, certificate)
        assert verdict.accepted, (number, verdict.reason)
        records = read_records(certificate, mdp.num_states).values()
        images += any(r.branching[0] == 6 and len(r.branching) == 3 for r in records)
    assert images > 0 or spoil is not None


def test_without_symmetries_the_answer_is_the_same_and_the_proof_is_longer(tmp_path):
    mdp, regions = load("system_administrator_tree"), {}
    for on in (True, False):
        solution = proved(mdp, 1, None, tmp_path / "run.cert", symmetries=on)
        regions[on] = check(mdp, Certificate.load(tmp_path / "run.cert")).regions
        assert solution.value == pytest.approx(325.574267, abs=1e-6)
    assert regions[True] < 0.5 * regions[False]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_any_number_of_threads_gives_the_same_answer(threads, tmp_path):
    mdp = load("tiger_vs_antelope")
    solution = proved(mdp, 1, None, tmp_path / "run.cert", threads)
    assert solution.proved_optimal
    assert solution.value == pytest.approx(0.538037, abs=1e-6)
    assert check(mdp, Certificate.load(tmp_path / "run.cert")).accepted


def test_a_model_without_symmetries_is_proved_as_before(tmp_path):
    rng = np.random.default_rng(5)
    for _ in range(30):
        mdp = random_mdp(rng, "random")
        both = [proved(mdp, 2, None, tmp_path / "run.cert", symmetries=on).value for on in (True, False)]
        assert both[0] == pytest.approx(both[1], rel=1e-9, abs=1e-9)


def test_a_stopped_proof_goes_on_with_its_symmetries(tmp_path):
    """Its root has removed actions with their images, so whoever goes on must know them."""
    mdp, path = load("system_administrator_tree"), tmp_path / "run.cert"
    use = ProofOptions(levels=False, before_floors=0.0)
    old, stops = None, 0
    for limit in [0.05, 0.2, 0.4, 60.0]:
        solution = certify(
            mdp, 1, time_limit=limit, search=0.0, certificate=path, resume=old, threads=2, ingredients=use
        )
        verdict = check(mdp, Certificate.load(path))
        assert verdict.accepted, verdict.reason
        assert verdict.bound >= 325.574266
        stops += solution.status not in CLOSED
        old = path
    assert solution.status in CLOSED
    assert stops > 0


def test_symmetries_that_are_none_are_not_taken_over(tmp_path):
    mdp, path = load("system_administrator_tree"), tmp_path / "run.cert"
    proved(mdp, 1, None, path)
    certificate = Certificate.load(path)
    state = list(certificate.header["symmetry_state"])
    state[:2] = state[1::-1]
    with_header(certificate, symmetry_state=state).save(path)
    with pytest.raises(ReadError, match="none of the model"):
        certify(mdp, 1, time_limit=1, resume=path)
