"""Settings of SPOT: stop rule, exploration, freezing, weights."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from spotree.common.arrays import PerState
from spotree.common.lookup import called
from spotree.evaluation import Policy, occupancy
from spotree.improvement.engines.milp.complete_tree import lay_out
from spotree.improvement.limits import at_least
from spotree.improvement.problem import FREE, Frozen
from spotree.mdp.model import MDP
from spotree.results.progress import Progress
from spotree.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends a run after so many seconds or rounds, or rounds without a new best; None means never."""

    seconds: float | None = 60.0
    rounds: int | None = None
    patience: int | None = 200

    def __post_init__(self) -> None:
        for name in ("seconds", "rounds", "patience"):
            at_least(0, name, getattr(self, name))

    def __call__(self, history: list[Progress], seconds: float) -> bool:
        """Whether the run should end now; the history has one line per round."""
        if self.seconds is not None and seconds >= self.seconds:
            return True
        if self.rounds is not None and len(history) >= self.rounds:
            return True
        if self.patience is None or len(history) <= self.patience:
            return False
        return history[-1].value <= history[-1 - self.patience].value


ExplorationRate: TypeAlias = Callable[[int], float]


def none(round: int) -> float:
    """Never."""
    return 0.0


def decaying(round: int) -> float:
    """1 / round: always in the first, less and less later (the paper's experiments)."""
    return 1.0 / max(round, 1)


EXPLORATIONS: dict[str, ExplorationRate] = {"none": none, "decaying": decaying}


def exploring(given: str | ExplorationRate) -> ExplorationRate:
    """The rate of that name, or the one given."""
    return called("exploration", given, EXPLORATIONS) if isinstance(given, str) else given


def freeze(tree: Tree, depth: int, free_probability: float, rng: np.random.Generator) -> Frozen | None:
    """Free every split and every leaf action with `free_probability` (phi_l), and fix the others.

    The tree is laid into the complete tree of `depth`: a leaf above the lowest level is an unsplit node, which
    sends every state right, so its action stands in the right-most leaf below it. Places that the tree does not
    use are always free. None stands for "everything is free".
    """
    laid = lay_out(tree, depth, everywhere=False)
    laid.feature[rng.random(len(laid.feature)) < free_probability] = FREE
    laid.action[rng.random(len(laid.action)) < free_probability] = FREE
    if (laid.feature == FREE).all() and (laid.action == FREE).all():
        return None
    return laid


Weigh: TypeAlias = Callable[[MDP, Policy], PerState]

FLOOR = 1e-6  # share of the weight that is spread evenly: Proposition 2 needs every weight positive


def uniform(mdp: MDP, policy: Policy) -> PerState:
    """All states count alike (the paper's tables)."""
    return np.ones(mdp.num_states)


def visits(mdp: MDP, policy: Policy) -> PerState:
    """Expected discounted visits (the paper's text), with a trace everywhere so that no state is forgotten."""
    visited = occupancy(mdp, policy)
    weight: PerState = (1 - FLOOR) * visited + FLOOR * visited.sum() / mdp.num_states
    return weight


def softmax_visits(mdp: MDP, policy: Policy) -> PerState:
    """Softmax of the share of visits that each state gets (the paper's timing study): near uniform, never zero.

    The softmax of the visits themselves, which sum to 1 / (1 - discount), would starve most states.
    """
    visited = occupancy(mdp, policy)
    raised: PerState = np.exp(visited / visited.sum())
    weight: PerState = raised / raised.sum()
    return weight


WEIGHTINGS: dict[str, Weigh] = {"uniform": uniform, "occupancy": visits, "softmax": softmax_visits}


def weighting(given: str | Weigh) -> Weigh:
    """The strategy of that name, or the one given."""
    return called("weights", given, WEIGHTINGS) if isinstance(given, str) else given
