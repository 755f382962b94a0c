"""At discount 1 the proved optimum is the best of all trees, and no naive version of a lemma gets a lie accepted."""

import dataclasses

import numpy as np
import pytest

from oracles.certificates import with_header, with_records
from oracles.checkers import check
from oracles.going_on import CASES
from oracles.undiscounted_trees import KINDS, RULES, best_return, random_model
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.records import Record, Round
from spotree.certificates.verify import check as by_one
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.evaluation import evaluate
from spotree.mdp.build import build_mdp
from spotree.mdp.model import fingerprint
from spotree.proof.options import ProofOptions
from spotree.proof.self_loops import without_own_loops

NUMBER = 60  # random models for each rule of missing actions
VARIANTS = [
    ProofOptions(rules=(rule,), before_floors=0.0, **dict.fromkeys(off, False))
    for rule in ("state", "tree")
    for off in ((), ("regret",), ("filter",), ("solo",))
] + [ProofOptions(before_floors=0.0), ProofOptions(before_floors=0.0, listed=10**6)]


def proved(mdp, depth, path, use=VARIANTS[0], max_leaves=None):
    return certify(
        mdp, depth, max_leaves=max_leaves, time_limit=60, search=0.0, threads=1, ingredients=use, certificate=path
    )


@pytest.mark.parametrize("rule", ["state", "tree"])
@pytest.mark.parametrize("name", CASES)
def test_what_fools_a_naive_proof_is_proved(name, rule, tmp_path):
    case, path = CASES[name], tmp_path / "run.cert"
    solution = proved(case.mdp, case.depth, path, ProofOptions(rules=(rule,), before_floors=0.0))
    assert solution.proved_optimal
    assert solution.value == pytest.approx(case.best, abs=1e-6)
    assert check(case.mdp, Certificate.load(path)).accepted
    assert best_return(case.mdp, case.depth, None) == pytest.approx(case.best, abs=1e-9)


def lie(name, action, rounds, tmp_path):
    """A certificate that says the leaf with this action is best, with these rounds of a root that is closed."""
    case, path = CASES[name], tmp_path / "run.cert"
    proved(case.mdp, case.depth, path)
    tree = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [action]}
    value = evaluate(case.mdp, np.full(case.mdp.num_states, action))
    assert value < case.best - 1e-3
    honest = with_header(Certificate.load(path), tree=tree, value=value, bound=value)
    return case.mdp, with_records(honest, [Record(0, -1, 0, 0, rounds, [0])])


def entry(value, visits=None, floors=()):
    floors = [(k, scale, np.array(w, float)) for k, scale, w in floors]
    none = np.zeros(0, np.int32)
    return Round(visits is not None, np.array(value, float), floors, visits and np.array(visits, float), none)


LIES = {
    "C1 a slack in every step": ("C1", 1, [entry([0.0, 0.0])]),
    "C4 idling below 0": ("C4", 0, [entry([-0.5 + 1e-9, -1.0, -1.0])]),
    "C6 visits of a class that nobody enters": ("C6", 1, [entry([1 + 1e-9, 0.0, 0.0], [1.0, 5.0, 5.0])]),
    "C7 a floor from idling below 0": (
        "C7",
        1,
        [entry([-1 + 1e-9, 0, 0], [1.0, 0.0, 0.0], [(0, 0.0, [-99.5, -100.0, -100.0])])] * 2,
    ),
}


@pytest.mark.parametrize("case", LIES)
def test_naive_numbers_are_rejected(case, tmp_path):
    mdp, forged = lie(*LIES[case], tmp_path)
    assert not check(mdp, forged).accepted


