"""At discount 1 the value of a part comes down from that of the whole, and what is dead there is found all the same."""

import numpy as np
import pytest

from oracles.checkers import check
from oracles.going_on import END, model
from oracles.undiscounted_trees import best_return
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.mdp.build import build_mdp
from spotree.proof.options import ProofOptions

SIDE, SLIP = 4, 0.2
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


def grid(must_end=True):
    """Costs, or the chance, of reaching one corner from the other: a move slips to one side or the other."""
    states = SIDE * SIDE
    transitions = np.zeros((len(MOVES), states, states))
    reward, ends = np.full((states, len(MOVES)), -1.0 if must_end else 0.0), np.zeros((states, len(MOVES)))
    goal, trap = states - 1, SIDE + 2
    for state in range(states):
        for action in range(len(MOVES)):
            for turn, chance in ((0, 1 - SLIP), (1, SLIP / 2), (-1, SLIP / 2)):
                down, right = MOVES[(action + turn) % len(MOVES)]
                row = min(max(state // SIDE + down, 0), SIDE - 1)
                column = min(max(state % SIDE + right, 0), SIDE - 1)
                to = row * SIDE + column
                if to == goal:
                    ends[state, action] += chance
                    reward[state, action] += 0.0 if must_end else chance
                elif to == trap and not must_end:
                    ends[state, action] += chance
                else:
                    transitions[action, state, to] += chance
    features = np.array([(state // SIDE, state % SIDE) for state in range(states)], float)
    return build_mdp(transitions, reward, 1.0, 0, features, ends=ends, undiscounted=True, must_end=must_end)


def proved(mdp, depth, rule, path, **use):
    return certify(
        mdp,
        depth,
        time_limit=60,
        search=0.0,
        threads=1,
        certificate=path,
        ingredients=ProofOptions(rules=(rule,), before_floors=0.0, **use),
    )


@pytest.mark.parametrize("rule", ["state", "tree"])
@pytest.mark.parametrize("must_end", [True, False])
def test_swept_values_prove_the_best_of_all_trees(must_end, rule, tmp_path):
    mdp, path = grid(must_end), tmp_path / "run.cert"
    solution = proved(mdp, 1, rule, path)
    assert solution.proved_optimal
    assert solution.value == pytest.approx(best_return(mdp, 1, None), rel=1e-6)
    assert check(mdp, Certificate.load(path)).accepted


@pytest.mark.parametrize("must_end", [True, False])
def test_both_rules_prove_the_same_with_and_without_the_filter(must_end, tmp_path):
    mdp, values = grid(must_end), []
    for rule in ("state", "tree"):
        for use in ({}, {"filter": False}):
            path = tmp_path / "run.cert"
            solution = proved(mdp, 2, rule, path, **use)
            assert solution.proved_optimal
            assert check(mdp, Certificate.load(path)).accepted
            values.append(solution.value)
    assert max(values) - min(values) <= 2e-7 * abs(values[0])


# 0 and 1 are one group, so one action is taken in both; a long way round leads to the end where the short one is gone.
ROUND = {
    0: ((-1.0, {1: 1.0}), (-1.0, {2: 1.0})),
    1: ((-1.0, {END: 1.0}), (-1.0, {0: 1.0})),
    2: ((-1.0, {3: 1.0}), (-1.0, {1: 1.0})),
    3: ((-1.0, {2: 1.0}), (-9.0, {END: 1.0})),
}


@pytest.mark.parametrize("rule", ["state", "tree"])
@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("must_end", [True, False])
def test_a_way_round_is_found_where_the_nearest_end_is_gone_and_dead_states_where_none_is(
    must_end, depth, rule, tmp_path
):
    mdp, path = model(ROUND, must_end, groups={1: 0}), tmp_path / "run.cert"
    solution = proved(mdp, depth, rule, path)
    assert solution.proved_optimal
    assert solution.value == pytest.approx(-2.0)  # the first action everywhere: 0, 1, the end
    assert solution.value == pytest.approx(best_return(mdp, depth, None))
    assert check(mdp, Certificate.load(path)).accepted


def test_where_no_tree_takes_the_short_way_the_long_one_is_proved(tmp_path):
    short = ROUND | {1: ((-50.0, {END: 1.0}), (-1.0, {0: 1.0}))}
    mdp = model(short, must_end=True, groups={1: 0})
    for rule in ("state", "tree"):
        path = tmp_path / "run.cert"
        solution = proved(mdp, 2, rule, path)
        assert solution.proved_optimal
        assert solution.value == pytest.approx(-11.0)  # 0, 2, 3, the end: 1 + 1 + 9
        assert check(mdp, Certificate.load(path)).accepted
