"""VIPER: a greedy tree that imitates the best policy, above all where it matters and where the tree itself goes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spotree.axes import ActionOf, PerState
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.mdp.model import MDP
from spotree.methods.cart import cart
from spotree.methods.frame import Frame
from spotree.methods.history import Progress
from spotree.methods.solution import Solution, SolveStatus
from spotree.methods.start import Start, fitting_start
from spotree.tree.tree import leaf
from spotree.values import action_values, occupancy


def viper(
    mdp: MDP,
    depth: int,
    *,
    max_leaves: int | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
    threads: int | None = None,
    start: Start | None = None,
    progress: Callable[[Progress], Any] | None = None,
    rounds: int = 100,
    samples: int = 10_000,
) -> Solution:
    """The best student of a number of rounds, judged by true return (Bastani, Pu and Solar-Lezama, 2018).

    The teacher is an optimal policy. Each round draws states that the current policy visits (the teacher's in the
    first round), adds them to all drawn before, resamples them with weight V(s) - min_a Q(s, a), and grows a CART
    tree that imitates the teacher there. A state drawn from the discounted occupancy is the state of an episode at
    a geometrically distributed time, so no episode needs to be simulated.

    Parameters
    ----------
    rounds, samples
        Students, and states drawn for each.
    start
        A tree that the answer may not be worse than; it teaches nothing.
    threads
        Not used: one thread does.
    """
    if rounds < 1 or samples < 1:
        raise InvalidProblemError(f"rounds is {rounds}, samples is {samples}; both must be 1 or more")
    given = None if start is None else fitting_start(start, mdp, depth, max_leaves)
    frame = Frame(mdp, depth, max_leaves, "viper", seed, time_limit)
    if frame.hurried:
        return frame.at_once(given)
    rng = np.random.default_rng(seed)
    teacher = frame.optimum.actions
    stake = _stake(mdp, frame.optimum.values)
    seen = np.zeros(mdp.num_states)
    history: list[Progress] = []
    best = given or leaf(int(np.bincount(teacher, mdp.initial).argmax()))
    best_value = frame.return_of(best)
    policy, status = teacher, SolveStatus.FINISHED
    try:
        for round in range(1, rounds + 1):
            if time_limit is not None and frame.seconds >= time_limit and history:
                status = SolveStatus.TIME_LIMIT
                break
            seen += _drawn(rng, _visits(mdp, policy, teacher), samples)
            weight = _drawn(rng, seen * stake if (seen * stake).any() else seen, int(seen.sum()))
            student = cart(mdp.features, teacher, weight, depth, max_leaves)
            policy = student.actions(mdp.features)
            current = frame.return_of(student)
            if current > best_value:
                best, best_value = student, current
            history.append(Progress(frame.seconds, round, best_value, frame.optimum.value, current))
            if progress is not None:
                progress(history[-1])
            if frame.closes(best_value, frame.optimum.value):
                break
    except KeyboardInterrupt:
        status = SolveStatus.INTERRUPTED
    return frame.solution(best, status, history)


def _stake(mdp: MDP, value: PerState) -> PerState:
    """What the worst allowed action would lose in each state."""
    of_action = action_values(mdp, value)
    worst = np.where(np.isfinite(of_action), of_action, np.inf).min(axis=1)
    return np.where(np.isfinite(value), np.maximum(value - worst, 0.0), 0.0)


def _visits(mdp: MDP, policy: ActionOf, teacher: ActionOf) -> PerState:
    """Where the policy goes, or the teacher where the policy runs into a forbidden action."""
    try:
        return occupancy(mdp, policy)
    except InfeasibleError:
        return occupancy(mdp, teacher)


def _drawn(rng: np.random.Generator, weight: PerState, number: int) -> PerState:
    """How often each state is drawn."""
    positive = np.maximum(weight, 0.0)
    return rng.multinomial(number, positive / positive.sum()).astype(np.float64)
