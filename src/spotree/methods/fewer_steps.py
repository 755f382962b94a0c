"""Ties at discount 1: of the trees that return as much as the best policy, one that takes fewer steps.

Undiscounted, a tree that reaches its goal with probability 1 in a million steps returns as much as one that takes ten.
A second, short search looks for fewer steps on a model that offers only the choices that lose nothing. What it finds is
evaluated on the true model, and taken only if its return is not below the first tree's and its expected number of steps
is smaller. Neither the bound nor the proof changes: the return is the same.
"""

import math
import time
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from spotree import _core
from spotree.common.arrays import frozen_array
from spotree.errors import InfeasibleError
from spotree.evaluation import Certified, Optimum, certified_return, choice_values, optimum
from spotree.evaluation.availability import lacking
from spotree.evaluation.state_occupancy import expected_steps
from spotree.evaluation.transition_sampler import leading_to
from spotree.improvement.limits import left_of
from spotree.mdp.graph import part_of
from spotree.mdp.model import MDP
from spotree.methods.neighbourhood import Neighbourhood
from spotree.results.solution import Solution, SolveStatus
from spotree.search.request import Request

ROUNDS = 10  # of the second search, about 0.2 s each
NO_LOSS = 1e-10  # of the largest value: a choice that loses less is as good as the best one
SAME_RETURN = 1e-9  # relative: as for proofs
FEWER = 1e-6  # relative: a smaller difference of two numbers of steps is none
RESERVE_SHARE, RESERVE_SECONDS = 0.1, 3.0  # of the time limit, at most: kept for the second search
SLIGHT_DISCOUNT = 1.0 - 1e-6  # of the steps: more than a million count as that, and no equations are singular


def reserve(time_limit: float | None) -> float:
    """Seconds of the time limit that the first search leaves to the second."""
    return 0.0 if time_limit is None else min(RESERVE_SHARE * time_limit, RESERVE_SECONDS)


def with_steps(mdp: MDP, solution: Solution, request: Request | None) -> Solution:
    """The solution of an undiscounted model with its expected number of steps, and another tree if that takes fewer.

    Parameters
    ----------
    request
        What was asked; its time limit is what is left of the time. None keeps the tree.
    """
    began = time.perf_counter()
    try:
        steps = expected_steps(mdp, solution.policy)
        solution = replace(solution, steps=_known(steps))
        if request is None or solution.value < solution.optimum - SAME_RETURN * abs(solution.optimum):
            return solution
        left = left_of(request.time_limit, time.perf_counter() - began)
        if left is not None and left <= 0:
            return solution
        best = optimum(mdp, stop=_core.Stop() if left is None else _core.Stop(left))
        asked = Request(request.depth, request.max_leaves, left, request.seed, request.threads, solution.policy)
        found = Neighbourhood(max_rounds=ROUNDS).run(_steps_model(mdp, best), asked)
        return _better(mdp, solution, steps, found, best, time.perf_counter() - began)
    except (InfeasibleError, KeyboardInterrupt):  # the answer is there
        return solution


def _known(steps: Certified[float]) -> float | None:
    return steps.value if steps.error <= FEWER * steps.value else None


def _better(
    mdp: MDP, first: Solution, steps: Certified[float], second: Solution, best: Optimum, seconds: float
) -> Solution:
    """The first solution, with the second one's tree where that returns as much in fewer steps on the true model."""
    value, fewer = certified_return(mdp, second.policy), expected_steps(mdp, second.policy)
    tolerance = SAME_RETURN * abs(best.value)
    uncertain = first.error > tolerance  # float64 cannot tell the return of the first tree
    least = best.value - tolerance if uncertain else first.value - first.error
    if max(value.error, best.error) > tolerance or value.value + value.error < least:
        return first
    if not fewer.value + fewer.error < (1.0 - FEWER) * (steps.value - steps.error if _known(steps) else math.inf):
        return first
    if uncertain:
        first = replace(first, error=max(value.error, best.error), bound=best.value, status=SolveStatus.OPTIMAL)
    return replace(
        first,
        policy=second.policy,
        value=value.value,
        bound=max(first.bound, value.value),
        error=max(first.error, value.error),
        steps=_known(fewer),
        lacking=lacking(mdp, second.policy),
        seconds=first.seconds + seconds,
    )


def _steps_model(mdp: MDP, best: Optimum) -> MDP:
    """The choices that lose nothing against the best policy, each at a cost of 1 until nothing is left to earn."""
    loss = np.repeat(best.values, np.diff(mdp.choice_start)) - choice_values(mdp, best.values)
    least = np.repeat(np.minimum.reduceat(loss, mdp.choice_start[:-1]), np.diff(mdp.choice_start))
    free = loss <= np.maximum(least, NO_LOSS * float(np.abs(best.values).max(initial=0.0)))
    origin = mdp.state_of_choice
    earning = np.zeros(mdp.num_states, dtype=bool)
    earning[origin[free & (mdp.reward_of_choice != 0)]] = True
    entry = np.repeat(free, np.diff(mdp.row_start))
    came_from = np.repeat(origin, np.diff(mdp.row_start))[entry]
    backwards = sp.csr_matrix(
        (np.ones(int(entry.sum())), (mdp.target[entry], came_from)), shape=(mdp.num_states, mdp.num_states)
    )
    done = ~leading_to(backwards, earning)
    allowed = free | done[origin]
    limited = part_of(mdp, np.ones(mdp.num_states, dtype=bool), allowed)
    cost = np.where(done[limited.state_of_choice], 0.0, -1.0)
    return replace(
        limited, reward_of_choice=frozen_array(cost, np.float64), discount=SLIGHT_DISCOUNT, sense="min", notes={}
    )
