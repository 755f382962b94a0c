"""Rounding margins: how far float64 can move the bounds of a proof."""

import math

import numpy as np

from spotree.common.arrays import ActionOf
from spotree.errors import InvalidProblemError
from spotree.evaluation import Optimum, occupancy, policy_chain
from spotree.mdp.model import MDP
from spotree.proof.self_loops import without_own_loops

UNIT = 2.0**-53  # relative error of one float64 operation
SHARE = 0.1  # of the margin that rounding may take
LEAST_CHANCE = 1e-290  # discounted: below it a probability has lost digits, and checkers take none
BONUS = 2.0**-44  # of the largest value, on each step (core/proof/total_reward/mec_policy_iteration.hpp)


def reachable_error(mdp: MDP, best: Optimum) -> float:
    """How far rounding may move the bounds of a proof, roughly: its largest backup error over 1 - discount.

    A backup adds up as many products as the longest row has entries, and two more numbers; values, visits and the
    regret that both lead to each suffer from it. Probabilities that sum to more than 1 by rounding count as a higher
    discount. Infinite if nothing is left of 1 - discount.
    """
    entries = np.diff(mdp.row_start)
    longest = int(entries.max(initial=1))
    if mdp.discount == 1:
        return undiscounted_error(mdp, best, longest)
    far = 1 - mdp.discount * (1 + mdp.excess) - 2 * UNIT
    if far <= 0:
        return math.inf
    size = float(np.abs(best.values).max(initial=0.0))
    return best.error + 4 * (longest + 8) * UNIT * size / far


def undiscounted_error(mdp: MDP, best: Optimum, longest: int) -> float:
    """The same without a discount: the bonus that lets a value prove itself, for as long as the best policy takes."""
    steps = float(occupancy(without_own_loops(mdp), best.actions).sum())
    bonus = max(BONUS, UNIT * 16 * (2 * longest + 16)) * float(np.abs(best.values).max(initial=0.0))
    return best.error + 2 * bonus * steps


def stated_margin(mdp: MDP, actions: ActionOf, margin: float) -> float:
    """What a certificate of this tree calls better: more than was asked for where rounding hides its return.

    A tree that is much worse than the best policy, or that may come to much worse states, has larger values, and
    what rounding takes from its return grows with them. (Rewards are at most twice as large as values.)
    """
    chain = policy_chain(without_own_loops(mdp), actions, everywhere=False)
    values = chain.values().value
    size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    longest = int(np.diff(mdp.row_start).max(initial=1))
    if mdp.discount == 1:
        error = 2.1 * (2 * longest + 16) * UNIT * 4 * size * float(chain.occupancy().value.sum())
    else:
        error = (longest + 8) * UNIT * 4 * size / (1 - mdp.discount * (1 + mdp.excess) - 2 * UNIT)
    return max(margin, 2 * error / SHARE)  # twice: what the equations leave over


def shown_bound(mdp: MDP, bound: float) -> float:
    """What checkers can see of the bound of a stopped proof: their rounding, for values as large as there are.

    A proof that is broken off at once has values that are far too high, and rounding grows with them.
    """
    if mdp.discount == 1:
        return bound
    longest = int(np.diff(mdp.row_start).max(initial=1))
    largest = float(np.abs(mdp.reward_of_choice).max(initial=0.0))
    far = 1 - mdp.discount * (1 + mdp.excess) - 2 * UNIT
    return bound + 8 * (longest + 8) * UNIT * largest / far**2


def check_margin(mdp: MDP, best: Optimum, margin: float, tolerance: float) -> None:
    """Refuse a proof whose margin could be rounding; `tolerance` is the margin relative to the returns."""
    chance = mdp.discount * mdp.probability[mdp.probability > 0]
    if mdp.discount > 0 and chance.min(initial=1.0) < LEAST_CHANCE:
        raise InvalidProblemError(
            f"too small for a proof: a probability, discounted, is {chance.min():.1e}; leave out what is below"
            f" {LEAST_CHANCE:g}"
        )
    error = reachable_error(mdp, best)
    if error <= SHARE * margin:
        return
    needed = tolerance * error / (SHARE * margin) if margin > 0 else math.inf
    way_out = "a lower discount"
    if mdp.discount == 0:
        largest = float(np.abs(mdp.reward_of_choice).max(initial=0.0))
        way_out = f"rewards of like size (the largest is {largest:.1e}, the best return {best.value:.1e})"
    if needed < 1:
        way_out = f"a tolerance of {needed:.1e} or more or {way_out}"
    raise InvalidProblemError(
        f"discount is {mdp.discount!r}: rounding may move a return by {error:.1e}, more than a tenth of what counts"
        f" as better ({margin:.1e}); give {way_out}"
    )
