"""The default search: exact judgement of candidates, optimal on tiny models, repeatable, monotone."""

import numpy as np
import pytest

from oracles.neighbourhood import best_return, policy_return, random_mdp
from spotree import _core
from spotree.api.solve import solve
from spotree.errors import InvalidProblemError
from spotree.mdp.build import build_mdp
from spotree.methods.neighbourhood import Neighbourhood
from spotree.results.solution import SolveStatus
from spotree.search.depth_search import DepthSearch
from spotree.search.feature_classes import rank_features
from spotree.search.run_context import RunContext
from spotree.trees.layouts import CompleteTree, complete
from spotree.trees.tree import leaf, make_tree

KINDS = [
    {},
    {"ends": 0.5},
    {"missing": "end"},
    {"missing": "stay", "density": 0.2},
    {"missing": "forbid"},
    {"missing": "forbid", "ends": 0.3, "density": 0.2},
    {"discount": 0.0},
    {"discount": 0.999, "density": 0.9},
]

QUICK = Neighbourhood(round_work=1_000_000)
MIDDLE = Neighbourhood(round_work=20_000_000)


def search_of(mdp, depth):
    frame = RunContext(mdp, depth, None, "neighbourhood", 0)
    return DepthSearch(frame, rank_features(mdp), 1, Neighbourhood(round_work=1000)).deep


def random_complete(rng, ranks, depth, num_actions):
    feature = rng.integers(0, len(ranks.values), 2**depth - 1)
    cut = [rng.integers(0, len(ranks.values[f]) + 1) for f in feature]
    return CompleteTree(
        feature.astype(np.int32), np.array(cut, np.int32), rng.integers(0, num_actions, 2**depth).astype(np.int32)
    )


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("size", [7, 40])
def test_a_candidate_is_worth_its_return_by_a_dense_solve(kind, size):
    rng = np.random.default_rng(size)
    for _ in range(6):
        mdp = random_mdp(rng, size=size, num_actions=3, **kind)
        ranks = rank_features(mdp)
        depth = min(3, max(len(ranks.rank) - 1, 0))
        search = search_of(mdp, depth)
        for _ in range(10):
            tree = random_complete(rng, ranks, depth, mdp.num_actions)
            truth = policy_return(mdp, tree.tree(ranks.values).actions(mdp.features))
            found = search.expected_return(tree.feature, tree.cut, tree.action, -np.inf)
            assert found == pytest.approx(truth, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_early_rejection_never_changes_a_decision(kind):
    rng = np.random.default_rng(3)
    for _ in range(5):
        mdp = random_mdp(rng, size=60, num_actions=3, **kind)
        ranks = rank_features(mdp)
        search = search_of(mdp, 3)
        for _ in range(10):
            tree = random_complete(rng, ranks, 3, mdp.num_actions)
            truth = search.expected_return(tree.feature, tree.cut, tree.action, -np.inf)
            if truth == -np.inf:
                continue
            for distance in (-1.0, -1e-2, -1e-4, -1e-5, 1e-5, 1e-4, 1e-2, 1.0):
                threshold = truth + distance * max(1.0, abs(truth))
                found = search.expected_return(tree.feature, tree.cut, tree.action, threshold)
                assert (found >= threshold) == (truth >= threshold)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("depth", "max_leaves"), [(0, None), (1, None), (2, None), (2, 3)])
def test_the_best_of_all_trees_is_found_on_tiny_models(kind, depth, max_leaves):
    for seed in range(3):
        mdp = random_mdp(np.random.default_rng(seed), **kind)
        best = best_return(mdp, depth, max_leaves)
        if best == -np.inf:
            continue
        solution = solve(mdp, depth, max_leaves=max_leaves, threads=1, time_limit=None, max_rounds=12, method=QUICK)
        assert solution.value == pytest.approx(best, rel=1e-9, abs=1e-12)
        assert solution.proved_optimal
        assert solution.bound == pytest.approx(best, rel=1e-9, abs=1e-12)
        assert solution.policy.depth <= depth
        assert solution.policy.num_leaves <= (max_leaves or 2**depth)


