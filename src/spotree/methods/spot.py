"""SPOT, the paper's Algorithm 1: evaluate the tree policy, find the best tree for those values, repeat."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spotree.mdp.model import MDP
from spotree.methods.exploration import ExplorationRate, decaying
from spotree.methods.frame import Frame
from spotree.methods.freeze import freeze
from spotree.methods.gain import gain
from spotree.methods.history import Progress
from spotree.methods.solution import Solution, SolveStatus
from spotree.methods.start import Start, fitting_start
from spotree.methods.stop import Stop
from spotree.methods.weights import Weigh, uniform
from spotree.step.best_tree import best_tree
from spotree.step.engine import Engine
from spotree.step.exact import Exact
from spotree.step.limits import Limits
from spotree.step.problem import TreeProblem
from spotree.step.result import Status
from spotree.values import mixture, policy_value


@dataclass(frozen=True, slots=True)
class Spot:
    """The settings of Algorithm 1; by default the paper's (all but its hour belong to the preset).

    Attributes
    ----------
    engine
        What solves the improvement step.
    weigh, exploration_rate, free_probability
        State weights (Phi), share of random actions by round (epsilon), share of tree parameters left free (phi_l).
    round_seconds
        Time limit of one improvement step.
    stop
        When the loop ends.
    """

    engine: Engine = field(default_factory=Exact)
    weigh: Weigh = uniform
    exploration_rate: ExplorationRate = decaying
    free_probability: float = 0.5
    round_seconds: float = 300.0
    stop: Stop = field(default_factory=Stop)


def spot(
    mdp: MDP,
    depth: int,
    settings: Spot,
    *,
    max_leaves: int | None = None,
    start: Start | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[Progress], Any] | None = None,
    method: str = "spot",
) -> Solution:
    """The best of the policies of all rounds. Ctrl-C ends the loop early and keeps what was found."""
    given = None if start is None else fitting_start(start, mdp, depth, max_leaves)
    frame = Frame(mdp, depth, max_leaves, method, seed, settings.stop.seconds)
    if frame.hurried:
        return frame.at_once(given)
    rng = np.random.default_rng(seed)
    history: list[Progress] = []
    tree = best = given
    best_value = -np.inf if best is None else frame.return_of(best)
    policy = mixture(mdp, np.zeros(mdp.num_states, np.int32), 1.0) if tree is None else tree.actions(mdp.features)
    status = SolveStatus.FINISHED
    engine = settings.engine.prepared(mdp.features, _limits(settings, frame, threads).time)
    try:
        while best is None or not (
            settings.stop(history, frame.seconds) or frame.closes(best_value, frame.optimum.value)
        ):
            value, weight = policy_value(mdp, policy), settings.weigh(mdp, policy)
            fixed = None if tree is None else freeze(tree, depth, settings.free_probability, rng)
            problem = TreeProblem(mdp.features, gain(mdp, value, weight), depth, max_leaves, fixed)
            step = best_tree(problem, engine, _limits(settings, frame, threads), tree)
            tree = step.tree
            current = frame.return_of(tree)
            if best is None or current > best_value:
                best, best_value = tree, current
            round = len(history) + 1
            policy = mixture(mdp, tree.actions(mdp.features), settings.exploration_rate(round))
            history.append(Progress(frame.seconds, round, best_value, frame.optimum.value, current))
            if progress is not None:
                progress(history[-1])
            if step.status is Status.INTERRUPTED:
                raise KeyboardInterrupt  # the engine kept its tree, so the round counts
    except KeyboardInterrupt:
        if best is None:
            raise
        status = SolveStatus.INTERRUPTED
    else:
        if settings.stop.seconds is not None and frame.seconds >= settings.stop.seconds:
            status = SolveStatus.TIME_LIMIT
    return frame.solution(best, status, history)


def _limits(settings: Spot, frame: Frame, threads: int | None) -> Limits:
    left = settings.round_seconds
    if settings.stop.seconds is not None:
        left = min(left, max(0.0, settings.stop.seconds - frame.seconds))
    return Limits(time=left, threads=threads)
