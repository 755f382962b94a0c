"""From the rules of a problem to an MDP: every state that can occur, numbered in the order in which it is met."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from spotree.mdp.build import build_mdp
from spotree.mdp.model import MDP

State = TypeVar("State", bound=Hashable)


def mdp_from_rules(
    *,
    start: Mapping[State, float],
    outcomes: Callable[[State, str], Iterable[tuple[float, State, float]]],
    features: Callable[[State], Sequence[float]],
    feature_names: Sequence[str],
    action_names: Sequence[str],
    discount: float = 0.99,
) -> MDP:
    """Play a problem out from its start states until no new state turns up.

    Parameters
    ----------
    start
        Probability of each state to begin in; any hashable value can be a state.
    outcomes
        Rules: what can follow a state and an action's name, as (probability, next state, reward). A next state may
        be listed more than once. No outcome at all means that the action is not available.
    features
        What a tree sees of a state, in the order of `feature_names`.
    """
    number = {state: index for index, state in enumerate(start)}
    states = list(start)
    action_count = len(action_names)
    choice, target, probability, gained = [], [], [], []
    for here, state in enumerate(states):  # grows while we walk along it
        for action, name in enumerate(action_names):
            for chance, following, reward in outcomes(state, name):
                if following not in number:
                    number[following] = len(states)
                    states.append(following)
                choice.append(here * action_count + action)
                target.append(number[following])
                probability.append(chance)
                gained.append(chance * reward)

    count = len(states)
    rows = sp.csr_matrix((probability, (choice, target)), shape=(count * action_count, count))
    reward = np.bincount(choice, weights=gained, minlength=count * action_count).reshape(count, action_count)
    available = np.diff(rows.indptr).reshape(count, action_count) > 0
    initial = np.zeros(count)
    initial[: len(start)] = list(start.values())
    return build_mdp(
        transitions=[rows[action::action_count] for action in range(action_count)],
        reward=reward,
        discount=discount,
        initial=initial,
        features=np.array([features(state) for state in states], dtype=float),
        feature_names=feature_names,
        action_names=action_names,
        available=None if available.all() else available,
    )