def test_a_single_leaf_is_proved_at_once_whatever_the_time():
    mdp = random_mdp(np.random.default_rng(2), size=300, num_actions=5, num_features=6)
    solution = solve(mdp, 0, threads=1, time_limit=None, max_rounds=1)
    assert solution.proved_optimal
    assert solution.value == solution.bound
    assert solution.value == pytest.approx(max(policy_return(mdp, np.full(300, a)) for a in range(5)), rel=1e-12)


def test_no_proof_without_having_seen_every_tree():
    mdp = random_mdp(np.random.default_rng(4), size=60, num_actions=4, num_features=3)
    few, none = (Neighbourhood(round_work=2000, enumerate_work=work) for work in (10**12, 0))
    for settings in (few, none):
        ladder = DepthSearch(RunContext(mdp, 2, None, "neighbourhood", 0), rank_features(mdp), 1, settings)
        ladder.round(0, np.inf)
        assert not ladder.complete
    late = DepthSearch(RunContext(mdp, 2, None, "neighbourhood", 0), rank_features(mdp), 1, Neighbourhood())
    assert not late.deep.enumerate(10**12, 0.0)
    assert late.deep.enumerate(10**12, np.inf)


def test_the_best_tree_as_a_start_is_proved_too():
    mdp = random_mdp(np.random.default_rng(8), size=60, num_actions=4, num_features=3)
    best = solve(mdp, 2, threads=1, time_limit=None, max_rounds=50)
    again = solve(mdp, 2, threads=1, time_limit=None, max_rounds=50, start=best.policy.tree)
    assert best.proved_optimal
    assert again.proved_optimal
    assert again.value == best.value


@pytest.mark.parametrize("threads", [1, 2])
def test_a_seed_and_a_number_of_threads_give_one_answer(threads):
    mdp = random_mdp(np.random.default_rng(5), size=50, num_actions=4, num_features=4)
    runs = [solve(mdp, 3, seed=7, threads=threads, time_limit=None, max_rounds=6, method=QUICK) for _ in range(2)]
    assert runs[0].value == runs[1].value
    assert str(runs[0].policy) == str(runs[1].policy)
    assert [line.value for line in runs[0].history] == [line.value for line in runs[1].history]


def test_value_does_not_fall_with_depth_leaves_or_rounds():
    mdp = random_mdp(np.random.default_rng(6), size=40, num_actions=4, num_features=3)
    tolerance = 1e-9

    def value(depth, max_leaves=None, rounds=8):
        return solve(
            mdp, depth, max_leaves=max_leaves, threads=1, time_limit=None, max_rounds=rounds, method=MIDDLE
        ).value

    by_depth = [value(depth) for depth in range(5)]
    by_leaves = [value(3, leaves) for leaves in (1, 2, 4, 6, 8)]
    by_rounds = [value(3, rounds=rounds) for rounds in (1, 2, 5, 10)]
    for values in (by_depth, by_leaves, by_rounds):
        assert (np.diff(values) >= -tolerance).all()


def test_the_answer_is_never_below_the_start_and_a_start_too_large_is_refused():
    mdp = random_mdp(np.random.default_rng(8), size=30, num_actions=3, num_features=3)
    good = solve(mdp, 3, threads=1, time_limit=None, max_rounds=10, method=QUICK)
    again = solve(mdp, 3, start=good.policy.tree, threads=1, seed=1, time_limit=None, max_rounds=1)
    assert again.value >= good.value - 1e-12
    with pytest.raises(InvalidProblemError, match=f"depth {good.policy.depth}"):
        solve(mdp, good.policy.depth - 1, start=good.policy.tree, threads=1, time_limit=None, max_rounds=1)


