"""States that a policy visits and that do not offer the action it takes there."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from spotree import _core
from spotree.common.arrays import Ints
from spotree.evaluation.policy import Acts, actions_of, chosen_rows
from spotree.evaluation.state_occupancy import certified_occupancy
from spotree.mdp import MDP

FALLBACK = {
    "random": "a random one is taken",
    "end": "the episode ends",
    "stay": "the state stays as it is",
}


@dataclass(frozen=True, slots=True)
class MissingActions:
    """How far a policy relies on the rule for missing actions.

    Attributes
    ----------
    states, reached
        The visited states that do not offer the policy's action, and all visited states.
    share
        Of the expected (discounted) visits, those to such states; None where there was no time to find out.
        Undiscounted, a class of states that is never left counts once.
    """

    states: int
    reached: int
    share: float | None

    def text(self, rule: str) -> str:
        """One line for a person; empty where every visited state offers its action."""
        if not self.states:
            return ""
        often = "" if self.share is None else f" ({100 * self.share:.3g} % of visits)"
        fallback = f"; {FALLBACK[rule]} there" if rule in FALLBACK else ""
        best = "the best policy keeps its return" if rule == "random" else "the best policy may return less"
        return (
            f"{self.states:,} of {self.reached:,} visited states{often} do not offer the tree's action{fallback};"
            f" with missing=forbid this tree is refused, and {best}"
        )


def lacking(mdp: MDP, policy: ArrayLike | Acts, *, stop: _core.Stop | None = None) -> MissingActions:
    """Count the visited states that do not offer the policy's action, and how often they are visited."""
    actions = actions_of(mdp, policy)
    reached, without = reached_states(mdp, actions), lacking_states(mdp, actions)
    if len(without) == 0:
        return MissingActions(0, len(reached), 0.0)
    visits = certified_occupancy(mdp, actions, stop=stop)
    here, total = (math.fsum(visits.value[states]) for states in (without, reached))
    known = visits.error <= 1e-3 * here and math.isfinite(total)
    return MissingActions(len(without), len(reached), min(1.0, here / total) if known else None)


def reached_states(mdp: MDP, policy: ArrayLike | Acts) -> Ints:
    """The states that the policy can come to; where it takes a forbidden action it goes no further."""
    found: Ints = np.sort(
        _core.reachable(
            row_start=mdp.row_start,
            row_of=chosen_rows(mdp, policy),
            target=mdp.target,
            probability=mdp.probability,
            roots=np.flatnonzero(mdp.initial).astype(np.int32),
        )
    ).astype(np.int64)
    return found


def lacking_states(mdp: MDP, policy: ArrayLike | Acts) -> Ints:
    """The states that the policy can come to and that do not offer the action it takes there."""
    rows = chosen_rows(mdp, policy)
    offered = (rows >= 0) & (mdp.choice_action[rows] >= 0)
    if offered.all():
        return np.zeros(0, dtype=np.int64)
    reached = reached_states(mdp, policy)
    without: Ints = reached[~offered[reached]]
    return without
