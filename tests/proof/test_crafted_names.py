"""No model can be made whose different splits are taken for one: the names of sets cannot be foreseen."""

import numpy as np
import pytest

from oracles.collisions import (
    ROWS,
    crafted_table,
    fixed_mixed_names,
    fixed_numpy_names,
    fixed_twister_names,
    that_cancel,
)
from spotree.api.certify import certify
from spotree.improvement.improve import improve
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP
from spotree.trees.splits import candidate_splits

NAMES = {"numpy": fixed_numpy_names, "mixed": fixed_mixed_names, "twister": fixed_twister_names}


def one_guess(features: np.ndarray) -> MDP:
    """One step: the last feature is the right answer, so that a tree with one split on it returns 1."""
    states = len(features)
    return build_mdp(
        transitions=np.zeros((2, states, states)),
        reward=np.stack([features[:, -1] == 0, features[:, -1] == 1], axis=1).astype(float),
        discount=0.5,
        features=features,
        ends=np.ones((states, 2)),
    )


def test_the_crafted_sets_differ_and_their_names_cancel():
    for names in NAMES.values():
        rows = that_cancel(names(ROWS))
        assert 0 < rows.sum() < ROWS
        assert np.bitwise_xor.reduce([name for name, inside in zip(names(ROWS), rows, strict=True) if inside]) == 0


@pytest.mark.parametrize("names", NAMES)
def test_every_split_of_a_crafted_table_is_a_candidate(names):
    splits = candidate_splits(crafted_table(NAMES[names](ROWS)))
    assert splits.feature.tolist() == [0] * (ROWS - 1) + [1, 2]


@pytest.mark.parametrize("names", NAMES)
def test_the_best_tree_of_a_crafted_model_is_proved(names):
    solution = certify(one_guess(crafted_table(NAMES[names](ROWS))), 1, time_limit=20, search=0.0, threads=1)
    assert solution.proved_optimal
    assert solution.value == pytest.approx(1)


@pytest.mark.parametrize("engine", ["exact", "rsbb"])
@pytest.mark.parametrize("names", NAMES)
def test_the_best_step_of_a_crafted_table_is_found(names, engine):
    mdp = one_guess(crafted_table(NAMES[names](ROWS)))
    gain = mdp.reward_of_choice[mdp.choice_of]
    found = improve(mdp.features, gain, depth=1, engine=engine, threads=1)
    assert found.value == pytest.approx(ROWS)
