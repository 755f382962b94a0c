"""Ranks and groups are what numpy's plain words say they are, whatever the matrix."""

import signal
import time

import numpy as np
import pytest

from spotree import _core
from spotree.trees.layouts import complete
from spotree.trees.ranks import Ranks, rank_rows
from spotree.trees.splits import distinct_cuts, rank_among, splits_at
from spotree.trees.tree import make_tree


def hold_together(ranks: Ranks, features: np.ndarray) -> None:
    """Values ascend, and rank, group and first row lead back to each row's features."""
    there = ranks.group_of >= 0
    assert len(ranks.values) == features.shape[1]
    assert ranks.rank.shape == (len(ranks.first), features.shape[1])
    assert ranks.rank.dtype == ranks.group_of.dtype == ranks.first.dtype == np.int32
    for feature, values in enumerate(ranks.values):
        assert values.tolist() == np.unique(features[there, feature]).tolist()
        assert (values[ranks.rank[ranks.group_of[there], feature]] == features[there, feature]).all()
    assert [int(np.flatnonzero(ranks.group_of == group)[0]) for group in range(len(ranks.first))] == list(
        ranks.first
    )
    assert len(np.unique(ranks.rank, axis=0)) == len(ranks.rank) or not features.shape[1]


def random_matrix(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.choice(
        [-0.0, 0.0, 1.0, -2.0, 0.1, 1e300, np.inf, -np.inf], (rng.integers(0, 40), rng.integers(1, 4))
    )


@pytest.mark.parametrize("seed", range(40))
def test_groups_are_numbered_by_first_row_or_sorted_as_numpy_sorts_rows(seed: int) -> None:
    features = random_matrix(seed)
    ranks = rank_rows(features)
    hold_together(ranks, features)
    assert (np.diff(ranks.first) > 0).all()
    rows, first, group_of = np.unique(features + 0.0, axis=0, return_index=True, return_inverse=True)
    by_rank = ranks.sorted()
    hold_together(by_rank, features)
    assert by_rank.first.tolist() == first.tolist()
    assert by_rank.group_of.tolist() == group_of.ravel().tolist()
    assert len(ranks.first) == len(rows)


@pytest.mark.parametrize("seed", range(40))
def test_some_groups_alone_are_ranked_as_if_the_others_were_not_there(seed: int) -> None:
    features = np.random.default_rng(seed).integers(0, 6, (30, 3)).astype(float)
    every = rank_rows(features)
    chosen = np.flatnonzero(np.random.default_rng(seed).random(len(every.first)) < 0.4)
    some = every.take(chosen)
    hold_together(some, features)
    alone = rank_rows(features[np.isin(every.group_of, chosen)])
    assert some.rank.tolist() == alone.rank.tolist()
    assert some.take(np.arange(len(some.first))).group_of.tolist() == some.group_of.tolist()
    assert every.sorted(chosen).rank.tolist() == alone.sorted().rank.tolist()


@pytest.mark.parametrize(("rows", "columns", "groups"), [(0, 0, 0), (0, 3, 0), (4, 0, 1), (4, 2, 1)])
def test_no_rows_no_features_and_equal_rows_have_ranks_too(rows: int, columns: int, groups: int) -> None:
    ranks = rank_rows(np.full((rows, columns), 7.0))
    for each in (ranks, ranks.sorted(), ranks.take(np.arange(groups))):
        hold_together(each, np.full((rows, columns), 7.0))
        assert each.group_of.tolist() == [0] * rows
        assert len(each.first) == groups
        assert each.num_values.tolist() == [min(rows, 1)] * columns
    assert len(splits_at(ranks.values, distinct_cuts(ranks))) == 0


@pytest.mark.parametrize("count", [2, 100])
def test_minus_zero_is_zero_with_few_values_and_with_many(count: int) -> None:
    column = np.r_[-0.0, 0.0, np.arange(1.0, count)][:, None]
    ranks = rank_rows(column)
    assert ranks.group_of.tolist() == [0, *range(count)]
    assert not np.signbit(ranks.values[0]).any()


def test_infinities_are_values_like_others() -> None:
    ranks = rank_rows(np.array([[np.inf], [0.0], [-np.inf], [np.inf]]))
    assert ranks.values[0].tolist() == [-np.inf, 0.0, np.inf]
    assert ranks.rank[ranks.group_of, 0].tolist() == [2, 1, 0, 2]


def test_a_million_rows_take_seconds_at_most() -> None:
    features = np.random.default_rng(0).integers(0, 2000, (1_000_000, 2)).astype(float)
    began = time.process_time()
    ranks = rank_rows(features).sorted()
    assert time.process_time() - began < 5
    assert (
        features[ranks.first] == np.column_stack([v[ranks.rank[:, f]] for f, v in enumerate(ranks.values)])
    ).all()


def test_ctrl_c_is_raised_and_a_time_limit_leaves_ranks_unfinished() -> None:
    features = np.random.default_rng(0).random((1_000_000, 2))
    assert not _core.Ranks(features, 0.0).finished
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)

    def interrupted() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        rank_rows(features)

    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_kept_cuts_part_the_groups_as_their_thresholds_do() -> None:
    features = np.random.default_rng(1).integers(0, 4, (12, 3)).astype(float)
    ranks = rank_rows(features)
    cuts = distinct_cuts(ranks)
    splits = splits_at(ranks.values, cuts)
    place = np.arange(len(splits)) - np.searchsorted(splits.feature, splits.feature)
    for feature, threshold, number in zip(splits.feature, splits.threshold, place, strict=True):
        below = rank_among(cuts[feature], ranks.rank[:, feature]) <= number
        assert below.tolist() == (features[ranks.first, feature] < threshold).tolist()


def test_a_complete_tree_acts_as_the_tree_it_came_from() -> None:
    features = np.random.default_rng(2).integers(0, 5, (50, 2)).astype(float)
    values = rank_rows(features).values
    tree = make_tree(
        [0, -1, 1, -1, -1], [1.7, 0, 9.0, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 2, -1, 0, 1]
    )
    for depth in (2, 4):
        back = complete(tree, values, depth).tree(values)
        assert back.actions(features).tolist() == tree.actions(features).tolist()
        assert back.num_leaves == 2  # no row is above 9
