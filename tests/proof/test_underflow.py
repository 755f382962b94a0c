"""What underflows to 0 is not 0: forged proofs that live on sums and products below the smallest float64."""

import numpy as np
import pytest

from oracles.fractions_of_trees import exact_return
from spotree.api.certify import certify
from spotree.certificates.certificate import Certificate
from spotree.certificates.verify import check
from spotree.errors import InvalidProblemError
from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP, fingerprint

UNIT = 5e-324  # the smallest number above 0


def one_leaf(mdp: MDP, claim: dict[str, object]) -> dict[str, object]:
    """The header of a claim about single leaves with action 1."""
    leaf = {"feature": [-1], "threshold": [0.0], "left": [-1], "right": [-1], "action": [1]}
    sizes = {"states": mdp.num_states, "actions": 2, "depth": 2, "max_leaves": None, "chunks": 1, "model": "units"}
    lists = {"group_state": [0, 1], "split_feature": [0], "split_threshold": [0.5]}
    return {"fingerprint": fingerprint(mdp), "rule": "tree", "tree": leaf, **sizes, **lists, **claim}


def two_ways(discount: float) -> MDP:
    """Action 0 leads to a state that pays 0.4 nine times (or for ever), action 1 to one that pays 0.05 once.

    They look alike, and each allows only the action that leads there.
    """
    states = 3 + 8 * (discount == 1)
    onward, ends, reward = np.zeros((2, states, states)), np.zeros((states, 2)), np.zeros((states, 2))
    onward[0, 0, 1] = onward[1, 0, 2] = 1
    ends[2, 1], reward[1, 0], reward[2, 1] = 1, 0.4, 0.05
    if discount == 1:
        onward[0, 1, 3] = 1
        for state in range(3, states - 1):
            onward[:, state, state + 1] = 1
        ends[-1], reward[3:] = 1, 0.4
    else:
        onward[0, 1, 1] = 1
    available = np.ones((states, 2), bool)
    available[1, 1] = available[2, 0] = False
    features = np.array([0, 1, 1, *range(2, states - 1)])[:, None].astype(float)
    rules = {"available": available, "missing": "forbid", "ends": ends, "undiscounted": discount == 1}
    return build_mdp(onward, reward, discount, initial=0, features=features, **rules)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_a_floor_is_not_what_a_scale_loses_by_underflow(discount: float, plain: bool) -> None:
    """Rewards times a scale of one unit are 0, the threshold times it is a unit: so much every state is "visited"."""
    mdp = two_ways(discount)
    worth = 0.05 * discount
    header = one_leaf(mdp, {"value": worth, "bound": 0.6, "margin": 1e-6})
    states = mdp.num_states
    assert float(exact_return(mdp, np.zeros(states, int))) > 3.5
    own = [0, -1, 0, 0, 1, 1, 2, 0, 1, 2, 0]  # the root: one round with regret and two floors, closed
    value = np.array([4.5, 4.2, 4.0, *(3.7 - 0.41 * np.arange(states - 3))])
    floors = [UNIT, 0.0, *np.zeros(states)] * 2
    visits = np.where(np.arange(states) == 0, 0.5, UNIT)
    numbers = np.concatenate([[0.0], value, floors, visits])
    forged = Certificate(header, np.array([len(own) + 1, *own], np.int32), numbers)
    assert not check(mdp, forged, plain=plain, threads=1).accepted


@pytest.mark.parametrize("plain", [False, True])
def test_a_row_is_not_strict_because_what_follows_underflows(plain: bool) -> None:
    """Five states lead to each other and, with a chance of one unit, to 1: all is reached. V of two units there."""
    onward, ends, reward = np.zeros((2, 7, 7)), np.zeros((7, 2)), np.zeros((7, 2))
    onward[0, 0, 1:6] = 0.2
    for state in range(1, 6):
        onward[:, state, [other for other in range(1, 6) if other != state]] = 0.25
        onward[:, state, 6] = UNIT
    ends[0, 1], ends[6], reward[0, 1], reward[6] = 1, 1, 1e-3, 1.0
    features = np.arange(7)[:, None].astype(float)
    mdp = build_mdp(onward, reward, 1.0, initial=0, features=features, ends=ends, undiscounted=True)
    assert float(exact_return(mdp, np.zeros(7, int))) == 1.0
    header = one_leaf(mdp, {"value": 1e-3, "bound": 1e-3, "margin": 1e-9}) | {"group_state": [0]}
    own = [0, -1, 0, 0, 1, 0, 0, 0, 0]  # the root: a value, closed
    value = [1e-3 + 1e-12, *[2 * UNIT] * 5, 1 + 1e-14]
    forged = Certificate(header, np.array([len(own) + 1, *own], np.int32), np.array([0.0, *value]))
    assert not check(mdp, forged, plain=plain, threads=1).accepted


def test_a_probability_that_has_lost_digits_is_refused() -> None:
    onward = np.array([[[0.0, 1.0 - 1e-13], [0.0, 0.0]], [[0.0, 1e-300], [0.0, 0.0]]])
    mdp = build_mdp(
        onward, [[0.0, 1.0], [1.0, 0.0]], 0.9, initial=0, features=[[0.0], [1.0]], ends=1 - onward.sum(2).T
    )
    with pytest.raises(InvalidProblemError, match="too small for a proof"):
        certify(mdp, 1, time_limit=5)
