"""SPOT, the paper's Algorithm 1: evaluate the tree policy, find the best tree for those values, repeat."""

from dataclasses import dataclass

import numpy as np

from spotree.errors import InvalidProblemError
from spotree.evaluation import mixture, policy_value, uniform
from spotree.improvement.engine import Engine, best_tree
from spotree.improvement.engines.registry import as_engine
from spotree.improvement.limits import Limits, at_least, left_of
from spotree.improvement.problem import TreeProblem
from spotree.improvement.result import Status
from spotree.mdp.model import MDP
from spotree.methods.method import Method
from spotree.methods.spot.options import ExplorationRate, Stop, Weigh, exploring, freeze, weighting
from spotree.results.progress import Progress
from spotree.results.solution import Solution, SolveStatus
from spotree.search.gain import gain
from spotree.search.request import Request
from spotree.search.run_context import RunContext
from spotree.trees.ranks import useful_depth

DEEPEST = 20  # about a million splits


@dataclass(frozen=True, slots=True)
class Spot(Method):
    """Algorithm 1: the best of the policies of all rounds. Ctrl-C ends the loop early and keeps what was found.

    The defaults are the paper's; `spotree.PAPER` adds its hour.

    Attributes
    ----------
    engine
        What solves the improvement step: "exact", "rsbb", "milp", "exhaustive", or an engine such as `Rsbb(seed=1)`.
    weights
        How much states count (Phi): "uniform", "occupancy", "softmax", or a function of the model and a policy.
    exploration
        Share of random actions (epsilon): "decaying" (1 / round), "none", or a function of the round.
    free_probability
        Share of the tree's parameters that a round leaves free (phi_l).
    round_seconds
        Time limit of one improvement step.
    rounds, patience
        Stop after so many rounds, or rounds without a new best; None for no such limit.
    seconds
        Time limit of the whole run where `solve` is given none.
    """

    engine: str | Engine = "exact"
    weights: str | Weigh = "uniform"
    exploration: str | ExplorationRate = "decaying"
    free_probability: float = 0.5
    round_seconds: float = 300.0
    rounds: int | None = None
    patience: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        as_engine(self.engine)
        weighting(self.weights)
        exploring(self.exploration)
        if not 0 <= self.free_probability <= 1:
            raise InvalidProblemError(f"free_probability is {self.free_probability}; it must lie in [0, 1]")
        at_least(0, "round_seconds", self.round_seconds)
        Stop(self.seconds, self.rounds, self.patience)

    @property
    def name(self) -> str:
        return "spot"

    def stop(self, request: Request) -> Stop:
        """When a run ends."""
        limit = self.seconds if request.time_limit is None else request.time_limit
        if limit is None and self.rounds is None and self.patience is None:
            raise InvalidProblemError("the rounds never end by themselves: give a time_limit, rounds or patience")
        return Stop(limit, self.rounds, self.patience)

    def run(self, mdp: MDP, request: Request) -> Solution:
        return iterate(mdp, request, self)


def iterate(mdp: MDP, request: Request, settings: Spot) -> Solution:
    """Evaluate, improve, repeat."""
    given, stop = request.start_tree(mdp), settings.stop(request)
    depth, max_leaves = useful_depth(request.depth, mdp.features), request.max_leaves
    if depth > DEEPEST:
        raise InvalidProblemError(
            f"depth is {request.depth}; {settings.name} lays its trees out on the complete tree and takes at most"
            f" {DEEPEST}: use the default method"
        )
    weigh, exploration_rate = weighting(settings.weights), exploring(settings.exploration)
    frame = RunContext(mdp, request.depth, max_leaves, settings.name, request.seed, stop.seconds)
    if frame.hurried:
        return frame.at_once(given)
    rng = np.random.default_rng(request.seed)
    history: list[Progress] = []
    tree = best = given
    best_value = -np.inf if best is None else frame.return_of(best)
    policy = uniform(mdp) if tree is None else tree.actions(mdp.features)
    status = SolveStatus.FINISHED

    engine = as_engine(settings.engine).prepared(mdp.features, left_of(stop.seconds, frame.seconds))
    try:
        while best is None or not (stop(history, frame.seconds) or frame.closes(best_value, frame.optimum.value)):
            # Fix: each tree parameter stays free with the free probability (phi_l).
            fixed = None if tree is None else freeze(tree, depth, settings.free_probability, rng)
            # Solve: the best tree for the values and weights of the old policy (Algorithm 2, or another engine).
            value, weight = policy_value(mdp, policy), weigh(mdp, policy)
            problem = TreeProblem(mdp.features, gain(mdp, value, weight), depth, max_leaves, fixed)
            left = left_of(stop.seconds, frame.seconds)
            seconds = settings.round_seconds if left is None else min(settings.round_seconds, left)
            step = best_tree(problem, engine, Limits(time=seconds, threads=request.threads), tree)
            # Evaluate: its true return; with exploration it is the old policy of the next round.
            tree = step.tree
            current = frame.return_of(tree)
            if best is None or current > best_value:
                best, best_value = tree, current
            round = len(history) + 1
            policy = mixture(mdp, tree.actions(mdp.features), exploration_rate(round))
            history.append(Progress(frame.seconds, round, best_value, frame.optimum.value, current))
            request.tell(history[-1])
            if step.status is Status.INTERRUPTED:
                raise KeyboardInterrupt  # the engine kept its tree, so the round counts
    except KeyboardInterrupt:
        if best is None:
            raise
        status = SolveStatus.INTERRUPTED
    else:
        if stop.seconds is not None and frame.seconds >= stop.seconds:
            status = SolveStatus.TIME_LIMIT
    return frame.solution(best, status, history)