def test_a_tree_survives_the_way_to_ranks_and_back():
    mdp = random_mdp(np.random.default_rng(9), size=30, num_actions=3, num_features=3)
    ranks = rank_features(mdp)
    tree = make_tree(
        [0, -1, 2, -1, -1], [1.5, 0, 0.25, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 2, -1, 0, 1]
    )
    relevant = ranks.group_of >= 0
    for depth in (2, 4):
        back = complete(tree, ranks.values, depth).tree(ranks.values)
        assert (back.actions(mdp.features)[relevant] == tree.actions(mdp.features)[relevant]).all()
    assert complete(leaf(1), ranks.values, 3).tree(ranks.values).num_nodes == 1


def test_rows_with_equal_content_are_one_choice():
    choice_of = np.array([[0, 1, 2]], np.int32)
    start, target = np.array([0, 1, 2, 3]), np.array([0, 0, 0], np.int32)
    model = _core.Model(
        choice_start=np.array([0, 3]),
        choice_of=choice_of,
        row_start=start,
        target=target,
        probability=np.array([1.0, 1.0, 0.5]),
        reward=np.array([2.0, 2.0, 2.0]),
        initial=np.array([1.0]),
        discount=0.9,
    )
    assert _core.merge_equal_choices(model).tolist() == [0, 0, 2]


def test_sweeps_reject_exactly_the_candidates_that_are_not_better():
    rng = np.random.default_rng(11)
    for kind in KINDS:
        mdp = random_mdp(rng, size=80, num_actions=4, num_features=4, **kind)
        search = search_of(mdp, 3)
        if search.value == -np.inf:
            continue
        assert search.probe(3000, 1, True) == search.probe(3000, 1, False)


def test_ctrl_c_returns_the_best_so_far():
    mdp = random_mdp(np.random.default_rng(12), size=30, num_actions=3, num_features=3)

    def interrupt(line):
        if line.round == 3:
            raise KeyboardInterrupt

    solution = solve(mdp, 2, threads=1, time_limit=None, progress=interrupt, method=QUICK, max_rounds=99)
    assert solution.status is SolveStatus.INTERRUPTED
    assert solution.history[-1].round == 3
    assert solution.value == pytest.approx(policy_return(mdp, solution.policy.actions(mdp.features)), rel=1e-9)


@pytest.mark.parametrize("depth", [7, 15])
def test_a_deep_tree_reaches_the_optimum_where_it_can_tell_all_states_apart(depth):
    mdp = random_mdp(np.random.default_rng(13), size=12, num_actions=3, num_features=8)
    solution = solve(mdp, depth, threads=1, time_limit=None, method=QUICK, max_rounds=60)
    assert len(np.unique(mdp.features, axis=0)) == mdp.num_states
    assert solution.proved_optimal
    assert solution.value == pytest.approx(solution.optimum, rel=1e-9)


def test_a_search_without_an_end_is_refused():
    mdp = random_mdp(np.random.default_rng(0))
    with pytest.raises(InvalidProblemError, match="max_rounds"):
        solve(mdp, 2, time_limit=None)


def test_a_tree_is_found_where_every_mistake_ends_the_episode():
    # A corridor of 24 states: the right action goes on, any other ends the episode, and only the far end pays. Returns
    # of trees that are wrong anywhere on the way are all alike.
    length, actions = 24, 5
    right = np.array([state // 4 % actions for state in range(length)])  # six stretches
    transitions = np.zeros((actions, length, length))
    reward = np.full((length, actions), -1.0)
    for state in range(length):
        transitions[right[state], state, min(state + 1, length - 1)] = 1
        reward[state, right[state]] = 1.0 if state == length - 1 else 0.0
    available = np.zeros((length, actions), bool)
    available[np.arange(length), right] = True
    mdp = build_mdp(
        transitions=transitions,
        reward=reward,
        discount=0.99,
        initial=np.eye(length)[0],
        features=np.arange(length)[:, None],
        available=available,
        missing="end",
    )
    found = solve(mdp, 3, seed=1, threads=1, time_limit=None, max_rounds=4, round_work=20_000_000)
    assert found.of_optimum == pytest.approx(1)  # six stretches need six leaves
