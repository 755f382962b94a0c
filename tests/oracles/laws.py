"""Changes of a model that leave what a tree can do as it is: each says how values, states and actions follow."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from spotree import MDP, build_mdp
from spotree.mdp import ChoiceRows


@dataclass(frozen=True)
class Plain:
    """A model as arrays, before `build_mdp`; `ends` is what the rows lack to 1."""

    transitions: np.ndarray  # [action, state, next state]
    reward: np.ndarray  # [state, action]
    discount: float
    initial: np.ndarray
    features: np.ndarray
    available: np.ndarray  # [state, action]
    missing: str
    missing_reward: float

    @property
    def ends(self) -> np.ndarray:
        """[state, action], with no remains of rounding."""
        lacking = 1 - self.transitions.sum(axis=2).T
        return np.where(lacking > 1e-9, lacking, 0.0)

    @property
    def goes_on(self) -> bool:
        """Whether no policy ever ends an episode, so that every step pays."""
        return self.missing in ("random", "forbid") and not (self.ends > 0).any()

    def build(self) -> MDP:
        settings: dict[str, Any] = {name: getattr(self, name) for name in ("initial", "features", "available")}
        rule: dict[str, Any] = {"missing": self.missing, "missing_reward": self.missing_reward}
        return build_mdp(
            self.transitions,
            self.reward,
            self.discount,
            ends=self.ends,
            undiscounted=self.discount == 1,
            **settings,
            **rule,
        )


@dataclass(frozen=True)
class Changed:
    """A model that follows from another: value there = scale * value + shift.

    `state_here` leads from each new state to the old one that it stands for, `action_here` from new actions to old.
    """

    mdp: MDP
    state_here: np.ndarray
    action_here: np.ndarray
    scale: float = 1.0
    shift: float = 0.0

    def there(self, actions: np.ndarray) -> np.ndarray:
        """A policy of the old model in the new one."""
        return np.argsort(self.action_here)[actions[self.state_here]].astype(np.int32)

    def here(self, actions: np.ndarray) -> np.ndarray:
        """A policy of the new model in the old one, as the first state decides that stands for an old one."""
        _, first = np.unique(self.state_here, return_index=True)
        return self.action_here[actions[first]].astype(np.int32)


Law = Callable[[Plain, np.random.Generator], Changed]


def models(
    most_states: int = 6, discounts: tuple[float, ...] = (0.0, 0.5, 0.9, 0.99)
) -> st.SearchStrategy[tuple[Plain, np.random.Generator]]:
    """A small random model and the generator that made it.

    The generator draws all of it: Hypothesis would draw mostly the simplest, in which nothing is to be decided.
    """
    seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
    return seeds.map(lambda rng: (random_model(rng, most_states, discounts), rng))


def random_model(rng: np.random.Generator, most_states: int, discounts: tuple[float, ...]) -> Plain:
    """With missing actions, ends and equal features; undiscounted, every choice may end the episode."""
    states, actions, features = rng.integers(2, most_states + 1), rng.choice((1, 2, 2, 3, 3)), rng.integers(1, 4)
    discount = float(rng.choice(discounts))
    transitions = rng.dirichlet(np.full(states, 0.4), size=(actions, states))
    transitions = np.where(transitions < 1e-3, 0.0, transitions)
    transitions /= transitions.sum(axis=2, keepdims=True)
    some = rng.choice((0.0, 0.3)) if discount < 1 else 1.0
    transitions *= np.where(rng.random((actions, states, 1)) < some, 0.75, 1.0)
    available = rng.random((states, actions)) < rng.choice((0.6, 1.0))
    available[np.arange(states), rng.integers(actions, size=states)] = True
    initial = rng.random(states) * (rng.random(states) < 0.6)
    initial[rng.integers(states)] += 0.5
    return Plain(
        transitions=transitions,
        reward=rng.integers(-3, 4, (states, actions)) / 2 + rng.choice((0.0, 0.1, -7.0)),
        discount=discount,
        initial=initial / initial.sum(),
        features=rng.integers(0, rng.integers(2, 5), (states, features)).astype(float),
        available=available,
        missing=str(rng.choice(("random", "end", "stay", "forbid"))),
        missing_reward=-1.0,
    )


def alike(new: Plain, **more: Any) -> Changed:
    """States and actions stand where they stood, unless more is said."""
    states, actions = new.reward.shape
    return Changed(
        **{"mdp": new.build(), "state_here": np.arange(states), "action_here": np.arange(actions)} | more
    )


def states_in_another_order(model: Plain, rng: np.random.Generator) -> Changed:
    order = rng.permutation(len(model.initial))
    new = replace(
        model,
        transitions=model.transitions[:, order][:, :, order],
        reward=model.reward[order],
        initial=model.initial[order],
        features=model.features[order],
        available=model.available[order],
    )
    return alike(new, state_here=order)


def actions_in_another_order(model: Plain, rng: np.random.Generator) -> Changed:
    order = rng.permutation(model.reward.shape[1])
    new = replace(
        model,
        transitions=model.transitions[order],
        reward=model.reward[:, order],
        available=model.available[:, order],
    )
    return alike(new, action_here=order)


def features_in_another_order(model: Plain, rng: np.random.Generator) -> Changed:
    return alike(replace(model, features=rng.permutation(model.features, axis=1)))


def features_by_monotone_maps(model: Plain, rng: np.random.Generator) -> Changed:
    """Rising or falling, with uneven steps from 1e-6 to 1e6."""
    steps = 10.0 ** rng.uniform(-6, 6, (int(model.features.max()) + 1, model.features.shape[1]))
    table = np.cumsum(steps, axis=0) * rng.choice([-1, 1], model.features.shape[1])
    new = np.take_along_axis(table, model.features.astype(int), axis=0)
    return alike(replace(model, features=new))


def useless_features(model: Plain, rng: np.random.Generator) -> Changed:
    """A constant, a copy, and a mirrored copy."""
    column = model.features[:, [rng.integers(model.features.shape[1])]]
    new = np.hstack((np.full_like(column, 4.0), model.features, column, 1 - 3 * column))
    return alike(replace(model, features=new))


def rewards_times_a_number(model: Plain, rng: np.random.Generator) -> Changed:
    scale = 10.0 ** rng.uniform(-5, 5)
    new = replace(model, reward=scale * model.reward, missing_reward=scale * model.missing_reward)
    return alike(new, scale=scale)


def rewards_plus_a_number(model: Plain, rng: np.random.Generator) -> Changed:
    """Where no episode ever ends, all values move by the same; elsewhere the law says nothing."""
    if not model.goes_on:
        return alike(model)
    more = rng.normal() * 10
    return alike(replace(model, reward=model.reward + more), shift=more / (1 - model.discount))


def a_state_in_two_copies(model: Plain, rng: np.random.Generator) -> Changed:
    """What leads to the state is shared between the copies, in each row in another way."""
    states = len(model.initial)
    twice = np.append(np.arange(states), state := rng.integers(states))
    share = rng.random((*model.transitions.shape[:1], states + 1, 1))
    transitions = model.transitions[:, twice]
    mass = transitions[:, :, [state]]
    transitions = np.concatenate((transitions, share * mass), axis=2)
    transitions[:, :, [state]] = mass - share * mass
    initial = model.initial[twice] * np.where(twice == state, 0.5, 1.0)
    new = replace(
        model,
        transitions=transitions,
        reward=model.reward[twice],
        initial=initial,
        features=model.features[twice],
        available=model.available[twice],
    )
    return alike(new, state_here=twice)


def ends_as_a_state(model: Plain, rng: np.random.Generator) -> Changed:
    """Episodes end in a state without reward that is never left, and looks like another one."""
    states, actions = model.reward.shape
    transitions = np.zeros((actions, states + 1, states + 1))
    transitions[:, :states, :states] = model.transitions
    transitions[:, :states, states] = model.ends.T
    transitions[:, states, states] = 1.0
    new = replace(
        model,
        transitions=transitions,
        reward=np.vstack((model.reward, np.zeros(actions))),
        initial=np.append(model.initial, 0.0),
        features=np.vstack((model.features, model.features[[rng.integers(states)]])),
        available=np.vstack((model.available, np.ones(actions, dtype=bool))),
    )
    return alike(new, state_here=np.append(np.arange(states), 0))


def rows_in_pieces(model: Plain, rng: np.random.Generator) -> Changed:
    """The same as choice rows in random order, each target twice."""
    state, action = rng.permutation(np.argwhere(model.available)).T
    rows = sp.csr_matrix(model.transitions[action, state])
    part = rng.random(rows.nnz) * rows.data
    pieces = np.stack((part, rows.data - part), axis=1).ravel()
    rule: dict[str, Any] = {"missing": model.missing, "missing_reward": model.missing_reward}
    mdp = build_mdp(
        ChoiceRows(state, action, 2 * rows.indptr, np.repeat(rows.indices, 2), pieces),
        model.reward[state, action],
        model.discount,
        initial=model.initial,
        features=model.features,
        action_names=[f"action_{number}" for number in range(model.reward.shape[1])],
        ends=model.ends[state, action],
        undiscounted=model.discount == 1,
        **rule,
    )
    return alike(model, mdp=mdp)


LAWS: tuple[Law, ...] = (
    states_in_another_order,
    actions_in_another_order,
    features_in_another_order,
    features_by_monotone_maps,
    useless_features,
    rewards_times_a_number,
    rewards_plus_a_number,
    a_state_in_two_copies,
    ends_as_a_state,
    rows_in_pieces,
)
