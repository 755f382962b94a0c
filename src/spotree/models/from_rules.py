"""From the rules of a problem to an MDP: every state that can occur, numbered in the order in which it is met."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from spotree.mdp.build import build_mdp
from spotree.mdp.choices import ChoiceRows
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
        The rules: what can follow a state and an action's name, as (probability, next state, reward). A next state
        may be listed more than once. No outcome at all means that the state does not offer the action.
    features
        What a tree sees of a state, in the order of `feature_names`.
    """
    states = list(start)
    number = {state: index for index, state in enumerate(states)}
    choices: list[tuple[int, int]] = []  # (state, action)
    row_start = [0]
    target: list[int] = []
    probability: list[float] = []
    gained: list[float] = []
    for here, state in enumerate(states):  # the list grows while we walk along it
        for action, name in enumerate(action_names):
            for chance, following, reward in outcomes(state, name):
                if following not in number:
                    number[following] = len(states)
                    states.append(following)
                target.append(number[following])
                probability.append(chance)
                gained.append(reward)
            if len(target) > row_start[-1]:
                choices.append((here, action))
                row_start.append(len(target))

    state_of, action_of = np.array(choices, dtype=np.int64).reshape(-1, 2).T
    initial = np.zeros(len(states))
    initial[: len(start)] = list(start.values())
    return build_mdp(
        ChoiceRows(state_of, action_of, np.array(row_start), np.array(target), np.array(probability)),
        reward=0.0,
        transition_reward=gained,
        discount=discount,
        initial=initial,
        features=np.array([features(state) for state in states], dtype=float),
        feature_names=feature_names,
        action_names=action_names,
    )
