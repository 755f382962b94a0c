"""Exclusive or: say of random points in the unit square whether exactly one coordinate is above one half."""

import numpy as np

from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

POINTS = 200


def xor() -> MDP:
    """The right answer pays 1, the wrong one costs 1, and the next point is drawn uniformly whatever was said.

    The points are uniform draws of NumPy's frozen generator `RandomState(0)`.
    """
    points = np.random.RandomState(0).random_sample((POINTS, 2))
    above = points > 0.5
    right_answer = (above[:, 0] ^ above[:, 1]).astype(int)
    uniform = np.full(POINTS, 1 / POINTS)
    return build_mdp(
        transitions=np.broadcast_to(uniform, (2, POINTS, POINTS)),
        reward=np.where(right_answer[:, None] == np.arange(2), 1.0, -1.0),
        discount=0.99,
        initial=uniform,
        features=points,
        feature_names=["X", "Y"],
        action_names=["not_xor", "xor"],
    )