@pytest.mark.parametrize("missing", RULES)
def test_proved_optimum_is_the_best_of_all_trees_and_its_certificate_holds(missing, tmp_path):
    rng, path = np.random.default_rng(RULES.index(missing)), tmp_path / "run.cert"
    seen = 0
    for number in range(NUMBER):
        mdp = random_model(rng, KINDS[number % len(KINDS)], missing)
        if mdp is None:
            continue
        depth = int(rng.integers(1, 4))
        leaves = int(rng.integers(1, 2**depth + 1)) if number % 3 == 0 else None
        truth, use = best_return(mdp, depth, leaves), VARIANTS[number // len(KINDS) % len(VARIANTS)]
        try:
            solution = proved(mdp, depth, path, use, leaves)
        except InfeasibleError:
            assert truth == -np.inf
            continue
        except InvalidProblemError:  # rounding would decide
            continue
        scale = max(abs(solution.optimum), float(np.ptp(np.append(mdp.reward_of_choice, 0.0))), 1e-9)
        assert solution.proved_optimal, (number, use)
        assert solution.value == pytest.approx(truth, abs=1.1e-7 * scale)
        assert solution.bound >= truth - 1e-9 * scale
        assert check(mdp, Certificate.load(path)).accepted, (number, use)
        seen += 1
    assert seen > 0.8 * NUMBER


def test_a_stopped_run_has_a_certificate_that_holds(tmp_path):
    rng, path = np.random.default_rng(8), tmp_path / "run.cert"
    for kind in KINDS:
        mdp = random_model(rng, kind, "random")
        if mdp is None:
            continue
        try:
            solution = certify(mdp, 1, time_limit=0.0, certificate=path)
        except InfeasibleError:
            continue
        assert solution.value <= best_return(mdp, 1, None) + 1e-9 <= solution.bound + 2e-7
        assert check(mdp, Certificate.load(path)).accepted


def test_whether_the_episode_must_end_is_part_of_the_model(tmp_path):
    mdp, path = CASES["C3"].mdp, tmp_path / "run.cert"
    other = dataclasses.replace(mdp, must_end=False)
    assert fingerprint(mdp) != fingerprint(other)
    proved(mdp, 1, path)
    assert not by_one(other, Certificate.load(path)).accepted


def test_own_loops_are_summed_up_and_returns_stay_as_they_are():
    mdp = CASES["C8"].mdp
    summed = without_own_loops(mdp)
    state_of_entry = np.repeat(summed.state_of_choice, np.diff(summed.row_start))
    assert not (summed.target == state_of_entry).any()
    for actions in ([0, 0], [0, 1], [1, 0], [1, 1]):
        assert evaluate(mdp, actions) == pytest.approx(evaluate(summed, actions))


def test_a_row_that_surely_stays_ends_at_nothing_or_is_forbidden():
    rng = np.random.default_rng(0)
    for kind in KINDS:
        for _ in range(20):
            mdp = random_model(rng, kind, "stay")
            if mdp is None:
                continue
            summed, stays = without_own_loops(mdp), np.flatnonzero(np.diff(mdp.row_start) == 1)
            stays = stays[(mdp.target[mdp.row_start[stays]] == mdp.state_of_choice[stays])]
            stays = stays[mdp.probability[mdp.row_start[stays]] == 1]
            assert (np.diff(summed.row_start)[stays] == 0).all()
            if mdp.must_end:
                assert not np.isin(stays, summed.choice_of).any()


def test_what_is_paid_for_staying_for_ever_does_not_widen_the_tolerance(tmp_path):
    # The first action ends the episode for 7.5, the second one stays for 1e8 a step: no tree of finite return takes it.
    mdp = build_mdp(
        transitions=np.array([[[0.0]], [[1.0]]]),
        reward=[[-7.5, -1e8]],
        ends=[[1.0, 0.0]],
        discount=1,
        initial=[1.0],
        features=[[0.0]],
        undiscounted=True,
        must_end=True,
    )
    solution = proved(mdp, 0, tmp_path / "run.cert")
    assert (solution.value, solution.proved_optimal) == (-7.5, True)
    verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
    assert verdict.accepted
    assert verdict.tolerance == pytest.approx(7.5e-7)


def test_a_tolerance_of_the_best_policys_return_is_taken_where_trees_return_much_less(tmp_path):
    """The best policy goes round a million times, a leaf ends at once or never: 3 counts as nothing beside 1e6."""
    chance = np.zeros((2, 2, 2))  # [action, state, next state]
    chance[1, 0, 1], chance[0, 1, 0], chance[1, 1, 1] = 1, 1 - 1e-6, 1
    ends, reward = np.array([[1.0, 0.0], [1e-6, 0.0]]), np.array([[0.0, 1.0], [0.0, 0.0]])
    mdp = build_mdp(
        chance, reward, 1.0, initial=0, features=np.zeros((2, 1)), ends=ends, undiscounted=True, must_end=True
    )
    found = certify(mdp, 0, tolerance=3e-6, time_limit=5, certificate=tmp_path / "run.cert")
    assert found.value == 0
    assert found.optimum == pytest.approx(1e6)
    verdict = check(mdp, Certificate.load(tmp_path / "run.cert"))
    assert verdict.accepted, verdict.reason
    assert verdict.bound == pytest.approx(3)  # the tolerance: what counts as nothing
