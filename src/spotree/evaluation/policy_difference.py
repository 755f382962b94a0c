"""Performance-difference decomposition: the contribution of each state to the gap between two policies."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from spotree.common.arrays import PerState
from spotree.errors import InvalidProblemError
from spotree.evaluation.chain import Policy, settle_endless
from spotree.evaluation.policy import Acts, chosen_rows
from spotree.evaluation.q_values import choice_values
from spotree.evaluation.returns import policy_value
from spotree.evaluation.state_occupancy import occupancy
from spotree.mdp import MDP


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """The return of `other` less that of `policy`, split over the states that `policy` visits.

    Attributes
    ----------
    visits
        [state] expected discounted visits of `policy`.
    regret
        [state] what is lost by one action of `policy` if `other` goes on from there; 0 where `policy` never comes.
        Against the best policy it is never below 0, up to rounding.
    loss
        [state] visits * regret; these sum to the difference of the two returns.
    """

    visits: PerState
    regret: PerState
    loss: PerState


def difference(
    mdp: MDP, policy: ArrayLike | Acts, other: Policy | None = None, *, values: PerState | None = None
) -> Difference:
    """Split J(other) - J(policy) into what each state adds: visits(policy) * (V(other) - Q(other) of policy's action).

    Parameters
    ----------
    values
        [state] the values of `other`, if they are known already (those of `Optimum`, say).
    """
    if values is None:
        if other is None:
            raise InvalidProblemError("give the other policy, or its values")
        values = policy_value(mdp, other)
    visits = occupancy(mdp, policy)
    met = np.flatnonzero(visits > 0)
    if not np.isfinite(values[met]).all():
        state = int(met[~np.isfinite(values[met])][0])
        raise InvalidProblemError(
            f"state {state}: the other policy is worth {values[state]} there; the difference cannot be split by state"
        )
    rows = chosen_rows(mdp, policy)
    roots = np.flatnonzero(mdp.initial).astype(np.int32)
    settled, reward = settle_endless(mdp, mdp.row_start, rows, mdp.probability, mdp.reward_of_choice[rows], roots)
    ahead = np.where(settled >= 0, choice_values(mdp, np.where(np.isfinite(values), values, 0.0))[rows], reward)
    regret = np.zeros(mdp.num_states)
    regret[met] = values[met] - ahead[met]
    return Difference(visits, regret, visits * regret)
