"""A start that is too large is refused by both baselines."""

import pytest

import spotree
from spotree.errors import InvalidProblemError
from spotree.methods.omdt.method import Omdt
from spotree.methods.viper import Viper
from spotree.search.request import Request
from spotree.trees.tree import make_tree

TWO_LEVELS = make_tree(
    [0, -1, 1, -1, -1], [1.5, 0, 1.5, 0, 0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 2, -1, 0, 1]
)


@pytest.mark.parametrize("method", [Omdt(), Viper()])
def test_a_start_that_is_too_large_is_refused(method):
    mdp = spotree.load("frozenlake_4x4")
    with pytest.raises(InvalidProblemError, match="start has depth 2; trees of depth 1"):
        method.run(mdp, Request(1, start=TWO_LEVELS))
    with pytest.raises(InvalidProblemError, match="start has 3 leaves; trees of at most 2"):
        method.run(mdp, Request(2, max_leaves=2, start=TWO_LEVELS))


@pytest.mark.parametrize("method", [Omdt(), Viper()])
def test_splits_that_part_no_states_do_not_count(method):
    mdp = spotree.load("frozenlake_4x4")
    idle = make_tree([0, -1, -1], [99.0, 0, 0], [1, -1, -1], [2, -1, -1], [-1, 1, 0])
    assert method.run(mdp, Request(0, start=idle)).policy.num_leaves == 1
