"""What each node answers for adds up to the whole tree."""

import math

import numpy as np
import pytest

import spotree
from spotree.report.node_statistics import anatomy


@pytest.fixture(scope="module")
def parts() -> tuple[spotree.MDP, spotree.Solution]:
    mdp = spotree.load("tictactoe_vs_random")
    return mdp, spotree.solve(mdp, 3, max_rounds=1, seed=0, threads=1)


def test_the_losses_of_the_states_are_what_the_tree_loses_to_the_best_policy(parts) -> None:
    mdp, solution = parts
    found = anatomy(mdp, solution)
    assert math.fsum(found.loss) == pytest.approx(solution.optimum - solution.value, abs=1e-10)
    assert found.share.sum() == pytest.approx(1.0)
    assert (found.regret[~found.differs] < 1e-8).all()


def test_a_node_answers_for_what_its_children_answer_for(parts) -> None:
    mdp, solution = parts
    found = anatomy(mdp, solution)
    share = found.sum_by_node(found.share)
    assert share[0] == pytest.approx(1.0)
    for node in np.flatnonzero(found.tree.feature >= 0):
        children = [int(found.tree.left[node]), int(found.tree.right[node])]
        assert share[node] == pytest.approx(share[children].sum())
        assert len(found.states_of(node)) == sum(len(found.states_of(child)) for child in children)


def test_states_that_ask_for_what_they_do_not_offer_are_counted_where_the_tree_comes() -> None:
    # state 0 offers both actions, state 1 only the first; the tree always takes the second
    mdp = spotree.build_mdp(
        transitions=np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]]),
        reward=1.0,
        discount=0.5,
        initial=0,
        available=[[True, True], [True, False]],
    )
    assert anatomy(mdp, spotree.trees.tree.leaf(1)).missing.tolist() == [False, True]
