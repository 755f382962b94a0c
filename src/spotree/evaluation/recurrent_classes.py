"""The solver of a chain; undiscounted, of the chain without the states that go on for ever, and what they are worth."""

import numpy as np

from spotree import _core
from spotree.common.arrays import Floats, Ints, PerState, SmallInts
from spotree.evaluation.error_bounds import Certified
from spotree.mdp import MDP


def chain_solver(
    mdp: MDP,
    row_start: Ints,
    row_of: SmallInts,
    probability: Floats,
    reward: PerState,
    roots: SmallInts | None,
    stop: _core.Stop | None,
    reduction: float = 0.0,
) -> tuple[_core.ChainSolver, PerState]:
    """The factored chain that takes row `row_of[state]`, and the reward per state to solve it for.

    A component too large for factors is iterated until the residual is the share `reduction` of the reward.
    """
    row_of, reward = settle_endless(mdp, row_start, row_of, probability, reward, roots)
    solver = _core.ChainSolver(
        row_start=row_start,
        row_of=row_of,
        target=mdp.target,
        probability=probability,
        discount=mdp.discount,
        roots=roots,
        reduction=reduction,
        stop=stop,
    )
    return solver, reward


def settle_endless(
    mdp: MDP, row_start: Ints, row_of: SmallInts, probability: Floats, reward: PerState, roots: SmallInts | None
) -> tuple[SmallInts, PerState]:
    """The row and reward per state of the same chain, ended where it would never end.

    A closed class of states is worth 0 if it pays nothing, -inf if it pays (no class earns: `finite_part` sees to
    that) or if the episode must end. The rest of the chain surely leaves, so its equations have one solution.
    """
    if mdp.discount < 1:
        return row_of, reward
    class_of = _core.endless(
        row_start=row_start, row_of=row_of, target=mdp.target, probability=probability, roots=roots
    )
    endless = class_of >= 0
    if not endless.any():
        return row_of, reward
    lost = np.zeros(mdp.num_states + 1, dtype=bool)
    lost[class_of[endless & (mdp.must_end | (reward != 0))]] = True
    worth = np.where(lost[class_of], -np.inf, 0.0)
    return np.where(endless, np.int32(-1), row_of), np.where(endless, worth, reward)


def solved(solver: _core.ChainSolver, reward: PerState, stop: _core.Stop | None) -> Certified[PerState]:
    """What the states of a chain are worth; unknown, an infinite error, where float64 finds its equations singular.

    That says nothing of the chain: one that is left with a chance of 1e-17 is singular, too. What is worth -inf for
    certain has that reward, or comes to it.
    """
    found: Certified[PerState] = Certified(*solver.solve(reward, stop))
    if found.error < np.inf and not np.isinf(found.value).any():
        return found  # states that were not asked for are not a number
    lost = reward == -np.inf
    rest = Certified(*solver.solve(np.where(lost, 0.0, reward), stop)) if lost.any() else found
    unknown = np.isinf(rest.value) | (np.isnan(rest.value) & (rest.error == np.inf))
    return Certified(np.where(unknown, 0.0, found.value), np.inf) if unknown.any() else found
