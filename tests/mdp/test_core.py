"""The core's model of an MDP: made once, never another MDP's, alive as long as somebody uses it."""

import copy
import gc
import pickle
import weakref
from dataclasses import replace

import numpy as np
import pytest

from small_models import random_mdp
from spotree import _core
from spotree.evaluation import choice_values
from spotree.mdp.native import core_model


def one_mdp():
    return random_mdp(np.random.default_rng(3), states=7, actions=3, offered=0.8, missing="forbid")


def test_the_model_of_an_mdp_is_made_once():
    mdp = one_mdp()
    assert core_model(mdp) is core_model(mdp)


@pytest.mark.parametrize("other", [copy.copy, copy.deepcopy, replace, lambda mdp: pickle.loads(pickle.dumps(mdp))])
def test_a_copy_of_a_used_mdp_has_a_model_of_its_own(other):
    mdp, value = one_mdp(), np.arange(7.0)
    used = core_model(mdp)
    again = other(mdp)
    assert core_model(again) is not used
    assert (choice_values(again, value) == choice_values(mdp, value)).all()


def test_replaced_rewards_and_discounts_reach_the_core():
    mdp, value = one_mdp(), np.ones(7)
    before = choice_values(mdp, value)
    paid = choice_values(replace(mdp, reward_of_choice=mdp.reward_of_choice + 5.0), value)
    assert paid == pytest.approx(before + 5.0)
    assert choice_values(replace(mdp, discount=0.0), value) == pytest.approx(mdp.reward_of_choice)


def test_the_model_does_not_keep_its_mdp_alive():
    mdp = one_mdp()
    model, gone = core_model(mdp), weakref.ref(mdp)
    expected = choice_values(mdp, np.ones(7))
    del mdp
    gc.collect()
    assert gone() is None
    assert (_core.backup(model, np.ones(7)) == expected).all()


def test_arrays_that_only_the_model_holds_live_on():
    model = _core.Model(
        choice_start=np.array([0, 1, 2]),
        choice_of=np.array([[0], [1]], np.int32),
        row_start=np.array([0, 2, 3]),
        target=np.array([0, 1, 1], np.int32),
        probability=np.array([0.5, 0.0, 1.0]),
        reward=np.array([1.0, 2.0]),
        initial=np.array([1.0, 0.0]),
        discount=0.5,
    )
    gc.collect()
    np.full(1000, 7.0)  # takes the place of what was let go
    assert _core.backup(model, np.array([4.0, -np.inf])).tolist() == [2.0, -np.inf]


def test_values_of_another_model_are_refused():
    with pytest.raises(ValueError, match="one value per state"):
        _core.backup(core_model(one_mdp()), np.zeros(6))
