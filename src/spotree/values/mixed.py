"""Policies that throw dice: a weight for each choice of a state."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from spotree.axes import Floats, frozen_array
from spotree.errors import InvalidProblemError
from spotree.mdp import MDP
from spotree.values.policy import Acts, chosen_rows


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """A stochastic policy of one MDP.

    Attributes
    ----------
    weight
        [choice] the probability that the policy takes this row of the MDP; they sum to 1 in every state.
    """

    weight: Floats


def uniform(mdp: MDP) -> Mixture:
    """A uniformly random one of the choices that the model really offers, in every state.

    Where all of these are forbidden it is what stands in for missing actions.
    """
    offered = mdp.choice_action >= 0
    none = ~np.logical_or.reduceat(offered, mdp.choice_start[:-1])
    real = (offered | np.repeat(none, np.diff(mdp.choice_start))).astype(np.float64)
    number = np.add.reduceat(real, mdp.choice_start[:-1])
    return Mixture(frozen_array(real / np.repeat(number, np.diff(mdp.choice_start)), np.float64))


def mixture(mdp: MDP, policy: ArrayLike | Acts, rate: float) -> Mixture:
    """Follow a policy, but with probability `rate` take a uniformly random choice: exploration.

    A state in which the policy picks a forbidden action explores only.
    """
    if not 0.0 <= rate <= 1.0:
        raise InvalidProblemError(f"exploration rate is {rate}; it must lie between 0 and 1")
    rows = chosen_rows(mdp, policy)
    allowed = rows >= 0
    weight = uniform(mdp).weight * np.repeat(np.where(allowed, rate, 1.0), np.diff(mdp.choice_start))
    weight[rows[allowed]] += 1.0 - rate
    return Mixture(frozen_array(weight, np.float64))
