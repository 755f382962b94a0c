"""The Markov chain of a policy and its recurrent classes."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from spotree import _core
from spotree.common.arrays import Floats, Ints, PerState, SmallInts
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.evaluation.error_bounds import Certified
from spotree.evaluation.policy import Acts, Mixture, actions_of, chosen_rows
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


Policy: TypeAlias = ArrayLike | Acts | Mixture
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class PolicyChain:
    """An MDP under one policy: I - discount P by strongly connected components, and their factors.

    Make one with `policy_chain`; values, occupancy and return then cost one substitution each.
    """

    mdp: MDP
    reward: PerState
    solver: _core.ChainSolver
    stop: _core.Stop | None = None

    def values(self) -> Certified[PerState]:
        """Expected discounted return from each state.

        -inf where a forbidden action cannot be avoided, or, undiscounted, where the policy may pay for ever.
        """
        return solved(self.solver, self.reward, self.stop)

    def occupancy(self) -> Certified[PerState]:
        """Expected discounted visits to each state from the initial distribution.

        Undiscounted, a state of a class that is never left counts how often the class is entered there.
        """
        return Certified(*self.solver.solve_transposed(self.mdp.initial, self.stop))

    def expected_return(self) -> Certified[float]:
        """Expected discounted return from the initial distribution."""
        values = self.values()
        start = np.flatnonzero(self.mdp.initial)
        parts = self.mdp.initial[start] * values.value[start]
        value = math.fsum(parts)
        if value == -math.inf:  # which the graph alone tells
            return Certified(value, 0.0)
        rounding = _EPSILON * (math.fsum(np.abs(parts)) + abs(value))
        return Certified(value, values.error * float(self.mdp.initial.sum()) * (1 + 8 * _EPSILON) + rounding)


def policy_chain(
    mdp: MDP,
    policy: Policy,
    *,
    everywhere: bool = True,
    stop: _core.Stop | None = None,
    reduction: float = 0.0,
) -> PolicyChain:
    """Factor the chain of a policy; `everywhere=False` looks only at states that the policy can reach.

    When it must `stop`, or where a residual of the share `reduction` is enough, what is computed stays rough, and its
    error says how rough.
    """
    roots = np.flatnonzero(mdp.initial).astype(np.int32)
    look_at = None if everywhere else roots
    if isinstance(policy, Mixture):
        return _mixed_chain(mdp, policy, look_at, stop, reduction)
    rows = chosen_rows(mdp, policy)
    reward = mdp.reward_of_choice[rows]
    if (rows < 0).any():
        _refuse_reachable(mdp, policy, rows, roots)
        reward[rows < 0] = -np.inf
    solver, reward = chain_solver(mdp, mdp.row_start, rows, mdp.probability, reward, look_at, stop, reduction)
    return PolicyChain(mdp, reward, solver, stop)


def _mixed_chain(
    mdp: MDP, policy: Mixture, look_at: SmallInts | None, stop: _core.Stop | None, reduction: float
) -> PolicyChain:
    """A state's rows stand together, so the mixed row is all of them with weighted probabilities."""
    if policy.weight.shape != mdp.choice_action.shape:
        raise InvalidProblemError(
            f"the mixture has {policy.weight.size} weights, the MDP {mdp.choice_action.size} choices: "
            "make the mixture from the same MDP"
        )
    probability = mdp.probability * np.repeat(policy.weight, np.diff(mdp.row_start))
    reward = np.add.reduceat(policy.weight * mdp.reward_of_choice, mdp.choice_start[:-1])
    row_start = mdp.row_start[mdp.choice_start]
    row_of = np.arange(mdp.num_states, dtype=np.int32)
    solver, reward = chain_solver(mdp, row_start, row_of, probability, reward, look_at, stop, reduction)
    return PolicyChain(mdp, reward, solver, stop)


def _refuse_reachable(mdp: MDP, policy: ArrayLike | Acts, rows: SmallInts, roots: SmallInts) -> None:
    """A forbidden action matters only where the policy can come."""
    reached = _core.reachable(
        row_start=mdp.row_start, row_of=rows, target=mdp.target, probability=mdp.probability, roots=roots
    )
    offenders = reached[rows[reached] < 0]
    if offenders.size:
        state = int(offenders.min())
        action = mdp.action_names[actions_of(mdp, policy)[state]]
        way_out = (
            "choose another action, or build the model with missing='random', 'end' or 'stay'"
            if mdp.missing == "forbid"
            else "undiscounted, it may lead where every policy is worth -inf; choose another action"
        )
        raise InfeasibleError(
            f"state {state}, action {action!r}: the policy can reach the state and the action is forbidden there; "
            f"{way_out}"
        )
