"""VIPER: a greedy tree that imitates the best policy, above all where it matters and where the tree itself goes."""

from dataclasses import dataclass

import numpy as np

from spotree.common.arrays import ActionOf, PerState
from spotree.errors import InfeasibleError, InvalidProblemError
from spotree.evaluation import action_values, occupancy
from spotree.mdp.model import MDP
from spotree.methods.method import Method
from spotree.results.progress import Progress
from spotree.results.solution import Solution, SolveStatus
from spotree.search.cart import cart
from spotree.search.first_tree import ROUGH, first_tree
from spotree.search.request import Request
from spotree.search.run_context import RunContext
from spotree.trees.tree import Tree, leaf


@dataclass(frozen=True, slots=True)
class Viper(Method):
    """The best student of a number of rounds, judged by true return (Bastani, Pu and Solar-Lezama, 2018).

    The teacher is an optimal policy. Each round draws states that the current policy visits (the teacher's in the
    first round), adds them to all drawn before, resamples them with weight V(s) - min_a Q(s, a), and grows a CART
    tree that imitates the teacher there. A state drawn from the discounted occupancy is the state of an episode at
    a geometrically distributed time, so no episode needs to be simulated. A start is a tree that the answer may not
    be worse than; it teaches nothing. One thread does all the work.

    Attributes
    ----------
    rounds, samples
        Students, and states drawn for each.
    """

    rounds: int = 100
    samples: int = 10_000

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.samples < 1:
            raise InvalidProblemError(f"rounds is {self.rounds}, samples is {self.samples}; both must be 1 or more")

    @property
    def name(self) -> str:
        return "viper"

    def run(self, mdp: MDP, request: Request) -> Solution:
        given = request.start_tree(mdp)
        frame = RunContext(mdp, request.depth, request.max_leaves, self.name, request.seed, request.time_limit)
        return frame.at_once(given) if frame.interrupted else _imitate(frame, given, request, self)


def _imitate(frame: RunContext, given: Tree | None, request: Request, settings: Viper) -> Solution:
    mdp, time_limit = frame.mdp, request.time_limit
    rng = np.random.default_rng(request.seed)
    teacher = frame.optimum.actions
    stake = _stake(mdp, frame.optimum.values)
    seen = np.zeros(mdp.num_states)
    history: list[Progress] = []
    policy, status = teacher, SolveStatus.FINISHED
    late = frame.hurried or frame.large
    usual = leaf(int(np.bincount(teacher, mdp.initial).argmax()))
    best = first_tree(frame, given) if late else given or usual
    best_value = frame.return_of(best)
    try:
        for round in range(1, settings.rounds + 1):
            visits = _visits(frame, policy, teacher)
            over = time_limit is not None and frame.seconds >= time_limit and (history or late)
            if over or not visits.sum() > 0:
                status = SolveStatus.TIME_LIMIT if history else SolveStatus.NO_ROUND
                break
            seen += _drawn(rng, visits, settings.samples)
            weight = _drawn(rng, seen * stake if (seen * stake).any() else seen, int(seen.sum()))
            student = cart(mdp.features, teacher, weight, request.depth, request.max_leaves)
            policy = student.actions(mdp.features)
            current = frame.return_of(student)
            if current > best_value:
                best, best_value = student, current
            history.append(Progress(frame.seconds, round, best_value, frame.optimum.value, current))
            request.tell(history[-1])
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


def _visits(frame: RunContext, policy: ActionOf, teacher: ActionOf) -> PerState:
    """Where the policy goes, or the teacher where the policy runs into a forbidden action."""
    stop, reduction = frame.stop_at(1.0), ROUGH if frame.large else 0.0
    try:
        return occupancy(frame.mdp, policy, stop=stop, reduction=reduction)
    except InfeasibleError:
        return occupancy(frame.mdp, teacher, stop=stop, reduction=reduction)


def _drawn(rng: np.random.Generator, weight: PerState, number: int) -> PerState:
    """How often each state is drawn."""
    positive = np.maximum(weight, 0.0)
    return rng.multinomial(number, positive / positive.sum()).astype(np.float64)
