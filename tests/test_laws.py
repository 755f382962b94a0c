"""Laws that hold whatever the model: what does not change what a tree can do does not change what is found."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spotree
from oracles.laws import LAWS, Law, Plain, models
from spotree import MDP, Solution
from spotree.errors import InfeasibleError
from spotree.evaluation import random_return

Model = tuple[Plain, np.random.Generator]
laws = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)


def examples(number: int) -> settings:
    return settings(max_examples=number, derandomize=True, database=None, deadline=None)


def scale_of(mdp: MDP) -> float:
    """What tolerances are relative to."""
    best = spotree.optimum(mdp).value
    return max(abs(best), best - random_return(mdp), abs(mdp.reward_of_choice).max())


def found(how: Callable[..., Solution], mdp: MDP, depth: int, max_leaves: int | None = None) -> Solution | None:
    """The proved best tree of a size; None if every tree is infeasible."""
    try:
        solution = how(mdp, depth, max_leaves=max_leaves)
    except InfeasibleError:
        return None
    assert solution.proved_optimal
    assert solution.value <= solution.bound <= solution.optimum + 1e-12 * scale_of(mdp)
    return solution


SEARCHES: dict[str, Callable[..., Solution]] = {
    "solve": partial(spotree.solve, threads=1, time_limit=20),
    "certify": partial(spotree.certify, threads=1, time_limit=20, search=0.0),
}
searches = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
SLACK = 3e-7  # of the scale: a proof takes a tree as better only if it is by 1e-7


@laws
@examples(25)
@given(drawn=models(most_states=9, discounts=(0.0, 0.5, 0.9, 0.99, 1.0)))
def test_values_of_policies_follow(law: Law, drawn: Model) -> None:
    model, rng = drawn
    here, change = model.build(), law(model, rng)
    there = change.mdp
    slack = 1e-10 * max(scale_of(here) * change.scale, scale_of(there))
    assert abs(change.scale * spotree.optimum(here).value + change.shift - spotree.optimum(there).value) <= slack
    assert abs(change.scale * random_return(here) + change.shift - random_return(there)) <= slack
    offered = model.available | (model.missing != "forbid")
    actions = np.array([rng.choice(np.flatnonzero(row)) for row in offered], np.int32)
    value = change.scale * spotree.evaluate(here, actions) + change.shift
    assert abs(value - spotree.evaluate(there, change.there(actions))) <= slack


def check_that_the_best_tree_follows(law: Law, search: Callable[..., Solution], drawn: Model, depth: int) -> None:
    model, rng = drawn
    here, change = model.build(), law(model, rng)
    there = change.mdp
    old, new = found(search, here, depth), found(search, there, depth)
    assert (old is None) == (new is None)
    if old is None or new is None:
        return
    slack = SLACK * max(scale_of(here) * change.scale, scale_of(there))
    assert abs(change.scale * old.value + change.shift - new.value) <= slack
    # The new tree, taken back to the old model, is worth what it was there.
    actions = new.policy.actions(there.features)
    assert abs(change.scale * spotree.evaluate(here, change.here(actions)) + change.shift - new.value) <= slack


@searches
@laws
@examples(25)
@given(drawn=models(), depth=st.sampled_from((2, 1, 0)))
def test_the_best_tree_follows(law: Law, search: Callable[..., Solution], drawn: Model, depth: int) -> None:
    check_that_the_best_tree_follows(law, search, drawn, depth)


@laws
@examples(15)
@given(drawn=models(discounts=(1.0,)), depth=st.sampled_from((2, 1, 0)))
def test_the_best_tree_follows_without_discount(law: Law, drawn: Model, depth: int) -> None:
    check_that_the_best_tree_follows(law, SEARCHES["solve"], drawn, depth)


@searches
@examples(20)
@given(drawn=models(most_states=5), max_leaves=st.sampled_from((3, 2, 1)))
def test_a_larger_tree_is_never_worse(search: Callable[..., Solution], drawn: Model, max_leaves: int) -> None:
    mdp = drawn[0].build()
    slack = SLACK * scale_of(mdp)
    sizes = [(depth, None) for depth in range(3)], [(2, max_leaves), (2, max_leaves + 1)]
    for smaller, larger in [pair for row in sizes for pair in pairwise(row)]:
        less, more = found(search, mdp, *smaller), found(search, mdp, *larger)
        assert less is None or (more is not None and more.value >= less.value - slack)


@searches
@examples(30)
@given(drawn=models(most_states=4))
def test_a_tree_with_a_leaf_for_every_state_is_as_good_as_any_policy(
    search: Callable[..., Solution], drawn: Model
) -> None:
    model, rng = drawn
    told_apart = replace(model, features=rng.permutation(len(model.initial))[:, None] * 1.0)
    solution = found(search, told_apart.build(), 2)
    assert solution is not None
    assert abs(solution.value - solution.optimum) <= SLACK * scale_of(told_apart.build())
